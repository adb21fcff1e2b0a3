import { asObject, type Json, type Operation, type StoredRecord } from 'portcullis/sdk';
import type { KnownProvider } from './catalogue/known-provider.ts';
import type { StoredMapping } from './records.ts';
import { refuse } from './refuse.ts';

/** What is read of a secret reference, which belongs to another plugin. */
export interface ReferenceRecord extends StoredRecord {
  readonly allow_all_workspaces?: number | boolean;
  /** Ids. */
  readonly allowed_workspaces?: readonly string[] | null;
}

const most = 100;

/**
 * Checked mappings. `target_field` may leave out its prefix; the reference is kept by its id.
 * @throws GatewayError `bad_request` for a field that is none, one that is mapped twice, a reference that is not there or
 * not open to each of the workspaces
 */
export async function checkedMappings(
  operation: Operation,
  provider: KnownProvider,
  value: Json | undefined,
  workspaceIds: readonly string[],
): Promise<readonly StoredMapping[]> {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > most)
    return refuse('secret_mappings', `must be a list of at most ${most} mappings`);
  const mappings: StoredMapping[] = [];
  for (const [index, item] of value.entries()) {
    const at = `secret_mappings[${index}]`;
    const mapping = asObject(item) ?? refuse(at, 'must be an object');
    const target_field = targetOf(provider, mapping.target_field, `${at}.target_field`);
    if (mappings.some((other) => other.target_field === target_field))
      refuse(`${at}.target_field`, `maps ${target_field} a second time`);
    mappings.push({
      target_field,
      secret_reference_id: (await reachable(operation, mapping.secret_reference_id, workspaceIds, at)).id,
      secret_key: keyOf(mapping.secret_key, `${at}.secret_key`),
      value_format: formatOf(provider, target_field, mapping.value_format, `${at}.value_format`),
    });
  }
  return mappings;
}

const prefixes = ['configurations.', 'model_config.'] as const;

function fieldIn(target: string): string {
  const prefix = prefixes.find((one) => target.startsWith(one));
  return prefix === undefined ? target : target.slice(prefix.length);
}

function targetOf(provider: KnownProvider, value: Json | undefined, param: string): string {
  if (typeof value !== 'string') return refuse(param, 'must be a text');
  if (value === 'key') return value;
  const name = fieldIn(value);
  const field = provider.fields.get(name);
  if (field !== undefined && field.common !== true) return `configurations.${name}`;
  const known = [...provider.fields.values()].filter(({ common }) => common !== true).map((one) => one.name);
  const accepted = ['key', ...known.map((one) => `configurations.${one}`)].join(', ');
  return refuse(param, `is no field that a secret can fill; accepted: ${accepted}`);
}

function keyOf(value: Json | undefined, param: string): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' && value !== '' && value.length <= 255
    ? value
    : refuse(param, 'must be a text of 1 to 255 characters');
}

function formatOf(provider: KnownProvider, target: string, value: Json | undefined, param: string): 'string' | 'json' {
  const { kind } = provider.fields.get(fieldIn(target)) ?? { kind: 'text' };
  const object = kind === 'json' || kind === 'deployments';
  if (value !== undefined && value !== null && value !== 'string' && value !== 'json')
    return refuse(param, 'must be string or json');
  if (object && value !== 'json') refuse(param, `must be json: ${target} is an object`);
  return value === 'json' ? 'json' : 'string';
}

async function reachable(
  operation: Operation,
  value: Json | undefined,
  workspaceIds: readonly string[],
  at: string,
): Promise<ReferenceRecord> {
  const param = `${at}.secret_reference_id`;
  if (typeof value !== 'string' || value === '') return refuse(param, 'must be the id or slug of a secret reference');
  const { organisationId } = operation.scope;
  const found = await operation.records<ReferenceRecord>('secret_references').find({ organisationId }, value);
  const open = found !== undefined && workspaceIds.every((workspaceId) => reaches(found, workspaceId));
  return open ? found : refuse(param, `"${value.slice(0, 100)}" is no secret reference that is open here`);
}

/** Whether the workspace may use the reference. */
export function reaches(reference: ReferenceRecord, workspaceId: string): boolean {
  if (reference.status === 'archived') return false;
  if (reference.allow_all_workspaces === 1 || reference.allow_all_workspaces === true) return true;
  return reference.allowed_workspaces?.includes(workspaceId) === true;
}

/** @throws GatewayError `bad_request` when the workspace may not use a reference that the integration needs */
export async function checkReach(
  operation: Operation,
  mappings: readonly StoredMapping[],
  workspaceId: string,
  param: string,
): Promise<void> {
  const { organisationId } = operation.scope;
  for (const { secret_reference_id: id } of mappings) {
    const found = await operation.records<ReferenceRecord>('secret_references').find({ organisationId }, id);
    if (found === undefined || !reaches(found, workspaceId))
      refuse(param, `needs the secret reference ${found?.slug ?? id}, which is not open to this workspace`);
  }
}

/** The fields of `configurations` that mappings fill. */
export function mappedFields(mappings: readonly StoredMapping[]): ReadonlySet<string> {
  return new Set(mappings.map(({ target_field }) => fieldIn(target_field)));
}
