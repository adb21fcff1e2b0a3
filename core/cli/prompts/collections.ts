import { asString, type JsonObject } from 'portcullis/sdk';
import type { Api } from './api.ts';

/** Names from the top; undefined: the workspace's default collection, whatever it is called there. */
export type CollectionPath = readonly string[] | undefined;

/** The collections of a workspace by their paths. Of several with the same path it knows the first. */
export interface Collections {
  pathOf(id: string): CollectionPath;
  idOf(path: CollectionPath): string | undefined;
}

export async function collectionsOf(api: Api): Promise<Collections> {
  const items = await api.list('/collections');
  const byId = new Map(items.map((item) => [asString(item.id) ?? '', item]));
  const standard = items.find(({ is_default }) => is_default === 1 || is_default === true);
  const standardId = asString(standard?.id);
  const ids = new Map<string, string>();
  for (const id of byId.keys()) {
    const key = JSON.stringify(namesOf(byId, id));
    if (!ids.has(key)) ids.set(key, id);
  }
  return {
    pathOf: (id) => (id === standardId || !byId.has(id) ? undefined : namesOf(byId, id)),
    idOf: (path) => (path === undefined ? standardId : ids.get(JSON.stringify(path))),
  };
}

function namesOf(byId: ReadonlyMap<string, JsonObject>, id: string): readonly string[] {
  const names: string[] = [];
  const seen = new Set<string>();
  let at: string | undefined = id;
  while (at !== undefined && !seen.has(at)) {
    seen.add(at);
    const item = byId.get(at);
    if (item === undefined) break;
    names.unshift(asString(item.name) ?? '');
    at = asString(item.parent_collection_id);
  }
  return names;
}

/**
 * Gives ids of collections, and makes those that are missing, the outer ones first.
 * @param made is told of each
 */
export function collectionMaker(
  api: Api,
  known: Collections,
  made: (path: readonly string[]) => void,
): (path: CollectionPath) => Promise<string | undefined> {
  const fresh = new Map<string, string>();
  const idOf = async (path: CollectionPath): Promise<string | undefined> => {
    const key = JSON.stringify(path ?? []);
    const there = known.idOf(path) ?? fresh.get(key);
    if (there !== undefined || path === undefined) return there;
    const parent = path.length > 1 ? await idOf(path.slice(0, -1)) : undefined;
    const { id } = await api.create('/collections', {
      name: path.at(-1) ?? '',
      ...(parent === undefined ? {} : { parent_collection_id: parent }),
    });
    fresh.set(key, String(id));
    made(path);
    return String(id);
  };
  return idOf;
}
