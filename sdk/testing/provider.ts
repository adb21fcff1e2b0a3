import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createGateway } from '../../core/gateway.ts';
import { createFramer } from '../framing/framing.ts';
import { asObject, asString, type Json, type JsonObject, parseJson } from '../json.ts';
import { caseNames, type FixtureCall, type FixtureCase, type FixtureEvent, readCase } from './fixtures.ts';
import { type RecordedRequest, startRecordedServer } from './recorded-server.ts';
import { countingIds, silentLog, testConfig, testTimeMs } from './test-gateway.ts';

const builtInProviders = fileURLToPath(new URL('../../providers', import.meta.url));

/**
 * Registers node:test tests for every case in the `fixtures` folder of a provider. Each case goes through a whole gateway
 * to a server that replays the recorded answer; streams are replayed in one piece and cut at every kind of place.
 * The request's id ends in `...0001`, and names made for the reply count from there again; the clock stands at
 * 2026-01-01T00:00:00Z.
 * @param folder the folder that holds plugin.json
 * @throws Error when the folder has no cases, or one that lacks a file
 */
export function testProvider(folder: URL | string): void {
  const path = resolve(typeof folder === 'string' ? folder : fileURLToPath(folder));
  const fixtures = join(path, 'fixtures');
  describe(`provider ${basename(path)}`, () => {
    const names = caseNames(fixtures);
    it('has fixtures', () => assert.notEqual(names.length, 0, `${fixtures} holds no cases.`));
    for (const name of names) {
      it(`${name}: asks and answers as recorded`, () => runCase(path, readCase(fixtures, name), undefined));
      if (!existsSync(join(fixtures, `${name}.stream.txt`))) continue;
      for (const seed of [1, 2]) {
        it(`${name}: gives the same events when the stream is cut elsewhere (seed ${seed})`, () =>
          runCase(path, readCase(fixtures, name), chunkSizes(seed)));
      }
    }
  });
}

async function runCase(folder: string, fixture: FixtureCase, sizes: readonly number[] | undefined): Promise<void> {
  const ids = countingIds();
  const server = await startRecordedServer(fixture.answer, {
    // The names of the request itself are none of the fixture's business.
    onRequest: ids.restart,
    ...(sizes === undefined ? {} : { chunkSizes: sizes }),
  });
  const target = { ...fixture.call.settings, provider: providerOf(folder) };
  const configs = { published: target, recorded: { ...target, custom_host: server.url } };
  const folders = dirname(folder) === builtInProviders ? [] : [folder];
  try {
    const gateway = await createGateway(
      testConfig(configs, 'recorded', folders, [new URL(fixture.request.url).hostname]),
      {
        now: () => testTimeMs,
        newId: ids.newId,
        random: () => 0,
        log: silentLog,
        env: () => undefined,
      },
    );
    try {
      const published = await explainedUrl(gateway, fixture, 'published');
      const recorded = await explainedUrl(gateway, fixture, 'recorded');
      const { url } = await gateway.listen();
      ids.restart();
      const reply = await send(url, fixture.call);
      const [request] = server.requests;
      if (request === undefined)
        throw new Error(
          `${fixture.files.request}: nothing was sent. The gateway answered ${reply.status}: ${reply.text}`,
        );
      compareRequest(fixture, request, published, recorded.slice(server.url.length));
      compareReply(fixture, reply);
    } finally {
      await gateway.close();
    }
  } finally {
    await server.close();
  }
}

type Gateway = Awaited<ReturnType<typeof createGateway>>;

async function explainedUrl(gateway: Gateway, { call, files }: FixtureCase, config: string): Promise<string> {
  const { method, path, headers, body } = call;
  const report = await gateway.explain({
    method,
    path,
    headers: { 'x-gw-config': config, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const [target] = report.targets;
  const error = report.error ?? target?.error;
  if (error !== undefined)
    throw new Error(`${files.request}: the gateway refuses the call: ${error.code}: ${error.message}`);
  return target?.url ?? '';
}

interface ClientReply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function send(url: string, { method, path, headers, body }: FixtureCall): Promise<ClientReply> {
  const reply = await fetch(url + path, {
    method,
    headers: {
      'x-gw-config': 'recorded',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(15_000),
  });
  return { status: reply.status, type: reply.headers.get('content-type') ?? '', text: await reply.text() };
}

function compareRequest(
  { request, files }: FixtureCase,
  actual: RecordedRequest,
  published: string,
  pathBelow: string,
): void {
  const asked = Object.keys(request.headers).map((name) => [name, actual.headers[name]]);
  same(
    files.request,
    'the request to the provider',
    {
      method: actual.method,
      url: published,
      path: actual.path,
      headers: Object.fromEntries(asked),
      body: jsonOrText(actual.body),
    },
    {
      method: request.method,
      url: request.url,
      path: pathBelow,
      headers: request.headers,
      body: request.body,
    },
  );
}

function compareReply({ reply, files }: FixtureCase, actual: ClientReply): void {
  if (reply.kind === 'whole') {
    same(
      files.reply,
      'the reply to the client',
      { status: actual.status, body: jsonOrText(actual.text) },
      { status: reply.status, body: reply.body },
    );
    return;
  }
  if (!actual.type.startsWith('text/event-stream'))
    throw new Error(`${files.reply}: no stream came, but ${actual.status}: ${actual.text}`);
  same(files.reply, 'the events to the client', eventsIn(actual.text), reply.events);
}

function eventsIn(text: string): readonly FixtureEvent[] {
  const framer = createFramer('sse');
  return [...framer.push(Buffer.from(text)), ...framer.end()].map(({ event, data }) => ({
    ...(event === undefined ? {} : { event }),
    data: jsonOrText(data) ?? '',
  }));
}

function jsonOrText(text: string): Json | undefined {
  return text === '' ? undefined : (parseJson(text) ?? text);
}

function same(file: string, what: string, actual: unknown, expected: unknown): void {
  try {
    assert.deepEqual(actual, expected);
  } catch (error) {
    const diff = error instanceof Error ? error.message : '';
    throw new Error(
      `${file}: ${what} differs (+ came, - recorded).\n${diff}\nCame:\n${JSON.stringify(actual, null, 1)}`,
      { cause: error },
    );
  }
}

function providerOf(folder: string): string {
  const file = join(folder, 'plugin.json');
  const manifest: JsonObject | undefined = asObject(parseJson(readFileSync(file, 'utf8')));
  const [major] = (asString(manifest?.version) ?? '').split('.');
  return `${asString(manifest?.name) ?? basename(folder)}@${major}`;
}

/** Sizes from 1 to 64 bytes, always the same for a seed (xorshift32). */
function chunkSizes(seed: number): readonly number[] {
  let state = seed * 0x9e3779b9;
  return Array.from({ length: 101 }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return 1 + ((state >>> 0) % 64);
  });
}
