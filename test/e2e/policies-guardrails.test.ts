import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import type { Reply } from '../support/gateway.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { nameOf, type RouteCall, word } from './route-call.ts';
import { routeCalls, routeOf, routesOfGateway } from './route-calls.ts';
import { denying, errorIn, type RouteWorld, routeWorld, sharedWorld } from './route-world.ts';

noUnhandledRejections();

const isServed = (status: number) => status === 101 || (status >= 200 && status < 300);
const started = sharedWorld();

describe('each route', () => {
  it('has a call that is held against every policy', () => {
    const called = new Set(routeCalls.map((call) => routeOf(call) ?? nameOf(call)));
    assert.deepEqual(
      routesOfGateway().filter((route) => !called.has(route)),
      [],
    );
  });

  it('is served where no policy is against it', async () => {
    const world = await started();
    const key = await world.key();
    const faults: string[] = [];
    for (const call of routeCalls) {
      const before = world.count();
      const { status, text } = await world.send(call, key);
      if (!isServed(status) || world.count() === before)
        faults.push(`${nameOf(call)}: ${status} ${text.slice(0, 200)}`);
    }
    assert.deepEqual(faults, []);
  });
});

/** What is wrong with the answer to a call, where a guardrail denies the word in requests. */
async function faultOf(world: RouteWorld, call: RouteCall, key: string, headers?: Record<string, string>) {
  const before = world.count();
  const reply = await world.send(call, key, headers);
  const name = `${nameOf(call)}: ${reply.status} ${reply.text.slice(0, 200)}`;
  if (call.finds === 'nothing') return isServed(reply.status) && world.count() > before ? [] : [name];
  if (reply.status !== 446 || world.count() !== before) return [name];
  try {
    const { type } = errorIn(call, reply);
    return type === 'hooks_failed' ? [] : [`${name}: ${type}`];
  } catch (error) {
    return [`${name}: ${(error as Error).message}`];
  }
}

async function faults(world: RouteWorld, key: string, headersOf?: (call: RouteCall) => Record<string, string>) {
  const found: string[] = [];
  for (const call of routeCalls) found.push(...(await faultOf(world, call, key, headersOf?.(call))));
  return found;
}

describe('a guardrail of requests denies the word on every route, and what it cannot read,', () => {
  it('as a default of the workspace', async (t) => {
    const world = await routeWorld(t);
    const defaults = { input_guardrails: [await denying(world)] };
    await world.control.ok('PUT', `/v1/workspaces/${world.own}`, { body: { defaults } });
    assert.deepEqual(await faults(world, await world.key()), []);
  });

  it('in a config of the request', async () => {
    const world = await started();
    const guardrail = await denying(world);
    const found = await faults(world, await world.key(), ({ provider }) => ({
      'x-gw-config': JSON.stringify({ provider: `@${provider}`, input_guardrails: [guardrail] }),
    }));
    assert.deepEqual(found, []);
  });
});

/** Streams, whose text may have left before it is judged, are tested apart, and so are files; sessions have no one reply. */
const isStream = ({ path, json }: RouteCall) => json?.stream === true || path.includes(':stream');
const calls = routeCalls.filter(
  (call) => call.method !== 'UPGRADE' && !isStream(call) && !/\/(content|output)$/.test(call.path),
);
const headersFor = (call: RouteCall, config: JsonObject) => ({
  'x-gw-config': JSON.stringify({ provider: `@${call.provider}`, ...config }),
});

/** The calls in whose replies the word comes to the client where nothing looks at them. */
async function saying(world: RouteWorld, key: string): Promise<readonly RouteCall[]> {
  world.upstream.says(`I play the ${word}.`);
  const found: RouteCall[] = [];
  for (const call of calls) {
    const reply = await world.send(call, key);
    assert.ok(isServed(reply.status), `${nameOf(call)}: ${reply.text}`);
    if (reply.text.includes(word)) found.push(call);
  }
  return found;
}

function replyFault(call: RouteCall, reply: Reply, isFine: boolean): readonly string[] {
  return isFine ? [] : [`${nameOf(call)}: ${reply.status} ${reply.text.slice(0, 300)}`];
}

