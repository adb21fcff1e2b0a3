import { asObject, asString, type Operation } from 'portcullis/sdk';
import { dimensionOf } from '../policies/dimensions.ts';
import { type GroupPart, groupWords, partsOf } from '../policies/value-key.ts';
import type { UsagePolicyRecord } from '../records/tables.ts';

/** A group of a policy as refusals name it. What is gone stands under its id. */
export async function groupOf(
  operation: Operation,
  { group_by: groupBy }: UsagePolicyRecord,
  valueKey: string,
): Promise<string> {
  const keys = groupBy.flatMap((one) => asString(asObject(one)?.key) ?? []);
  const parts: GroupPart[] = [];
  for (const part of partsOf(keys, valueKey)) parts.push({ ...part, value: await nameOf(operation, part) });
  return groupWords(parts);
}

async function nameOf(operation: Operation, { key, value }: GroupPart): Promise<string> {
  const idOf = dimensionOf(key)?.idOf;
  if (idOf === undefined || value === '') return value;
  const { organisationId } = operation.scope;
  const found = await operation.records(idOf.resource).find({ organisationId }, value);
  return asString(found?.[idOf.knownBy]) ?? value;
}
