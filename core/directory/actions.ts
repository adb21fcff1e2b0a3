import {
  type Action,
  type DirectoryKind,
  directoryKinds,
  GatewayError,
  type Json,
  RawReply,
  schema,
} from 'portcullis/sdk';
import { isPlausible, lengthFault } from './paths.ts';
import type { DirectorySource } from './source.ts';
import { entryBody, keysBody, pathOf, servicePaths, versionsBody } from './wire.ts';

export interface ServingParts {
  /** The store itself, never a directory: a copy that is stale here would be taken for a fresh one there. */
  readonly source: Pick<DirectorySource, 'load' | 'versions'>;
  readonly checksumKey: () => string;
}

const common = { method: 'get', needs: 'service', hidden: true, audited: false } as const;
const longestPath = 4_096;

/** The routes that gateways without a control plane of their own read. Replies hold credentials. */
export function directoryActions({ source, checksumKey }: ServingParts): readonly Action[] {
  return [
    {
      ...common,
      path: servicePaths.entry,
      summary: 'One record as gateways need it.',
      query: schema.Object({ path: schema.String({ minLength: 1, maxLength: longestPath }) }),
      run: async ({ params, query }) => {
        const kind = directoryKinds.find((name) => name === params.kind);
        if (kind === undefined) throw new GatewayError('bad_request', 'There is no such kind.', { param: 'kind' });
        const entry = await entryOf(source, kind, query.path ?? '');
        return entry === undefined ? json(404, entryBody(null)) : json(200, entryBody(entry as Json));
      },
    },
    {
      ...common,
      path: servicePaths.versions,
      summary: 'Which organisations have changed since a cursor.',
      query: schema.Object({ since: schema.String({ pattern: '^[0-9]{1,16}$' }) }),
      run: async ({ query }) =>
        json(200, versionsBody(await source.versions(Number(query.since), new AbortController().signal))),
    },
    {
      ...common,
      path: servicePaths.keys,
      summary: 'What gateways tell issued keys from invented ones with.',
      run: () => json(200, keysBody(checksumKey())),
    },
  ];
}

async function entryOf(source: ServingParts['source'], kind: DirectoryKind, text: string): Promise<unknown> {
  const path = pathOf(text);
  if (path === undefined) {
    throw new GatewayError('bad_request', 'A path has percent-encoded parts with slashes between.', { param: 'path' });
  }
  const fault = lengthFault(kind, path);
  if (fault !== undefined) throw new GatewayError('bad_request', fault, { param: 'path' });
  if (!isPlausible(kind, path)) return undefined;
  return (await source.load(kind, path, new AbortController().signal)).entry;
}

/** Not for any cache on the way. */
function json(status: number, body: Json): RawReply {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return new RawReply(status, headers, JSON.stringify(body));
}
