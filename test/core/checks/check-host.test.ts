import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CheckCall,
  type CheckHost,
  check,
  type FetchRequest,
  type GatewayError,
  type Json,
  type Manifest,
  schema,
  secret,
} from 'portcullis/sdk';
import { checkInput } from 'portcullis/sdk/testing';
import type { CheckCapabilities } from '../../../core/checks/check-host.ts';
import { callOf, readyOf } from './unit-of.ts';

interface Given {
  readonly permissions?: NonNullable<Manifest['permissions']>;
  readonly call?: Partial<CheckCall>;
  readonly capabilities?: Partial<CheckCapabilities>;
}

/** Runs code with the host that a check gets. */
async function withHost<T>(
  use: (host: CheckHost) => T | Promise<T>,
  { permissions = {}, call, capabilities }: Given = {},
): Promise<T> {
  const results: T[] = [];
  const probe = check({
    title: 'Uses its host',
    config: schema.Object({}, { additionalProperties: false }),
    phases: ['beforeRequest'],
    run: async (_, __, host: CheckHost) => {
      results.push(await use(host));
      return { pass: true };
    },
  });
  await readyOf(probe, { permissions }, capabilities).run(checkInput(), callOf(call));
  return results[0] as T;
}

const ok = { status: 200, headers: {}, body: new Uint8Array() };

/** A network that writes down what goes out. */
function network() {
  const sent: { readonly url: string; readonly request: FetchRequest }[] = [];
  const send = async (url: URL, request: FetchRequest) => {
    sent.push({ url: url.href, request });
    return ok;
  };
  return { sent, send };
}

describe('what a manifest does not grant', () => {
  const question = { model: 'a/b', system: 's', user: 'u', maxTokens: 1 };
  const refused: readonly [string, (host: CheckHost) => unknown, RegExp][] = [
    ['the network', (host) => host.fetch('https://example.com/'), /permissions\.net: example\.com:443/],
    ['models', (host) => host.ask(question), /permissions\.models/],
    ['headers with credentials', (host) => host.header('authorization'), /permissions\.request: credentials/],
    ['the sandbox', (host) => host.code, /permissions\.sandbox/],
  ];
  for (const [what, use, message] of refused) {
    it(`is refused: ${what}`, async () => {
      await assert.rejects(
        withHost(async (host) => use(host)),
        { code: 'forbidden', message },
      );
    });
  }

  for (const url of [
    'https://example.com:8443/',
    'http://example.com/',
    'https://sub.example.com/',
    'https://example.com.evil.net/',
  ]) {
    it(`is refused beside the place that is granted: ${url}`, async () => {
      const { sent, send } = network();
      const permissions = { net: ['example.com:443'] };
      await assert.rejects(
        withHost((host) => host.fetch(url), { permissions, capabilities: { send } }),
        { code: 'forbidden' },
      );
      assert.deepEqual(sent, []);
    });
  }

  it('is refused without the URL, whose query may hold a secret', async () => {
    for (const url of [
      'https://example.com/?key=canary',
      'https://user:canary@example.com/',
      'ftp://canary/',
      'canary',
    ])
      await assert.rejects(
        withHost((host) => host.fetch(url)),
        (error: GatewayError) => !error.message.includes('canary'),
      );
  });
});

describe('what a manifest grants', () => {
  it('is a question to a model, with the caller for whom the check runs', async () => {
    const asked: unknown[] = [];
    const ask: CheckCapabilities['ask'] = async (question, { principal }) => {
      asked.push([question.model, principal.id]);
      return 'yes';
    };
    const question = { model: 'a/b', system: 's', user: 'u', maxTokens: 1 };
    const answer = await withHost((host) => host.ask(question), {
      permissions: { models: true },
      capabilities: { ask },
    });
    assert.deepEqual([answer, asked], ['yes', [['a/b', 'key:a']]]);
  });

  it('is any header of the request', async () => {
    const call = { headers: { authorization: 'Bearer x' } };
    const given = { permissions: { request: ['credentials' as const] }, call };
    assert.deepEqual(await withHost((host) => [host.header('Authorization'), host.header('cookie')], given), [
      'Bearer x',
      undefined,
    ]);
  });
});

