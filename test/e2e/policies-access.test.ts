import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { asObject } from 'portcullis/sdk';
import type { Reply } from '../support/gateway.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { nameOf, type RouteCall } from './route-call.ts';
import { routeCalls } from './route-calls.ts';
import { errorIn, type RouteWorld, sharedWorld } from './route-world.ts';

noUnhandledRejections();

type HeadersOf = (call: RouteCall) => Record<string, string>;

/** What is wrong with the refusals of all these calls: each has the status and the code, in its format, and nothing is sent. */
async function faults(
  world: RouteWorld,
  key: string | undefined,
  refusal: { readonly status: number; readonly type: RegExp; readonly message?: RegExp },
  headersOf?: HeadersOf,
  calls: readonly RouteCall[] = routeCalls,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const call of calls) {
    const before = world.count();
    const reply = await world.send(call, key, headersOf?.(call));
    const { type, message } = reply.status < 400 ? { type: '', message: '' } : errorIn(call, reply);
    const isRefused = reply.status === refusal.status && refusal.type.test(type) && world.count() === before;
    if (!isRefused || refusal.message?.test(message) === false)
      found.push(`${nameOf(call)}: ${reply.status} ${reply.text.slice(0, 200)}`);
  }
  return found;
}

const isListing = ({ path }: RouteCall) => /^\/v1(beta)?\/models(\/[^:]+)?$/.test(path);
const isOfModels = (call: RouteCall) => isListing(call) && call.method === 'GET';

describe('a caller without the right to call a route is refused in its format, and nothing is sent:', () => {
  const started = sharedWorld();

  it('one without a key, and one with a wrong key, before its body is read', async () => {
    const world = await started();
    await world.key();
    const refusal = { status: 401, type: /^(authentication_error|unauthenticated)$/ };
    assert.deepEqual(await faults(world, undefined, refusal), []);
    const unknown = `pk-${'x'.repeat(40)}`;
    assert.deepEqual(await faults(world, unknown, refusal), []);
    for (const call of routeCalls.filter(({ method }) => method === 'POST'))
      assert.equal(await statusBeforeBody(world.control.url, call, unknown), 401, nameOf(call));
  });

  it('a key whose permissions do not hold it', async () => {
    const world = await started();
    const key = await world.key({ scopes: ['virtual_keys.list'] });
    const refusal = { status: 403, type: /^permission_(error|denied)$/, message: /completions\.write/ };
    const calls = routeCalls.filter((call) => !isOfModels(call));
    assert.deepEqual(await faults(world, key, refusal, undefined, calls), []);
    // Whoever sees the providers may see what they serve.
    for (const call of routeCalls.filter(isOfModels)) assert.equal((await world.send(call, key)).status, 200);
    const neither = await world.key({ scopes: ['logs.list'] });
    assert.deepEqual(await faults(world, neither, refusal), []);
  });

  it('a key of the whole organisation', async () => {
    const world = await started();
    const { adminKey } = world.control;
    const refusal = { status: 403, type: /^permission_(error|denied)$/, message: /workspace/ };
    assert.deepEqual(await faults(world, adminKey, refusal), []);
  });
});

/** The status that is answered while the body is still to come. */
async function statusBeforeBody(url: string, { path }: RouteCall, key: string): Promise<number | undefined> {
  const asking = request(url + path, {
    method: 'POST',
    headers: { 'x-gw-api-key': key, 'x-gw-provider': '@prod', 'content-type': 'application/json', 'content-length': 9 },
  });
  asking.on('error', () => {});
  asking.flushHeaders();
  const [response] = await once(asking, 'response');
  asking.destroy();
  return response.statusCode;
}

