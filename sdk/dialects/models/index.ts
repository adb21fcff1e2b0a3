import { asArray, asNumber, asObject, asString, compact, type Json, type JsonObject } from '../../json.ts';
import { unixSeconds } from '../../unix-seconds.ts';
import { present } from '../present.ts';

export interface ModelEntry {
  readonly id: string;
  /** Unix seconds. */
  readonly created?: number;
  readonly ownedBy?: string;
}

/**
 * Reads a list of models as any of the formats gives it: `{ data: [{ id, created, owned_by }] }`,
 * `{ data: [{ id, created_at }] }` with an ISO 8601 date, `{ models: [{ name: 'models/...' }] }`, or a bare list. Entries
 * without a name are left out; anything else gives an empty list.
 */
export function decodeModels(body: unknown): readonly ModelEntry[] {
  const list = asObject(body);
  const entries = list === undefined ? asArray(body) : [...asArray(list.data), ...asArray(list.models)];
  return entries.flatMap((entry) => readEntry(entry) ?? []);
}

/** Writes a list of models: `{ object: 'list', data, total_count, provider? }`. `created` is 0 where it is unknown. */
export function encodeModels(entries: readonly ModelEntry[], provider?: string): JsonObject {
  return compact({
    object: 'list',
    data: entries.map((entry) => ({
      id: entry.id,
      object: 'model',
      created: entry.created ?? 0,
      owned_by: entry.ownedBy ?? provider ?? 'unknown',
    })),
    total_count: entries.length,
    provider,
  });
}

const namePrefix = 'models/';

function readEntry(entry: Json): ModelEntry | undefined {
  if (typeof entry === 'string') return entry === '' ? undefined : { id: entry };
  const model = asObject(entry);
  if (model === undefined) return undefined;
  const name = asString(model.name);
  const bare = name?.startsWith(namePrefix) ? name.slice(namePrefix.length) : name;
  const id = asString(model.id) || bare || asString(model.model);
  if (!id) return undefined;
  return present<ModelEntry>({
    id,
    created: asNumber(model.created) ?? unixSeconds(model.created_at),
    ownedBy: asString(model.owned_by),
  });
}
