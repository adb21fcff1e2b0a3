import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Flow,
  type FlowRequest,
  GatewayError,
  type JsonObject,
  type Outcome,
  type ReplySink,
} from 'portcullis/sdk';
import { runFlow } from '../../../core/upstream/flow.ts';
import { unitFailure } from '../../../core/upstream/misread.ts';
import { buildOutbound } from '../../../core/upstream/outbound.ts';
import type { OutgoingCall } from '../../../core/upstream/outgoing.ts';
import type { Timeouts, WireReply, WireStream } from '../../../core/upstream/transport.ts';
import { exchangeOf, leafOf } from '../../support/exchange.ts';
import { noUnhandledRejections } from '../../support/rejections.ts';
import { testLedger } from '../ledger/ledgers.ts';
import { Collector } from './support.ts';
import { unitOf } from './unit.ts';

noUnhandledRejections();

const base = 'https://alpha.example/v1';

/** A reply that flows and says nothing by itself. */
class Flowing implements WireStream {
  sink: ReplySink | undefined;
  aborted = 0;
  async until(): Promise<void> {}
  pipe(sink: ReplySink): void {
    this.sink = sink;
  }
  resume(): void {}
  abort(): void {
    this.aborted += 1;
  }
}

interface World {
  readonly net?: readonly string[];
  readonly customHost?: string;
  readonly timeouts?: Partial<Timeouts>;
  readonly answer?: (call: OutgoingCall) => Promise<WireReply> | WireReply;
}

const answerOf = (json: JsonObject, status = 200): WireReply => ({
  status,
  headers: { 'content-type': 'application/json' },
  bytes: Buffer.from(JSON.stringify(json)),
});

function world(flow: Flow, { net = [], customHost, timeouts, answer = () => answerOf({}) }: World = {}) {
  const exchange = exchangeOf({ endpoint: 'listFiles', method: 'GET', path: '/v1/files', dialect: 'files' });
  const unit = unitOf({ endpoints: { listFiles: { method: 'GET', path: '/files', dialect: 'files', flow } } });
  const outbound = buildOutbound({
    request: exchange,
    leaf: leafOf({ forwardHeaders: ['x-forwarded'] }),
    unit: { ...unit, net },
    settings: {
      settings: { apiKey: 'k' },
      base: customHost ?? base,
      customHost: customHost !== undefined,
      headers: { 'x-saved': 'secret' },
    },
    body: exchange.body,
    model: '',
    rawBody: undefined,
    strict: true,
    vendors: ['gw'],
  });
  const calls: OutgoingCall[] = [];
  const run = (): Promise<Outcome> =>
    runFlow(
      flow,
      outbound,
      {
        requestId: 'r',
        dialect: 'files',
        provider: 'alpha',
        model: undefined,
        path: 'config',
        context: () => ({
          strict: true,
          dropped: () => {},
          request: exchange.body,
          newId: (prefix) => `${prefix}1`,
          nowSeconds: () => 1,
        }),
        nowMs: 0,
        ledger: testLedger(),
        cancellation: exchange.cancellation,
      },
      async (call) => {
        calls.push(call);
        return answer(call);
      },
      { firstByteMs: 0, gapMs: 0, totalMs: 0, requestMs: 0, ...timeouts },
    );
  return { calls, run, cancellation: exchange.cancellation };
}

const once =
  (request: Omit<FlowRequest, 'method'>): Flow =>
  async (_, { send }) => ({ status: 200, json: (await send({ method: 'GET', ...request })).json });

describe('a call of a flow', () => {
  const own: readonly [string, World | undefined, string][] = [
    ['/files', undefined, `${base}/files`],
    ['https://alpha.example/other?a=b', undefined, 'https://alpha.example/other?a=b'],
    ['https://files.alpha.example/x', { net: ['*.alpha.example:443'] }, 'https://files.alpha.example/x'],
    ['https://evil.example/x?y=z', { customHost: 'https://custom.example/v1' }, 'https://custom.example/x?y=z'],
  ];
  for (const [url, given, expected] of own)
    it(`goes with its credential to ${expected}`, async () => {
      const { calls, run } = world(once({ url }), given);
      await run();
      assert.deepEqual(
        calls.map((call) => [call.url, call.anonymous, call.headers['x-saved']]),
        [[expected, undefined, 'secret']],
      );
    });

  const strange = [
    'https://evil.example/files',
    'https://alpha.example.evil.example/files',
    'https://alpha.example:8443/files',
    'https://alpha.example@evil.example/files',
    'http://files.alpha.example/files',
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'files',
    '',
  ];
  for (const url of strange)
    it(`does not go with its credential to "${url}", whoever says so`, async () => {
      const { calls, run } = world(once({ url }), { net: ['*.alpha.example:443', 'alpha.example:443'] });
      await assert.rejects(run(), { code: 'upstream_invalid', status: 502 });
      assert.deepEqual(calls, []);
    });

  it('takes nothing along that may be a credential where it is to have none', async () => {
    const { calls, run } = world(
      once({ url: 'https://signed.example/x', anonymous: true, headers: { range: 'bytes=0-' } }),
    );
    await run();
    const [call] = calls;
    assert.equal(call?.anonymous, true);
    assert.deepEqual(Object.keys(call?.headers ?? {}).toSorted(), ['accept', 'accept-encoding', 'range', 'user-agent']);
  });
});