const passesUnread = ({ path, method }: RouteCall) =>
  /^\/v1\/(proxy|things|messages\/batches)/.test(path) || (method === 'DELETE' && path.startsWith('/v1/models'));

describe('a guardrail of replies', () => {
  it('denies the word, and what it cannot read, wherever a reply has texts', async () => {
    const world = await started();
    const key = await world.key();
    const guardrail = await denying(world);
    const said = await saying(world, key);
    assert.ok(said.length > 45, `${said.length}`);
    const faults: string[] = [];
    for (const call of calls) {
      const reply = await world.send(call, key, headersFor(call, { output_guardrails: [guardrail] }));
      if (!said.includes(call)) {
        if (!passesUnread(call)) faults.push(...replyFault(call, reply, isServed(reply.status)));
        continue;
      }
      const isDenied = reply.status === 446 && !reply.text.replace(/"hook_results".*/s, '').includes(word);
      faults.push(...replyFault(call, reply, isDenied));
      if (isDenied) assert.equal(errorIn(call, reply).type, 'hooks_failed');
    }
    assert.deepEqual(faults, []);
  });

  it('masks the word wherever a reply has texts that can be read', async () => {
    const world = await started();
    const key = await world.key();
    const mask = { 'default.regexReplace': { rule: 'xylo.hone', redactText: 'lute' } };
    const faults: string[] = [];
    for (const call of await saying(world, key)) {
      if (passesUnread(call)) continue;
      const reply = await world.send(call, key, headersFor(call, { output_mutators: [mask] }));
      const { hook_results: _, ...body } = reply.json;
      const text = JSON.stringify(body);
      faults.push(...replyFault(call, reply, reply.status === 200 && !text.includes(word) && text.includes('lute')));
    }
    assert.deepEqual(faults, []);
  });

  it('looks at each form of a transcript', async () => {
    const world = await started();
    const key = await world.key();
    const output = { output_guardrails: [await denying(world)] };
    const call = calls.find(({ path }) => path === '/v1/audio/transcriptions') ?? assert.fail();
    const end = '/audio/transcriptions';
    const verbose = { task: 'transcribe', language: 'english', duration: 1, text: 'Hi.' };
    const forms: readonly (readonly [JsonObject | string, string?])[] = [
      [{ ...verbose, segments: [{ id: 0, text: word }] }],
      [{ ...verbose, words: [{ word, start: 0, end: 1 }] }],
      [word, 'text/plain'],
      [`1\n00:00:00,000 --> 00:00:01,000\n${word}\n`, 'application/x-subrip'],
    ];
    for (const [body, type] of forms) {
      world.upstream.answers(end, body, type);
      const reply = await world.send(call, key, headersFor(call, output));
      assert.equal(reply.status, 446, reply.text);
    }
  });

  it('looks at all that is read of a document', async () => {
    const world = await started();
    const key = await world.key();
    const call = calls.find(({ path }) => path === '/v1/ocr') ?? assert.fail();
    const page = { index: 0, markdown: 'Hi.' };
    const pages: readonly JsonObject[] = [
      { ...page, markdown: word },
      { ...page, header: word },
      { ...page, tables: [{ id: 'tbl-0.md', content: word, format: 'markdown' }] },
      { ...page, images: [{ id: 'img-0.jpeg', image_annotation: JSON.stringify({ title: word }) }] },
    ];
    const mask = { 'default.regexReplace': { rule: 'xylo.hone', redactText: 'lute' } };
    for (const body of [
      ...pages.map((one) => ({ pages: [one], model: 'm' })),
      { pages: [page], document_annotation: JSON.stringify({ title: word }), model: 'm' },
    ]) {
      world.upstream.answers('/ocr', body);
      const reply = await world.send(call, key, headersFor(call, { output_mutators: [mask] }));
      const { hook_results: _, ...rest } = reply.json;
      assert.deepEqual([reply.status, rest], [200, JSON.parse(JSON.stringify(body).replaceAll(word, 'lute'))]);
    }
  });
});
