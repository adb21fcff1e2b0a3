import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  asObject,
  dialects,
  type Endpoint,
  type EndpointSpec,
  type FlowTools,
  type FormFile,
  GatewayError,
  type Json,
  type JsonObject,
  type Provider,
  type ReplyFacts,
} from 'portcullis/sdk';

const folder = new URL('../../../providers/', import.meta.url);
const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** Replies that each endpoint of each provider is given. */
const runs = Number(process.env.ODD_REPLIES ?? 300);

/** A number that differs from call to call and not from run to run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const odd: readonly Json[] = [null, 0, -1.5, '', 'text', true, [], {}, [null], [[]], [{}], { id: null }, ['text', 7]];

/** The same but for one place, which holds what no document says. */
function spoilt(json: Json, pick: (below: number) => number): Json {
  if (typeof json !== 'object' || json === null || pick(4) === 0) return odd[pick(odd.length)] ?? null;
  const keys = Object.keys(json);
  const key = keys[pick(keys.length)];
  if (key === undefined) return odd[pick(odd.length)] ?? null;
  const changed = spoilt((json as Record<string, Json>)[key] ?? null, pick);
  if (Array.isArray(json)) return json.map((item: Json, index) => (String(index) === key ? changed : item));
  return { ...json, [key]: changed };
}

interface Recorded {
  readonly settings: JsonObject;
  readonly bodies: readonly Json[];
  readonly asked: readonly JsonObject[];
}

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const parsed = (url: URL) => JSON.parse(readFileSync(url, 'utf8')) as JsonObject | JsonObject[];

function recordedOf(name: string): Recorded {
  const fixtures = new URL(`${name}/fixtures/`, folder);
  const files = readdirSync(fixtures);
  const read = (ending: string) =>
    files.filter((file) => file.endsWith(ending)).map((file) => parsed(new URL(file, fixtures)));
  const calls = read('.call.json').map((call) => asObject(call) ?? {});
  const settings = Object.assign({}, ...calls.map((call) => asObject(call.settings) ?? {})) as JsonObject;
  return {
    settings: Object.fromEntries(Object.entries(settings).map(([key, value]) => [camel(key), value] as const)),
    bodies: read('.upstream.json')
      .flatMap((answers): readonly JsonObject[] => (Array.isArray(answers) ? answers : [answers]))
      .flatMap((answer) => (answer.body === undefined ? [] : [answer.body])),
    asked: [{}, ...calls.flatMap((call): readonly JsonObject[] => [asObject(call.body) ?? {}])],
  };
}

const file: FormFile = {
  field: 'file',
  filename: 'a.jsonl',
  contentType: 'application/jsonl',
  size: 3,
  async *open() {
    yield Buffer.from('{}\n');
  },
};

class Patience extends Error {}

function toolsOf(answer: () => Json, pick: (below: number) => number): FlowTools {
  let calls = 0;
  const head = () => {
    calls += 1;
    if (calls > 20) throw new Patience();
    return { status: 200, headers: { 'content-type': 'application/json' } };
  };
  const bytes = (json: Json) => Buffer.from(pick(8) === 0 ? '[{"text' : JSON.stringify(json));
  return {
    send: async () => {
      const json = answer();
      return { ...head(), bytes: bytes(json), json: asObject(json) ?? {} };
    },
    open: async () => ({
      ...head(),
      body: (async function* () {
        yield bytes(answer());
        yield Buffer.from('\n');
      })(),
    }),
    pause: async () => {
      calls += 1;
      if (calls > 20) throw new Patience();
    },
    nowSeconds: () => 1,
    newId: (prefix) => `${prefix}1`,
  };
}

/** Whatever a unit makes of a reply, it may throw errors of the gateway alone. */
async function hold(where: string, made: () => unknown): Promise<string | undefined> {
  try {
    await made();
    return undefined;
  } catch (error) {
    if (GatewayError.is(error) || error instanceof Patience) return undefined;
    return `${where}: ${error instanceof Error ? error.stack?.split('\n').slice(0, 3).join(' ') : String(error)}`;
  }
}