describe('a call of a check', () => {
  const net = { permissions: { net: ['example.com:443'] } };

  it('has its method in the case of HTTP, whatever the check writes', async () => {
    const { sent, send } = network();
    await withHost((host) => host.fetch('https://example.com/a', { method: 'put' }), {
      ...net,
      capabilities: { send },
    });
    assert.equal(sent[0]?.request.method, 'PUT');
  });

  for (const method of ['TRACE', 'connect', 'a b', '']) {
    it(`never goes out as ${JSON.stringify(method)}`, async () => {
      const { sent, send } = network();
      const asked = () =>
        withHost((host) => host.fetch('https://example.com/a', { method }), { ...net, capabilities: { send } });
      await assert.rejects(asked, { code: 'bad_request', param: 'method', message: /may not fetch by/ });
      assert.deepEqual(sent, []);
    });
  }

  it('is a GET, or a POST where it has a body', async () => {
    const { sent, send } = network();
    await withHost(
      async (host) => {
        await host.fetch('https://example.com/a');
        await host.fetch('https://example.com/b', { body: '{}' });
        await host.fetch('https://example.com/c', { body: '{}', method: 'PUT', maxBytes: 9 });
      },
      { ...net, capabilities: { send } },
    );
    assert.deepEqual(
      sent.map(({ url, request: { method, body, maxBytes } }) => [url, method, body, maxBytes]),
      [
        ['https://example.com/a', 'GET', undefined, undefined],
        ['https://example.com/b', 'POST', '{}', undefined],
        ['https://example.com/c', 'PUT', '{}', 9],
      ],
    );
  });

  it('takes no longer than what is left of the time of the check', async () => {
    const { sent, send } = network();
    let now = 1000;
    await withHost(
      async (host) => {
        await host.fetch('https://example.com/');
        await host.fetch('https://example.com/', { timeoutMs: 50 });
        now += 4000;
        await host.fetch('https://example.com/', { timeoutMs: 3000 });
        now += 4000;
        await host.fetch('https://example.com/');
      },
      { ...net, capabilities: { send, now: () => now }, call: { timeoutMs: 5000 } },
    );
    assert.deepEqual(
      sent.map(({ request }) => request.timeoutMs),
      [5000, 50, 1000, 1],
    );
  });

  it('carries forwarded headers below its own, whatever the case of their names', async () => {
    const { sent, send } = network();
    const forward = { 'x-tenant': 'client', 'content-type': 'text/plain', traceparent: 't' };
    await withHost(
      (host) =>
        host.fetch('https://example.com/', { headers: { 'X-Tenant': 'own', 'Content-Type': 'application/json' } }),
      { ...net, capabilities: { send }, call: { forward } },
    );
    assert.deepEqual(sent[0]?.request.headers, {
      'x-tenant': 'own',
      'content-type': 'application/json',
      traceparent: 't',
    });
  });

  it('sets no header of the connection, least of all another host', async () => {
    const { sent, send } = network();
    for (const header of ['Host', 'content-length', 'Expect', 'connection', 'transfer-encoding']) {
      const fetched = withHost((host) => host.fetch('https://example.com/', { headers: { [header]: 'inner.test' } }), {
        ...net,
        capabilities: { send },
      });
      await assert.rejects(fetched, { code: 'bad_request', param: `headers.${header.toLowerCase()}` });
    }
    assert.equal(sent.length, 0);
    const named = { headers: { host: 'example.com' } };
    await withHost((host) => host.fetch('https://example.com/', named), { ...net, capabilities: { send } });
    assert.equal(sent.length, 1, 'who signs a request names the host that it goes to');
  });

  it('ends with the signal of the run', async () => {
    const { sent, send } = network();
    const { signal } = new AbortController();
    await withHost((host) => host.fetch('https://example.com/'), { ...net, capabilities: { send }, call: { signal } });
    assert.equal(sent[0]?.request.signal, signal);
  });
});

describe('the credentials of a check', () => {
  const credentials = schema.Object(
    { apiKey: secret(), region: schema.Optional(schema.String({ default: 'eu' })) },
    { additionalProperties: false },
  );
  const reading = check({
    title: 'Reads',
    config: schema.Object({}, { additionalProperties: false }),
    phases: ['beforeRequest'],
    run: (_, __, host: CheckHost) => ({ pass: true, data: host.credentials as Json }),
  });
  const run = (given: CheckCall['credentials'], options = { credentials }) =>
    readyOf(reading, options).run(checkInput(), callOf({ credentials: given }));

  it('are those that fit the schema, with its defaults', async () => {
    assert.deepEqual((await run({ apiKey: 'k' })).data, { apiKey: 'k', region: 'eu' });
  });

  for (const [what, given] of [
    ['missing', undefined],
    ['incomplete', {}],
    ['of another kind', { apiKey: 'canary', other: 'canary' }],
  ] as const) {
    it(`that are ${what} fail the check, naming the unit and no secret`, () => {
      assert.throws(
        () => run(given),
        (error: GatewayError) => {
          assert.equal(error.code, 'check_failed');
          assert.match(error.message, /guardrail unit unit needs credentials/);
          assert.equal(error.message.includes('canary'), false);
          return true;
        },
      );
    });
  }

  it('are none where the unit asks for none', async () => {
    const result = readyOf(reading, {}).run(checkInput(), callOf({ credentials: { apiKey: 'k' } }));
    assert.deepEqual((await result).data, {});
  });
});
