import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { JsonObject } from 'portcullis/sdk';
import type { LedgerSettings } from '../../core/ledger/settings.ts';
import { without } from '../plugins/guardrails/guarded.ts';
import { recordedReply, recordedStream } from '../support/recordings.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { clientGone } from './client-gone.ts';
import { countingGateway } from './ledger-gateway.ts';

noUnhandledRejections();

const question = 'Say hello.';
const asked: JsonObject = { model: 'm', stream: true, max_tokens: 99, messages: [{ role: 'user', content: question }] };

/** A provider that sends the first parts of a reply, and the rest when it is told to. */
async function halting(t: TestContext, first: readonly string[], rest: readonly string[], type = 'text/event-stream') {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: closed, resolve: close } = Promise.withResolvers<boolean>();
  const server = createServer(async (request, reply) => {
    reply.on('close', () => close(reply.writableFinished));
    request.resume();
    await once(request, 'end');
    reply.writeHead(200, { 'content-type': type });
    for (const part of first) reply.write(part);
    reach();
    await Promise.race([released, closed]);
    for (const part of rest) reply.write(part);
    reply.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, release, reached, closed };
}

type Halting = Awaited<ReturnType<typeof halting>>;

interface Call {
  readonly path: string;
  readonly provider: string;
  readonly body?: JsonObject;
  readonly more?: JsonObject;
}

/** Asks, hears so much of the reply, and leaves. */
async function left(
  t: TestContext,
  server: Halting,
  call: Call,
  onDisconnect: LedgerSettings['onDisconnect'],
  hears: string,
) {
  const gateway = await countingGateway(t, { onDisconnect });
  const leaving = new AbortController();
  const gone = clientGone(gateway.url);
  const config = { provider: call.provider, api_key: 'k', custom_host: `${server.origin}/v1`, ...call.more };
  const sent = fetch(gateway.url + call.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gw-config': JSON.stringify(config) },
    body: JSON.stringify(call.body ?? asked),
    signal: leaving.signal,
  });
  if (hears === '') {
    await server.reached;
    leaving.abort();
    await assert.rejects(sent);
    await gone;
    return gateway;
  }
  const reply = await sent;
  let text = '';
  assert.ok(reply.body !== null);
  try {
    for await (const chunk of reply.body) {
      text += Buffer.from(chunk).toString('utf8');
      if (text.length >= hears.length) leaving.abort();
    }
  } catch {
    assert.ok(leaving.signal.aborted);
  }
  assert.equal(text, hears);
  await gone;
  return gateway;
}

const dialects = [
  ['chat', { path: '/v1/chat/completions', provider: 'openai' }, '"prompt_tokens"', { input: 19, output: 10 }],
  ['messages', { path: '/v1/messages', provider: 'anthropic' }, '"stop_reason":"', { input: 25, output: 15 }],
  ['responses', { path: '/v1/responses', provider: 'openai' }, '"input_tokens"', undefined],
] as const;

for (const [dialect, call, closing, totals] of dialects) {
  const events = recordedStream(dialect, 'text');
  const last = events.findIndex((event) => event.includes(closing));
  const body: JsonObject = dialect === 'responses' ? { model: 'm', stream: true, input: question } : asked;

  describe(`a client who leaves a ${dialect} stream`, () => {
    for (let upTo = 1; upTo <= last; upTo += 1) {
      const [first, rest] = [events.slice(0, upTo), events.slice(upTo)];

      it(`behind event ${upTo} is counted what it was sent`, async (t) => {
        const server = await halting(t, first, rest);
        const gateway = await left(t, server, { ...call, body }, 'count', first.join(''));
        assert.equal(await server.closed, false, 'The provider is given up.');
        const records = await gateway.records(1);
        const [record] = records;
        assert.equal(records.length, 1);
        assert.deepEqual([record?.status, record?.usageSource], [499, 'estimated']);
        const input = dialect === 'messages' ? totals?.input : countTokens(question) + 7;
        assert.equal(record?.usage?.input, input);
        assert.ok((record?.usage?.output ?? -1) >= 0);
        assert.ok((record?.usage?.output ?? 0) <= countTokens(first.join('')));
      });

      it(`behind event ${upTo} is counted what the provider counts, where answers are drained`, async (t) => {
        const server = await halting(t, first, rest);
        const gateway = await left(t, server, { ...call, body }, 'drain', first.join(''));
        server.release();
        const [record] = await gateway.records(1);
        assert.equal(await server.closed, true, 'The provider is read to its end.');
        assert.deepEqual([record?.status, record?.usageSource], [499, 'provider']);
        const { input, output } = totals ?? { input: 36, output: 87 };
        if (totals !== undefined) assert.deepEqual([record?.usage?.input, record?.usage?.output], [input, output]);
        assert.ok((record?.usage?.input ?? 0) > 0 && (record?.usage?.output ?? 0) > 0);
      });
    }
  });
}

describe('a client who leaves', () => {
  const [start = '', ...others] = recordedStream('chat', 'text');
  const call = { path: '/v1/chat/completions', provider: 'openai' };

  it('before a whole reply is billed for it, where answers are drained', async (t) => {
    const whole = recordedReply('chat', 'text');
    const server = await halting(t, [whole.slice(0, 20)], [whole.slice(20)], 'application/json');
    const gateway = await left(t, server, { ...call, body: { ...asked, stream: false } }, 'drain', '');
    server.release();
    const [record] = await gateway.records(1);
    assert.deepEqual([record?.status, record?.usageSource, record?.usage?.input], [499, 'provider', 19]);
  });

  it('before a stream begins is billed for it, where answers are drained', async (t) => {
    const server = await halting(t, [start.slice(0, 10)], [start.slice(10), ...others]);
    const gateway = await left(t, server, call, 'drain', '');
    server.release();
    const [record] = await gateway.records(1);
    assert.deepEqual([record?.status, record?.usageSource, record?.usage?.output], [499, 'provider', 10]);
  });

  it('a stream that a guardrail looks at is counted all the same', async (t) => {
    for (const onDisconnect of ['count', 'drain'] as const) {
      for (const stream_mode of ['after', 'window']) {
        const server = await halting(t, [start, ...others.slice(0, 2)], others.slice(2));
        const window = stream_mode === 'window' ? { stream_window: { tokens: 8, ms: 10, overlap_tokens: 4 } } : {};
        const guard = { id: 'guard', ...without('nothing-of-the-kind'), stream_mode, ...window };
        const gateway = await countingGateway(t, { onDisconnect });
        const leaving = new AbortController();
        const gone = clientGone(gateway.url);
        const config = {
          provider: 'openai',
          api_key: 'k',
          custom_host: `${server.origin}/v1`,
          output_guardrails: [guard],
        };
        const reply = await fetch(`${gateway.url}${call.path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-gw-config': JSON.stringify(config) },
          body: JSON.stringify(asked),
          signal: leaving.signal,
        });
        await reply.body?.getReader().read();
        leaving.abort();
        await gone;
        server.release();
        const [record] = await gateway.records(1);
        const source = onDisconnect === 'drain' ? 'provider' : 'estimated';
        assert.deepEqual([record?.status, record?.usageSource], [499, source], `${onDisconnect} ${stream_mode}`);
        assert.ok((record?.usage?.input ?? 0) > 0);
      }
    }
  });
});
