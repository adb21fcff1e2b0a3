import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import {
  BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  CountTokensCommand,
  type CountTokensCommandInput,
} from '@aws-sdk/client-bedrock-runtime';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import fc from 'fast-check';
import { collector } from '../../../sdk/dialects/collect.ts';
import { dialects } from '../../../sdk/dialects/index.ts';
import type { Delta } from '../../../sdk/dialects/neutral.ts';
import { deltasOf } from '../../../sdk/dialects/replay.ts';
import { createFramer, FramingError } from '../../../sdk/framing/framing.ts';
import { asObject, type Json, type JsonObject, parseJson } from '../../../sdk/json.ts';
import { anyParts, completionOf } from '../../core/dialects/chat/arbitraries.ts';
import { contextOf, conversational, encodeDeltas, framesOfText, frozen } from './codec.ts';
import { contentFor, usageFor } from './content.ts';
import { richCalls } from './rich-calls.ts';

const { converse } = dialects;

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => new Uint8Array(Buffer.from(text, 'utf8')),
);

function event(name: string, payload: Json, type: 'event' | 'exception' = 'event'): Buffer {
  const named = type === 'event' ? ':event-type' : ':exception-type';
  return Buffer.from(
    codec.encode({
      headers: {
        [named]: { type: 'string', value: name },
        ':content-type': { type: 'string', value: 'application/json' },
        ':message-type': { type: 'string', value: type },
      },
      body: new Uint8Array(Buffer.from(JSON.stringify(payload))),
    }),
  );
}

interface Came {
  readonly path: string;
  readonly body: JsonObject;
}

/** A server that keeps what it is asked and answers with what it was told last. */
class Fake {
  readonly requests: Came[] = [];
  reply: { readonly type: string; readonly bytes: Uint8Array } = { type: 'application/json', bytes: Buffer.from('{}') };
  readonly #server = createServer(async (incoming, outgoing) => {
    this.requests.push({ path: incoming.url ?? '', body: await bodyOf(incoming) });
    outgoing.writeHead(200, { 'content-type': this.reply.type }).end(this.reply.bytes);
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<JsonObject> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return asObject(parseJson(Buffer.concat(chunks).toString('utf8'))) ?? {};
}

const fake = new Fake();
let client: BedrockRuntimeClient;
before(async () => {
  client = new BedrockRuntimeClient({
    endpoint: await fake.start(),
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    requestHandler: new NodeHttpHandler(),
    maxAttempts: 1,
  });
});
after(() => {
  client.destroy();
  fake.stop();
});

/** The wire's base64 as the bytes that the official client takes. */
function withBytes(value: Json, name = ''): unknown {
  if (typeof value === 'string')
    return name === 'bytes' || name === 'redactedContent' ? Buffer.from(value, 'base64') : value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => withBytes(item));
  const object = asObject(value);
  if (object === undefined) return value;
  return Object.fromEntries(Object.entries(object).map(([key, inner]) => [key, withBytes(inner, key)]));
}

/** What the official client gives, as it would stand on the wire. */
function onWire(value: unknown): Json {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(onWire);
  if (typeof value !== 'object' || value === null) return value as Json;
  const entries = Object.entries(value).filter(([key, inner]) => inner !== undefined && key !== '$metadata');
  return Object.fromEntries(entries.map(([key, inner]) => [key, onWire(inner)]));
}

describe('converse: the official client sends the very requests that the encoder writes', () => {
  for (const from of conversational) {
    it(from.name, async () => {
      const body = JSON.parse(
        JSON.stringify(richCalls[from.name as keyof typeof richCalls]).replaceAll(
          'https://example.com',
          's3://example',
        ),
      );
      const request = converse.encodeCall(frozen(from.decodeCall(frozen(body), contextOf(true))), contextOf(true));
      await client
        .send(new ConverseCommand({ modelId: 'm', ...(withBytes(request) as object) } as ConverseCommandInput))
        .catch(() => {});
      assert.deepEqual(fake.requests.at(-1)?.body, request);
    });
  }

  it('for tokens to count', async () => {
    const call = dialects.chat.decodeCall({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }, contextOf(true));
    const request = converse.counting?.encodeCall(call, contextOf(true)) ?? {};
    fake.reply = { type: 'application/json', bytes: Buffer.from(JSON.stringify(converse.counting?.encodeReply(5))) };
    const reply = await client.send(
      new CountTokensCommand({ modelId: 'm', ...request } as unknown as CountTokensCommandInput),
    );
    assert.deepEqual(fake.requests.at(-1)?.body, request);
    assert.equal(reply.inputTokens, 5);
  });
});