describe('what belongs to another workspace is not there, and nothing is sent:', () => {
  const started = sharedWorld();
  const notPrompts = routeCalls.filter(({ path }) => !path.startsWith('/v1/prompts/'));

  it('a provider, by its name, as a virtual key, in a config, and in the model', async () => {
    const world = await started();
    const key = await world.key({ workspace_id: world.other });
    const refusal = { status: 400, type: /^invalid_(request_error|argument)$/ };
    const named: readonly HeadersOf[] = [
      ({ provider }) => ({ 'x-gw-provider': `@${provider}` }),
      ({ provider }) => ({ 'x-gw-virtual-key': provider }),
      ({ provider }) => ({ 'x-gw-config': JSON.stringify({ provider: `@${provider}` }) }),
    ];
    for (const headersOf of named) assert.deepEqual(await faults(world, key, refusal, headersOf, notPrompts), []);
    const withModel = notPrompts.flatMap((call) =>
      typeof call.json?.model === 'string'
        ? [{ ...call, json: { ...call.json, model: `@prod/${call.json.model}` } }]
        : [],
    );
    // The paths of things that are kept say nothing of models.
    const read = withModel.filter(({ path }) => !/^\/v1\/(assistants|things|proxy)/.test(path));
    assert.ok(read.length > 20);
    assert.deepEqual(await faults(world, key, refusal, () => ({}), read), []);
  });

  it('a config, and a prompt', async () => {
    const world = await started();
    const body = { name: 'mine', workspace_id: world.own, config: { virtual_key: 'prod' } };
    const { id, slug } = await world.control.ok('POST', '/v1/configs', { body });
    const key = await world.key({ workspace_id: world.other });
    const refusal = { status: 400, type: /^invalid_(request_error|argument)$/ };
    for (const name of [id, slug]) {
      const headersOf = () => ({ 'x-gw-config': String(name) });
      assert.deepEqual(await faults(world, key, refusal, headersOf, notPrompts), []);
    }
    const prompts = routeCalls.filter((call) => !notPrompts.includes(call));
    assert.ok(prompts.length > 0);
    const missing = { status: 404, type: /^not_found_error$/ };
    assert.deepEqual(
      await faults(world, key, missing, ({ provider }) => ({ 'x-gw-provider': `@${provider}-2` }), prompts),
      [],
    );
  });

  it('what its calls have made at the account that both use', async () => {
    const world = await started();
    const [own, other] = [await world.key(), await world.key({ workspace_id: world.other })];
    const making = /^\/v1\/(files|batches|fine_tuning\/jobs|assistants|threads|vector_stores|conversations|responses)$/;
    for (const call of routeCalls.filter(({ method, path }) => method === 'POST' && making.test(path)))
      assert.equal((await world.send(call, own)).status, 200, nameOf(call));
    const naming = routeCalls.filter(({ path, json }) =>
      /\b(file|batch|ftjob|asst|thread|vs|conv|resp)-1\b/.test(path + JSON.stringify(json ?? {})),
    );
    assert.ok(naming.length > 40, `${naming.length}`);
    const missing = { status: 404, type: /./, message: /does not exist/ };
    const headersOf: HeadersOf = ({ provider }) => ({ 'x-gw-provider': `@${provider}-2` });
    assert.deepEqual(await faults(world, other, missing, headersOf, naming), []);
  });
});

describe('where only what is saved is accepted, each route refuses what comes inline, and nothing is sent:', () => {
  const provider: HeadersOf = (call) => ({ 'x-gw-provider': `@${call.provider}` });
  const ways: readonly (readonly [what: string, code: string, headersOf: HeadersOf])[] = [
    ['a config', 'inline_config_blocked', (call) => ({ 'x-gw-config': `{"provider":"@${call.provider}"}` })],
    ['a provider', 'inline_provider_blocked', () => ({ 'x-gw-provider': 'openai' })],
    [
      'a host',
      'inline_custom_host_blocked',
      (call) => ({ ...provider(call), 'x-gw-custom-host': 'https://h.example/v1' }),
    ],
    [
      'headers to forward',
      'inline_forward_headers_blocked',
      (call) => ({ ...provider(call), 'x-gw-forward-headers': 'x-a' }),
    ],
  ];
  const codeOf = ({ json }: Reply) => asObject(json.error)?.code;

  const started = sharedWorld({ config: { blockInlineConfig: true } });

  for (const [what, code, headersOf] of ways) {
    it(what, async () => {
      const world = await started();
      const key = await world.key();
      const before = world.count();
      const found: string[] = [];
      for (const call of routeCalls) {
        const reply = await world.send(call, key, headersOf(call));
        if (reply.status !== 400 || codeOf(reply) !== code || reply.json.status !== 'failure')
          found.push(`${nameOf(call)}: ${reply.status} ${reply.text.slice(0, 200)}`);
      }
      assert.deepEqual(found, []);
      assert.equal(world.count(), before);
    });
  }

  it('and serves what is saved', async () => {
    const world = await started();
    const key = await world.key();
    for (const call of routeCalls) {
      const { status, text } = await world.send(call, key);
      assert.ok(status < 300, `${nameOf(call)}: ${status} ${text}`);
    }
  });
});
