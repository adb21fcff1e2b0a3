import { isDeepStrictEqual } from 'node:util';
import { type DirectoryKind, GatewayError } from 'portcullis/sdk';
import { isDigestKind } from './paths.ts';

/** A record as the directory keeps it. */
export interface Kept {
  /** Plain JSON, deeply frozen. */
  readonly value: object & { readonly organisationId: string };
  /** Of its JSON text. */
  readonly size: number;
}

/**
 * A copy of what a loader gave, deeply frozen; the earlier one when nothing in it has changed, because compiled plans
 * hang on the object.
 * @throws GatewayError `internal` for what is no record, or one of another organisation than was asked for
 */
export function keptOf(
  kind: DirectoryKind,
  path: readonly string[],
  entry: unknown,
  earlier: object | undefined,
): Kept {
  const text = JSON.stringify(entry) ?? 'null';
  const copy = JSON.parse(text) as { readonly organisationId?: unknown } | null;
  const organisationId = copy?.organisationId;
  if (typeof organisationId !== 'string' || organisationId === '') {
    throw new GatewayError('internal', `A record of the kind ${kind} names no organisation.`);
  }
  if (!isDigestKind(kind) && organisationId !== path[0]) {
    throw new GatewayError('internal', `A record of the kind ${kind} is of another organisation than its path says.`);
  }
  const value = isDeepStrictEqual(copy, earlier) ? earlier : frozen(copy);
  return { value: value as Kept['value'], size: text.length };
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
