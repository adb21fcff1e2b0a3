import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import OpenAI from 'openai';
import type { Completion, Delta, FinishReason, Part } from '../../../../sdk/dialects/neutral.ts';
import { responses } from '../../../../sdk/dialects/responses/index.ts';
import type { JsonObject } from '../../../../sdk/json.ts';
import { contextOf, wireOf } from './support.ts';

const usage = { input: 5, output: 7, reasoning: 2 };
const at = { choice: 0 } as const;
const call = (id: string, city: string): Part => ({
  type: 'tool-call',
  id,
  name: 'weather',
  arguments: JSON.stringify({ city }),
});

interface Case {
  readonly parts: readonly Part[];
  readonly finish: FinishReason;
}
const cases: Readonly<Record<string, Case>> = {
  text: { parts: [{ type: 'text', text: 'Hello there' }], finish: 'stop' },
  reasoning: {
    parts: [
      { type: 'thinking', text: 'Let me see', signature: 'gAAAAx' },
      { type: 'redacted-thinking', data: 'hidden' },
      { type: 'text', text: 'Done' },
    ],
    finish: 'stop',
  },
  calls: { parts: [{ type: 'text', text: 'Wait' }, call('a', 'Paris'), call('b', 'Rome')], finish: 'tool_calls' },
  refusal: { parts: [{ type: 'refusal', text: 'I cannot' }], finish: 'stop' },
  incomplete: { parts: [{ type: 'text', text: 'Cut' }], finish: 'length' },
};

/** The steps of the same answer; the arguments of parallel calls are interleaved. */
function deltasOfCase({ parts, finish }: Case): Delta[] {
  const opened = parts.flatMap((part, block): Delta[] => {
    if (part.type === 'tool-call') return [{ ...part, ...at, block }];
    if (part.type === 'thinking') {
      return [
        { ...part, ...at, block },
        { type: 'signature', ...at, block, signature: part.signature ?? '' },
      ];
    }
    if (part.type === 'redacted-thinking') return [{ ...part, ...at, block }];
    if (part.type !== 'text' && part.type !== 'refusal') return [];
    return [0, 3].map((from) => ({
      type: part.type,
      ...at,
      block,
      text: part.text.slice(from, from === 0 ? 3 : undefined),
    }));
  });
  const pieces = [0, 5].flatMap((from) =>
    parts.flatMap((part, block): Delta[] => {
      if (part.type !== 'tool-call') return [];
      return [{ type: 'tool-arguments', ...at, block, text: part.arguments.slice(from, from === 0 ? 5 : undefined) }];
    }),
  );
  return [
    { type: 'start', id: 'resp_1', model: 'm' },
    ...opened,
    ...pieces,
    { type: 'finish', ...at, reason: finish },
    { type: 'usage', usage },
    { type: 'end' },
  ];
}

const fault: Delta = { type: 'fault', fault: { status: 500, message: 'The model broke' } };

function answer(request: JsonObject): { readonly type: string; readonly body: string } {
  const name = String(request.model);
  const context = contextOf(request);
  if (request.stream === true) {
    const begun: Delta[] = [
      { type: 'start', id: 'resp_1', model: 'm' },
      { type: 'text', ...at, block: 0, text: 'Half' },
    ];
    const one = cases[name];
    if (name === 'error-event') {
      const text = wireOf(begun, context) + responses.encodeStreamFault({ status: 529, message: 'Full' });
      return { type: 'text/event-stream', body: text };
    }
    const deltas = one === undefined ? [...(name === 'failed-at-once' ? [] : begun), fault] : deltasOfCase(one);
    return { type: 'text/event-stream', body: wireOf(deltas, context) };
  }
  const { parts, finish } = cases[name] ?? { parts: [], finish: 'stop' };
  const completion: Completion = { id: 'x', model: 'm', choices: [{ index: 0, parts, finish }], usage };
  return { type: 'application/json', body: JSON.stringify(responses.encodeReply(completion, context)) };
}

describe('responses: with the official client', () => {
  let server: Server;
  let client: OpenAI;

  before(async () => {
    server = createServer(async (request, reply) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { type, body } = answer(JSON.parse(Buffer.concat(chunks).toString()) as JsonObject);
      reply.writeHead(200, { 'content-type': type }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    client = new OpenAI({ apiKey: 'k', baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 });
  });

  after(() => {
    server.closeAllConnections();
    server.close();
  });

  for (const name of Object.keys(cases)) {
    it(`reads ${name} the same from a reply and from a stream`, async () => {
      const whole = await client.responses.create({ model: name, input: 'Hi' });
      const streamed = await client.responses.stream({ model: name, input: 'Hi' }).finalResponse();
      assert.equal(whole.status, name === 'incomplete' ? 'incomplete' : 'completed');
      for (const key of ['status', 'incomplete_details', 'output_text', 'usage'] as const) {
        assert.deepEqual(streamed[key], whole[key], key);
      }
      const shape = (response: typeof whole): unknown[] => response.output.map((item) => withoutIds(item));
      assert.deepEqual(shape(streamed), shape(whole));
      assert.equal(whole.output.length, { text: 1, reasoning: 3, calls: 3, refusal: 1, incomplete: 1 }[name]);
    });
  }

  it('gives text and parsed arguments to the client', async () => {
    const stream = client.responses.stream({ model: 'calls', input: 'Hi' });
    const snapshots: string[] = [];
    stream.on('response.output_text.delta', (event) => snapshots.push(event.snapshot));
    const { output_text, output } = await stream.finalResponse();
    assert.deepEqual(snapshots, ['Wai', 'Wait']);
    assert.equal(output_text, 'Wait');
    const calls = output.flatMap((item) => (item.type === 'function_call' ? [[item.call_id, item.arguments]] : []));
    assert.deepEqual(calls, [
      ['a', '{"city":"Paris"}'],
      ['b', '{"city":"Rome"}'],
    ]);
  });

  for (const model of ['failed', 'failed-at-once']) {
    it(`reads a stream that ${model.replaceAll('-', ' ')}`, async () => {
      const response = await client.responses.stream({ model, input: 'Hi' }).finalResponse();
      assert.equal(response.status, 'failed');
      assert.deepEqual(response.error, { code: 'server_error', message: 'The model broke' });
    });
  }

  it('throws for an error event in a stream that has begun', async () => {
    await assert.rejects(client.responses.stream({ model: 'error-event', input: 'Hi' }).finalResponse(), /Full/);
    const events = await client.responses.create({ model: 'error-event', input: 'Hi', stream: true });
    await assert.rejects(async () => {
      for await (const event of events) assert.notEqual(event.type, 'error');
    }, /Full/);
  });
});

function withoutIds(item: object): unknown {
  const { id, parsed_arguments, content, ...rest } = item as {
    id: string;
    parsed_arguments?: null;
    content?: object[];
  };
  assert.match(id, /^(msg|rs|fc)_/);
  if (content === undefined) return rest;
  return { ...rest, content: content.map((part) => ({ ...part, parsed: null })) };
}