const asked = { modelId: 'm', messages: [{ role: 'user' as const, content: [{ text: 'Hi' }] }] };

describe('converse: the official client reads what the encoder writes, and the decoder what the client reads', () => {
  it('whole replies', async () => {
    const any = completionOf(anyParts);
    await fc.assert(
      fc.asyncProperty(any, async (completion) => {
        const wire = converse.encodeReply(frozen(completion), contextOf(true));
        fake.reply = { type: 'application/json', bytes: Buffer.from(JSON.stringify(readable(wire))) };
        const read = asObject(onWire(await client.send(new ConverseCommand(asked)))) ?? {};
        assert.deepEqual(
          { output: read.output, stopReason: read.stopReason, usage: read.usage },
          { output: readable(wire.output), stopReason: wire.stopReason, usage: wire.usage },
        );
      }),
      { numRuns: 40 },
    );
  });

  it('streams', async () => {
    await fc.assert(
      fc.asyncProperty(completionOf(anyParts), async (completion) => {
        const frames = framesOfText(encodeDeltas(converse, deltasOf(completion), contextOf(true)));
        const bytes = Buffer.concat(
          frames.map(({ event: name, data }) => event(name ?? '', readable(parseJson(data) ?? {}))),
        );
        fake.reply = { type: 'application/vnd.amazon.eventstream', bytes };
        const reply = await client.send(new ConverseStreamCommand(asked));
        const seen: JsonObject[] = [];
        for await (const part of reply.stream ?? []) seen.push(asObject(onWire(part)) ?? {});
        const names = seen.map((part) => Object.keys(part)[0]);
        assert.deepEqual(
          names,
          frames.map((frame) => frame.event),
        );
        const gathered = collector();
        for (const delta of decoded(bytes)) gathered.push(delta);
        assert.deepEqual(
          contentFor('converse', true, gathered.completion()).choices[0]?.text,
          contentFor('converse', true, completion).choices[0]?.text,
        );
        assert.deepEqual(usageFor('converse', gathered.completion().usage), usageFor('converse', completion.usage));
      }),
      { numRuns: 40 },
    );
  });
});

/** Replies of any origin may hold hidden thinking that is no base64, which this format's bytes are. */
function readable(value: Json | undefined): Json {
  const walk = (item: Json, name: string): Json => {
    if (typeof item === 'string')
      return name === 'redactedContent' ? Buffer.from(item, 'base64').toString('base64') : item;
    if (Array.isArray(item)) return (item as readonly Json[]).map((inner) => walk(inner, ''));
    const object = asObject(item);
    return object === undefined
      ? item
      : Object.fromEntries(Object.entries(object).map(([key, inner]) => [key, walk(inner, key)]));
  };
  return walk(value ?? null, '');
}

function decoded(bytes: Uint8Array, cut = bytes.length): readonly Delta[] {
  const framer = createFramer('event-stream');
  const decoder = converse.decodeStream(contextOf(true));
  const frames = [...framer.push(bytes.subarray(0, cut)), ...framer.push(bytes.subarray(cut)), ...framer.end()];
  return [...frames.flatMap((frame) => decoder.push(frozen(frame))), ...decoder.end()];
}

const stream = Buffer.concat([
  event('messageStart', { role: 'assistant', p: 'abcdefg' }),
  event('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm.' } } }),
  event('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'sig' } } }),
  event('contentBlockStop', { contentBlockIndex: 0 }),
  event('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'Grüße 🎉' }, p: 'ab' }),
  event('contentBlockStop', { contentBlockIndex: 1 }),
  event('contentBlockStart', { contentBlockIndex: 2, start: { toolUse: { toolUseId: 't1', name: 'f' } } }),
  event('contentBlockStop', { contentBlockIndex: 2 }),
  event('messageStop', { stopReason: 'tool_use' }),
  event('metadata', {
    usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
    metrics: { latencyMs: 1 },
    trace: { guardrail: {} },
  }),
]);