async function tryEndpoint(
  name: string,
  endpoint: Endpoint,
  spec: EndpointSpec,
  recorded: Recorded,
): Promise<string[]> {
  const { settings, bodies, asked } = recorded;
  const pick = seeded(name.length * 977 + endpoint.length);
  const faults = new Set<string>();
  for (let run = 0; run < runs && bodies.length > 0; run += 1) {
    const answer = () => spoilt(bodies[pick(bodies.length)] ?? null, pick);
    const facts = {
      settings,
      endpoint,
      model: ['m', 'a/b', ''][pick(3)] ?? '',
      stream: false,
      params: { id: 'x' },
      query: {},
    };
    const body = asked[pick(asked.length)] ?? {};
    const reply: ReplyFacts = { facts, asked: body, headers: {}, nowSeconds: () => 1, newId: (prefix) => prefix };
    const json = answer();
    const object = asObject(json);
    const where = `${name} ${endpoint}`;
    const made = [
      object && spec.repair && (() => spec.repair?.(object, reply)),
      Array.isArray(json) && spec.repairList && (() => spec.repairList?.(json, reply)),
      object && spec.unwrap && (() => spec.unwrap?.(object, reply)),
      spec.wrap && (() => spec.wrap?.({ contentType: 'text/odd', bytes: Buffer.from(JSON.stringify(json)) }, reply)),
      spec.flow &&
        (async () => {
          const result = await spec.flow?.({ facts, body, files: [file] }, toolsOf(answer, pick));
          if (result !== undefined && 'body' in result && !(result.body instanceof Uint8Array)) {
            for await (const _ of result.body);
          }
        }),
    ];
    for (const call of made) {
      const fault = typeof call === 'function' ? await hold(where, call) : undefined;
      if (fault !== undefined) faults.add(fault);
    }
  }
  return [...faults];
}

describe('replies that no document knows', () => {
  for (const { name } of names.filter((entry) => entry.name !== 'echo'))
    it(`are no surprise to ${name}`, async () => {
      const { default: definition } = (await import(new URL(`${name}/index.ts`, folder).href)) as { default: Provider };
      const recorded = recordedOf(name);
      const groups = [definition.endpoints, ...(definition.families ?? []).map((family) => family.endpoints)];
      const faults: string[] = [];
      for (const group of groups)
        for (const [endpoint, spec] of Object.entries(group))
          faults.push(...(await tryEndpoint(name, endpoint as Endpoint, spec, recorded)));
      assert.deepEqual(faults, []);
    });
});

describe('a document dialect', () => {
  const documents = Object.values(dialects).filter((dialect) => dialect.kind === 'document');
  const bodies: readonly JsonObject[] = [
    {
      usage: {
        input_tokens: 1,
        output_tokens: 2,
        input_tokens_details: { image_tokens: 1, text_tokens: 0 },
        total_tokens: 3,
      },
    },
    { usage: { type: 'duration', seconds: 3 }, duration: 2.5, text: 'x', segments: [{ end: 1 }] },
    { usage_info: { pages_processed: 1 }, pages: [{ index: 0 }], data: [{ b64_json: 'x' }], results: [{ index: 0 }] },
    {
      meta: { billed_units: { search_units: 1 } },
      error: { message: 'x', type: 'y', code: 1 },
      usage: { search_units: 1 },
    },
    { model: 'm', input: ['a'], prompt: 'p', n: 2, size: '1024x1024', quality: 'hd', documents: ['a', { text: 'b' }] },
  ];
  for (const dialect of documents)
    it(`${dialect.name} counts and judges whatever came`, () => {
      const pick = seeded(dialect.name.length);
      const one = () => asObject(spoilt(bodies[pick(bodies.length)] ?? null, pick)) ?? {};
      for (let run = 0; run < 2000; run += 1) {
        const [json, asked] = [one(), one()];
        const told = JSON.stringify([json, asked]);
        assert.doesNotThrow(() => dialect.usageIn(json, asked), told);
        assert.doesNotThrow(() => dialect.faultOf(json, 400), told);
      }
    });
});
