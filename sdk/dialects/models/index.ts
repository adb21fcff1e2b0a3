import { asArray, asNumber, asObject, asString, compact, type Json, type JsonObject } from '../../json.ts';
import { unixSeconds } from '../../unix-seconds.ts';
import { present } from '../present.ts';

export interface ModelEntry {
  readonly id: string;
  /** Unix seconds. */
  readonly created?: number;
  readonly ownedBy?: string;
}

/** A model, and the object that tells of it where one does. */
export interface ReadModel {
  readonly entry: ModelEntry;
  readonly came?: JsonObject | undefined;
}

/**
 * Reads a list of models as any of the formats gives it: `{ data: [{ id, created, owned_by }] }`,
 * `{ data: [{ id, created_at }] }` with an ISO 8601 date, `{ models: [{ name: 'models/...' }] }`, or a bare list. Entries
 * without a name are left out; anything else gives an empty list.
 */
export function decodeModels(body: unknown): readonly ModelEntry[] {
  return readModels(body).map(({ entry }) => entry);
}

/** As {@link decodeModels}, with all that came. */
export function readModels(body: unknown): readonly ReadModel[] {
  const list = asObject(body);
  const entries = list === undefined ? asArray(body) : [...asArray(list.data), ...asArray(list.models)];
  return entries.flatMap((came) => {
    const entry = readEntry(came);
    return entry === undefined ? [] : [{ entry, came: asObject(came) }];
  });
}

/** What people call a model; its id where nobody says. */
export function displayNameOf({ entry, came }: ReadModel): string {
  return asString(came?.display_name) || asString(came?.displayName) || entry.id;
}

/** Writes a list of models: `{ object: 'list', data, total_count, provider? }`. `created` is 0 where it is unknown. */
export function encodeModels(entries: readonly ModelEntry[], provider?: string): JsonObject {
  return compact({
    object: 'list',
    data: entries.map((entry) => encodeModel(entry, provider)),
    total_count: entries.length,
    provider,
  });
}

/** Writes one model: `{ id, object: 'model', created, owned_by }`. */
export function encodeModel(entry: ModelEntry, provider?: string): JsonObject {
  return {
    id: entry.id,
    object: 'model',
    created: entry.created ?? 0,
    owned_by: entry.ownedBy ?? provider ?? 'unknown',
  };
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
    created: asNumber(model.created) ?? unixSeconds(model.created_at ?? model.createTime),
    ownedBy: asString(model.owned_by),
  });
}