describe('converse: streams as the codec of the official clients frames them', () => {
  it('say the same wherever they are cut', () => {
    const whole = decoded(stream);
    assert.deepEqual(
      whole.map((delta) => delta.type),
      ['start', 'thinking', 'signature', 'text', 'tool-call', 'tool-arguments', 'finish', 'extra', 'usage', 'end'],
    );
    for (let cut = 0; cut <= stream.length; cut += 1) assert.deepEqual(decoded(stream, cut), whole, `cut at ${cut}`);
  });

  it('that end early are faults, after every byte but between the last two events', () => {
    const last = event('metadata', {
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
      metrics: { latencyMs: 1 },
      trace: { guardrail: {} },
    }).length;
    for (let end = 0; end < stream.length; end += 1) {
      const framer = createFramer('event-stream');
      const decoder = converse.decodeStream(contextOf(true));
      const frames = framer.push(stream.subarray(0, end));
      const deltas = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
      assert.equal(deltas.at(-1)?.type, end < stream.length - last ? 'fault' : 'end', `ends after ${end}`);
    }
  });

  it('with a damaged byte are refused by the framing', () => {
    for (let at = 0; at < stream.length; at += 1) {
      const damaged = Uint8Array.from(stream);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      assert.throws(() => decoded(damaged), FramingError, `damaged at ${at}`);
    }
  });

  it('that fail keep message and status of the exception', () => {
    const cases: readonly (readonly [string, number, string])[] = [
      ['throttlingException', 429, 'rate_limit_error'],
      ['validationException', 400, 'invalid_request_error'],
      ['modelStreamErrorException', 424, 'api_error'],
      ['serviceUnavailableException', 503, 'overloaded_error'],
      ['internalServerException', 500, 'api_error'],
      ['modelTimeoutException', 408, 'timeout_error'],
      ['somethingNewException', 502, 'api_error'],
    ];
    for (const [name, status, type] of cases) {
      const bytes = Buffer.concat([
        stream.subarray(0, event('messageStart', { role: 'assistant', p: 'abcdefg' }).length),
        event(name, { message: 'Why.' }, 'exception'),
      ]);
      assert.deepEqual(decoded(bytes).at(-1), { type: 'fault', fault: { status, message: 'Why.', type, code: name } });
    }
  });

  it('with a tool of the provider keep it as it is', () => {
    const bytes = Buffer.concat([
      event('messageStart', { role: 'assistant' }),
      event('contentBlockStart', {
        contentBlockIndex: 0,
        start: { toolUse: { toolUseId: 's', name: 'search', type: 'server_tool_use' } },
      }),
      event('contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '{"q":' } } }),
      event('contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '1}' } } }),
      event('contentBlockStop', { contentBlockIndex: 0 }),
      event('messageStop', { stopReason: 'end_turn' }),
    ]);
    const part = decoded(bytes).find((delta) => delta.type === 'part');
    assert.deepEqual(part?.part, {
      type: 'native',
      dialect: 'converse',
      value: { toolUse: { toolUseId: 's', name: 'search', type: 'server_tool_use', input: { q: 1 } } },
    });
  });

  it('nested too deeply are faults', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const decoder = converse.decodeStream(contextOf(true));
    const frame = { event: 'contentBlockStart', data: `{"contentBlockIndex":0,"start":{"other":${deep}}}` };
    const more = { event: 'contentBlockDelta', data: `{"contentBlockIndex":0,"delta":{"other":{"a":${deep}}}}` };
    const stop = { event: 'messageStop', data: '{"stopReason":"end_turn"}' };
    const deltas = [frame, more, stop].flatMap((one) => decoder.push(one)).concat(decoder.end());
    assert.ok(['fault', 'end'].includes(deltas.at(-1)?.type ?? ''));
  });
});
