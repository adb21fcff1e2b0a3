import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createGateway } from '../../core/gateway.ts';
import { asObject, asString, type JsonObject, parseJson } from '../json.ts';
import { caseNames, type FixtureCall, type FixtureCase, readCase } from './fixtures.ts';
import { type ClientReply, compareReply, compareRequests, type ExplainedUrls } from './provider-comparison.ts';
import { type RecordedServer, startRecordedServer } from './recorded-server.ts';
import { countingIds, silentLog, testConfig, testTimeMs } from './test-gateway.ts';
import { encodeBody, fieldsOf } from './wire-body.ts';

const builtInProviders = fileURLToPath(new URL('../../providers', import.meta.url));

/**
 * Registers node:test tests for every case in the `fixtures` folder of a provider. Each case goes through a whole gateway
 * to a server that replays the recorded answers in their order; streams are replayed in one piece and cut at every kind of
 * place. The request's id ends in `...0001`, and names made for the reply count from there again; the clock stands at
 * 2026-01-01T00:00:00Z.
 *
 * A case is `NAME.call.json` (what the client sends: `path`, `settings`, `body` or `form`), `NAME.request.json` (what must
 * reach the provider: `method`, `url`, `headers`, `body`, `form`, `text` or `base64`; a list where it is called more than
 * once), `NAME.upstream.json` (what it answers: `status`, `headers`, `body`, `text` or `base64`; a list for a list) or
 * `NAME.stream.txt`, and `NAME.reply.json` (what the client gets: `status`, `body`, or `text` or `base64` with `type`) or
 * `NAME.deltas.json`. Forms are equal when their parts are: name and value, or name, file name, type and bytes; parts of
 * different names may change places. `url` is always the real one: the recorded server stands for every host.
 * @param folder the folder that holds plugin.json
 * @throws Error when the folder has no cases, or one that lacks a file
 */
export function testProvider(folder: URL | string): void {
  const path = resolve(typeof folder === 'string' ? folder : fileURLToPath(folder));
  const fixtures = join(path, 'fixtures');
  describe(`provider ${basename(path)}`, () => {
    const names = caseNames(fixtures);
    const stages = new Stages(path, fixtures, names);
    after(() => stages.close());
    it('has fixtures', () => assert.notEqual(names.length, 0, `${fixtures} holds no cases.`));
    for (const name of names) {
      it(`${name}: asks and answers as recorded`, () => stages.run(readCase(fixtures, name), undefined));
      if (!existsSync(join(fixtures, `${name}.deltas.json`))) continue;
      for (const seed of [1, 2]) {
        it(`${name}: gives the same events when the stream is cut elsewhere (seed ${seed})`, () =>
          stages.run(readCase(fixtures, name), chunkSizes(seed)));
      }
    }
  });
}

/** A gateway before a server that plays a provider's answers, for all cases with the same settings. */
interface Stage {
  readonly gateway: Gateway;
  readonly url: string;
  readonly server: RecordedServer;
  readonly ids: ReturnType<typeof countingIds>;
}

class Stages {
  readonly #folder: string;
  readonly #fixtures: string;
  readonly #names: readonly string[];
  readonly #stages = new Map<string, Promise<Stage>>();

  constructor(folder: string, fixtures: string, names: readonly string[]) {
    this.#folder = folder;
    this.#fixtures = fixtures;
    this.#names = names;
  }

  async run(fixture: FixtureCase, chunkSizes: readonly number[] | undefined): Promise<void> {
    const { gateway, url, server, ids } = await this.#stageOf(fixture);
    let asked = false;
    server.replay(fixture.answers, {
      onRequest: () => {
        // The names of the request itself are none of the fixture's business.
        if (!asked) ids.restart();
        asked = true;
      },
      ...(chunkSizes === undefined ? {} : { chunkSizes }),
    });
    const explained = await explainedUrls(gateway, fixture, server.url);
    ids.restart();
    const reply = await send(url, fixture.call);
    await compareRequests(fixture, server.requests, explained, reply);
    await compareReply(fixture, reply);
  }

  async close(): Promise<void> {
    for (const starting of this.#stages.values()) {
      const stage = await starting.catch(() => undefined);
      await stage?.gateway.close();
      await stage?.server.close();
    }
  }

  #stageOf({ call }: FixtureCase): Promise<Stage> {
    const key = JSON.stringify(call.settings);
    const stage = this.#stages.get(key) ?? this.#start(call.settings);
    this.#stages.set(key, stage);
    return stage;
  }

  async #start(settings: JsonObject): Promise<Stage> {
    const ids = countingIds();
    const server = await startRecordedServer([]);
    const target = { ...settings, provider: providerOf(this.#folder) };
    const configs = { published: target, recorded: { ...target, custom_host: server.url } };
    const folders = dirname(this.#folder) === builtInProviders ? [] : [this.#folder];
    try {
      const gateway = await createGateway(testConfig(configs, 'recorded', folders, this.#hosts()), {
        now: () => testTimeMs,
        newId: ids.newId,
        random: () => 0,
        log: silentLog,
        env: () => undefined,
      });
      const { url } = await gateway.listen();
      return { gateway, url, server, ids };
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Every host that a case names, for the guard to let pass. */
  #hosts(): readonly string[] {
    const urls = this.#names.flatMap((name) => {
      try {
        return readCase(this.#fixtures, name).requests.map(({ url }) => new URL(url).hostname);
      } catch {
        // A case at fault fails its own test.
        return [];
      }
    });
    return [...new Set(urls)];
  }
}

type Gateway = Awaited<ReturnType<typeof createGateway>>;

async function explainedUrls(gateway: Gateway, fixture: FixtureCase, server: string): Promise<ExplainedUrls> {
  const published = await explainedUrl(gateway, fixture, 'published');
  const recorded = await explainedUrl(gateway, fixture, 'recorded');
  return { published, path: recorded.slice(server.length) };
}

async function explainedUrl(gateway: Gateway, { call, files }: FixtureCase, config: string): Promise<string> {
  const { method, path, headers } = call;
  const body = jsonBody(call);
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

/** The body as the gateway reads it; of a form its fields. */
function jsonBody({ body }: FixtureCall): JsonObject | undefined {
  if (body?.kind === 'form') return fieldsOf(body.parts);
  return body?.kind === 'json' ? asObject(body.json) : undefined;
}

async function send(url: string, { method, path, headers, body, type }: FixtureCall): Promise<ClientReply> {
  const wire = body === undefined ? undefined : encodeBody(body, type);
  const reply = await fetch(url + path, {
    method,
    headers: {
      'x-gw-config': 'recorded',
      ...(wire === undefined ? {} : { 'content-type': wire.contentType }),
      ...headers,
    },
    ...(wire === undefined ? {} : { body: Buffer.from(wire.bytes) }),
    signal: AbortSignal.timeout(15_000),
  });
  return {
    status: reply.status,
    contentType: reply.headers.get('content-type') ?? '',
    bytes: Buffer.from(await reply.arrayBuffer()),
  };
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
