import { basename, join } from 'node:path';
import type { Json, JsonObject } from 'portcullis/sdk';
import { caseNames, type FixtureCase, readCase } from 'portcullis/sdk/testing';
import { type InferenceRoute, inferenceRoutes, otherRoute } from '../../../core/http/inference.ts';
import { loadUnits } from '../../../core/loader/load.ts';
import type { ProviderEntry } from '../../../core/loader/providers.ts';

/** One recorded conversation of a provider, with the route that its client takes. */
export interface MatrixCase {
  /** `provider: name`, for messages. */
  readonly title: string;
  readonly entry: ProviderEntry;
  readonly fixture: FixtureCase;
  readonly route: InferenceRoute;
  /** Of the client's path. */
  readonly params: Readonly<Record<string, string>>;
  /** With its question mark; '' where there is none. */
  readonly query: string;
}

/** The providers whose answers are recorded: all that are reached over a network. */
export const entries = (await loadUnits({ pluginFolders: [], signingKeys: [] })).providers.units.filter(
  ({ definition }) => definition.serve === undefined,
);

export const cases: readonly MatrixCase[] = entries.flatMap((entry) => {
  const fixtures = join(entry.folder, 'fixtures');
  return caseNames(fixtures).map((name) => caseOf(entry, readCase(fixtures, name)));
});

function caseOf(entry: ProviderEntry, fixture: FixtureCase): MatrixCase {
  const { method, path } = fixture.call;
  const [pathname = '', query] = path.split('?');
  return {
    title: `${basename(entry.folder)}: ${fixture.name}`,
    entry,
    fixture,
    ...routed(method, pathname),
    query: query === undefined ? '' : `?${query}`,
  };
}

function routed(method: string, pathname: string): Pick<MatrixCase, 'route' | 'params'> {
  for (const route of inferenceRoutes) {
    if (route.method !== 'all' && route.method !== method.toLowerCase()) continue;
    const params = paramsOf(route.path, pathname);
    if (params !== undefined) return { route, params };
  }
  return { route: otherRoute, params: { path: pathname.slice('/v1/'.length) } };
}

function paramsOf(pattern: string, pathname: string): Readonly<Record<string, string>> | undefined {
  const source = pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)').replace(/\/\*(\w+)/g, '/(?<$1>.+)');
  const found = new RegExp(`^${source}$`).exec(pathname)?.groups;
  if (found === undefined) return new RegExp(`^${source}$`).test(pathname) ? {} : undefined;
  const { rest, path, ...named } = found;
  return {
    ...Object.fromEntries(Object.entries(named).map(([name, value]) => [name, decodeURIComponent(value)])),
    ...(rest === undefined ? {} : { rest: `/${rest}` }),
    ...(path === undefined ? {} : { path }),
  };
}

/** What the client gets by the recording, as JSON; undefined for streams and bytes. */
export function recordedReply({ fixture: { reply } }: MatrixCase): { status: number; json: Json } | undefined {
  if (reply.kind === 'stream' || reply.body.kind !== 'json') return undefined;
  return { status: reply.status, json: reply.body.json };
}

export function isSuccess({ fixture: { reply } }: MatrixCase): boolean {
  if (reply.kind === 'whole') return reply.status < 300;
  return !reply.events.some(({ event, data }) => event === 'error' || isFault(data));
}

function isFault(data: Json): boolean {
  const event = typeof data === 'object' && data !== null ? (data as JsonObject) : {};
  return (event.error !== undefined && event.error !== null) || event.type === 'response.failed';
}

export function isStreamed({ fixture }: MatrixCase): boolean {
  return fixture.reply.kind === 'stream';
}
