import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { messages } from '../../../../sdk/dialects/messages/index.ts';
import type { Completion, Delta } from '../../../../sdk/dialects/neutral.ts';
import { contextOf, wireOf } from './support.ts';

const at = (block: number) => ({ choice: 0, block });

const streams: Readonly<Record<string, readonly Delta[]>> = {
  answer: [
    { type: 'start', id: 'chatcmpl-1', model: 'm' },
    { type: 'thinking', ...at(0), text: 'Two ' },
    { type: 'thinking', ...at(0), text: 'calls.' },
    { type: 'signature', ...at(0), signature: 'EqQB' },
    { type: 'text', ...at(1), text: 'Let me ' },
    { type: 'text', ...at(1), text: 'check.' },
    { type: 'tool-call', ...at(2), id: 'a', name: 'get_weather' },
    { type: 'tool-call', ...at(3), id: 'b', name: 'get_time' },
    { type: 'tool-arguments', ...at(2), text: '{"city":' },
    { type: 'tool-arguments', ...at(3), text: '{"zone"' },
    { type: 'tool-arguments', ...at(2), text: '"Paris"}' },
    { type: 'tool-arguments', ...at(3), text: ':"CET"}' },
    { type: 'finish', choice: 0, reason: 'tool_calls' },
    { type: 'usage', usage: { input: 30, output: 9, cacheRead: 20 } },
    { type: 'end' },
  ],
  refusal: [
    { type: 'start', id: 'chatcmpl-2', model: 'm' },
    { type: 'refusal', ...at(0), text: 'I cannot.' },
    { type: 'finish', choice: 0, reason: 'content_filter' },
    { type: 'end' },
  ],
  fault: [
    { type: 'start', id: 'chatcmpl-3', model: 'm' },
    { type: 'text', ...at(0), text: 'He' },
    { type: 'fault', fault: { status: 529, message: 'Overloaded' } },
  ],
};

const completion: Completion = {
  id: 'chatcmpl-1',
  model: 'm',
  choices: [
    {
      index: 0,
      finish: 'tool_calls',
      parts: [
        { type: 'thinking', text: 'Two calls.', signature: 'EqQB' },
        { type: 'text', text: 'Let me check.' },
        { type: 'tool-call', id: 'a', name: 'get_weather', arguments: '{"city":"Paris"}' },
        { type: 'tool-call', id: 'b', name: 'get_time', arguments: '{"zone":"CET"}' },
      ],
    },
  ],
  usage: { input: 30, output: 9, cacheRead: 20 },
};

const content = [
  { type: 'thinking', thinking: 'Two calls.', signature: 'EqQB' },
  { type: 'text', text: 'Let me check.' },
  { type: 'tool_use', id: 'a', name: 'get_weather', input: { city: 'Paris' } },
  { type: 'tool_use', id: 'b', name: 'get_time', input: { zone: 'CET' } },
];

describe('the official client', () => {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { model, stream } = JSON.parse(body) as { model: string; stream?: boolean };
      if (request.url === '/v1/messages/count_tokens') {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(messages.counting?.encodeReply(14)));
      } else if (model === 'broken') {
        response.writeHead(429, { 'content-type': 'application/json' });
        response.end(JSON.stringify(messages.encodeFault({ status: 429, message: 'slow' }, 'req_1')));
      } else if (stream) {
        response.setHeader('content-type', 'text/event-stream');
        response.end(wireOf(streams[model] ?? []));
      } else {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(messages.encodeReply(completion, contextOf())));
      }
    });
  });
  let client: Anthropic;
  const ask = (model: string) => ({ model, max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hi' }] });

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    client = new Anthropic({ apiKey: 'none', baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('assembles a stream of thinking, text and two parallel calls', async () => {
    const message = await client.messages.stream(ask('answer')).finalMessage();
    assert.deepEqual(JSON.parse(JSON.stringify(message.content)), content);
    assert.equal(message.stop_reason, 'tool_use');
    assert.equal(message.usage.input_tokens, 10);
    assert.equal(message.usage.cache_read_input_tokens, 20);
    assert.equal(message.usage.output_tokens, 9);
  });

  it('reads a whole reply', async () => {
    const message = await client.messages.create(ask('answer'));
    assert.deepEqual(message.content, content);
    assert.equal(message.stop_reason, 'tool_use');
  });

  it('sees a refusal', async () => {
    const message = await client.messages.stream(ask('refusal')).finalMessage();
    assert.equal(message.stop_reason, 'refusal');
    assert.deepEqual(JSON.parse(JSON.stringify(message.content)), [{ type: 'text', text: 'I cannot.' }]);
  });

  it('throws on a fault inside a stream', async () => {
    await assert.rejects(client.messages.stream(ask('fault')).finalMessage(), (error) => {
      assert.ok(error instanceof Anthropic.APIError);
      assert.match(error.message, /overloaded_error.*Overloaded/);
      return true;
    });
  });

  it('throws the error that fits the status', async () => {
    await assert.rejects(client.messages.create(ask('broken')), Anthropic.RateLimitError);
  });

  it('reads a token count', async () => {
    const count = await client.messages.countTokens({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
    assert.equal(count.input_tokens, 14);
  });
});
