import { asNumber, asString, GatewayError, type JsonObject } from 'portcullis/sdk';
import type { Api } from './api.ts';
import type { CollectionPath, Collections } from './collections.ts';
import { type Content, contentOfRecord, type Kind, kinds } from './content.ts';

/** A prompt or partial of the gateway. */
export interface GatewayRecord {
  readonly kind: Kind;
  readonly slug: string;
  readonly name: string;
  readonly collection: CollectionPath;
}

export interface Version {
  readonly number: number;
  /** Partials in it have the gateway's slugs. */
  readonly content: Content;
}

/** Routes by kind, and the member that tells a version's number. */
const routes = {
  prompts: { path: '/prompts', number: 'prompt_version' },
  partials: { path: '/prompts/partials', number: 'version' },
} as const satisfies Readonly<Record<Kind, object>>;

export function pathOfKind(kind: Kind): string {
  return routes[kind].path;
}

export function pathOfRecord({ kind, slug }: Pick<GatewayRecord, 'kind' | 'slug'>): string {
  return `${routes[kind].path}/${encodeURIComponent(slug)}`;
}

/**
 * All that live in the workspace: partials, then prompts.
 * @throws GatewayError when they are of several workspaces, whose names would mix
 */
export async function recordsOf(api: Api, collections: Collections): Promise<readonly GatewayRecord[]> {
  const found: GatewayRecord[] = [];
  const workspaces = new Set<unknown>();
  for (const kind of kinds) {
    for (const item of await api.list(routes[kind].path)) {
      if (item.status === 'archived') continue;
      found.push(recordOf(kind, item, collections));
      workspaces.add(item.workspace_id);
    }
  }
  if (workspaces.size < 2) return found;
  const text = `The key sees ${workspaces.size} workspaces: say by --workspace which one the folder is for.`;
  throw new GatewayError('bad_request', text, { param: 'workspace' });
}

function recordOf(kind: Kind, item: JsonObject, collections: Collections): GatewayRecord {
  const { slug, name, collection_id } = item;
  if (typeof slug !== 'string' || slug === '' || typeof name !== 'string')
    throw new GatewayError('upstream_invalid', `The gateway lists something without slug or name among the ${kind}.`);
  return { kind, slug, name, collection: collections.pathOf(asString(collection_id) ?? '') };
}

/** The version that was made last, published or not. */
export async function latestVersion(api: Api, record: GatewayRecord, collections: Collections): Promise<Version> {
  const shown = await api.get(pathOfRecord(record), { version: 'latest' });
  const collection = collections.pathOf(asString(shown.collection_id) ?? '');
  return { number: numberIn(record, shown), content: contentOfRecord(record.kind, shown, collection) };
}

export async function publishedNumber(api: Api, record: Pick<GatewayRecord, 'kind' | 'slug'>): Promise<number> {
  return numberIn(record, await api.get(pathOfRecord(record)));
}

function numberIn({ kind, slug }: Pick<GatewayRecord, 'kind' | 'slug'>, shown: JsonObject): number {
  const number = asNumber(shown[routes[kind].number]);
  if (number !== undefined) return number;
  throw new GatewayError('upstream_invalid', `The gateway does not tell the version's number of ${kind}/${slug}.`);
}