describe('a fault of a flow', () => {
  const throwing =
    (error: unknown, asks: boolean): Flow =>
    async (_, { send }) => {
      if (asks) await send({ method: 'GET', url: '/files' });
      throw error;
    };
  const table: readonly [string, unknown, boolean, string, number][] = [
    ['before any answer is one of the request', new TypeError('x of undefined'), false, 'bad_request', 400],
    ['behind an answer is one of the provider', new TypeError('x of undefined'), true, 'upstream_invalid', 502],
    ['of its own making is what it is', new GatewayError('not_found', 'None.'), true, 'not_found', 404],
  ];
  for (const [what, error, asks, code, status] of table)
    it(what, async () => {
      const failure = await world(throwing(error, asks))
        .run()
        .catch((thrown: unknown) => thrown);
      assert.ok(GatewayError.is(failure));
      assert.deepEqual([failure.code, failure.status], [code, status]);
      assert.doesNotMatch(failure.message, /undefined/);
      assert.equal(unitFailure(failure) === undefined, error instanceof GatewayError);
      assert.doesNotMatch(unitFailure(failure) ?? '', /x of undefined/);
    });

  it('lets go of the replies that flow', async () => {
    const stream = new Flowing();
    const flow: Flow = async (_, { open }) => {
      await open({ method: 'GET', url: '/files' });
      throw new TypeError('odd');
    };
    await assert.rejects(world(flow, { answer: () => ({ status: 200, headers: {}, stream }) }).run());
    assert.equal(stream.aborted, 1);
  });
});

describe('a flow whose reply flows', () => {
  const streaming: Flow = async (_, { open }) => {
    const { body } = await open({ method: 'GET', url: '/files' });
    return {
      status: 200,
      contentType: 'text/plain',
      body: (async function* () {
        for await (const chunk of body) yield chunk;
      })(),
    };
  };

  it('frees the connection when nobody has begun to read', async () => {
    const stream = new Flowing();
    const { body } = await world(streaming, { answer: () => ({ status: 200, headers: {}, stream }) }).run();
    assert.ok(body.kind === 'stream');
    body.stream.abort();
    assert.equal(stream.aborted, 1);
  });

  it('frees the connection when it is given up while the provider is silent', async () => {
    const stream = new Flowing();
    const { body } = await world(streaming, { answer: () => ({ status: 200, headers: {}, stream }) }).run();
    assert.ok(body.kind === 'stream');
    const collector = new Collector();
    body.stream.pipe(collector);
    await wait(5);
    stream.sink?.data('some');
    await wait(5);
    body.stream.abort();
    assert.equal(stream.aborted, 1);
    assert.equal(collector.text, 'some');
  });
});

describe('the limits of a flow', () => {
  const polling: Flow = async (_, { send, pause }) => {
    for (;;) {
      await send({ method: 'GET', url: '/files' });
      await pause(10);
    }
  };

  for (const limit of ['requestMs', 'totalMs'] as const)
    it(`hold for all its calls together: ${limit}`, async () => {
      await assert.rejects(world(polling, { timeouts: { [limit]: 60 } }).run(), {
        code: 'request_timeout',
        message: 'Request exceeded the timeout sent in the request: 60ms',
      });
    });

  it('are met during a long pause', async () => {
    const pausing: Flow = async (_, { pause }) => {
      await pause(60_000);
      return { status: 200, json: {} };
    };
    await assert.rejects(world(pausing, { timeouts: { requestMs: 30 } }).run(), { code: 'request_timeout' });
  });

  it('name what was asked for when a single call meets what was left of them', async () => {
    const short = new GatewayError('request_timeout', 'Request exceeded the timeout sent in the request: 3ms');
    const answer = () => Promise.reject(short);
    await assert.rejects(world(once({ url: '/files' }), { timeouts: { requestMs: 500 }, answer }).run(), {
      message: 'Request exceeded the timeout sent in the request: 500ms',
    });
  });

  it('end between two calls when the client leaves', async () => {
    const { run, calls, cancellation } = world(polling);
    const running = run();
    await wait(35);
    cancellation.cancel();
    await assert.rejects(running, { code: 'client_closed' });
    const sent = calls.length;
    await wait(40);
    assert.equal(calls.length, sent);
  });

  it('send nothing for a client that has left already', async () => {
    const { run, calls, cancellation } = world(once({ url: '/files' }));
    cancellation.cancel();
    await assert.rejects(run(), { code: 'client_closed' });
    assert.equal(calls.length, 0);
  });
});

describe('a redirect', () => {
  it('ends a flow, is not followed, and is not shown', async () => {
    const answer = (): WireReply => ({
      status: 302,
      headers: { location: 'https://evil.example/' },
      bytes: Buffer.alloc(0),
    });
    const { run, calls } = world(once({ url: '/files' }), { answer });
    const outcome = await run();
    assert.equal(outcome.status, 502);
    assert.equal(outcome.headers.location, undefined);
    assert.equal(calls.length, 1);
  });
});
