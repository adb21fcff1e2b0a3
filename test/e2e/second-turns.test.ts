import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type OpenAI from 'openai';
import { asObjects, type JsonObject } from 'portcullis/sdk';
import { saved, startGateway, type TestGateway } from '../support/gateway.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { suiteScope } from './suite-scope.ts';

/** A first answer of Gemini: signed thinking, and a signed call. */
const signature = 'CiQBVKhc7gVNlWrmzW9MEkbHv9yoFbGKmwzxrG1dzkhB7g==';
const answer: JsonObject = {
  candidates: [
    {
      index: 0,
      finishReason: 'STOP',
      content: {
        role: 'model',
        parts: [
          { text: 'One place.', thought: true, thoughtSignature: signature },
          { functionCall: { id: 'call-1', name: 'weather', args: { place: 'Paris' } }, thoughtSignature: signature },
        ],
      },
    },
  ],
  modelVersion: 'gemini-3-pro',
  responseId: 'r',
};
const parameters = { type: 'object', properties: { place: { type: 'string' } } } as const;

describe('a conversation that moves to another provider', () => {
  const scope = suiteScope();
  async function open(): Promise<{ readonly peer: Peer; readonly gateway: TestGateway }> {
    const peer = await startPeer(scope);
    const gateway = await startGateway(scope, {
      providers: {
        google: saved('google', `${peer.origin}/v1beta`),
        openai: saved('openai', `${peer.origin}/v1`),
        anthropic: saved('anthropic', `${peer.origin}/v1`),
      },
    });
    peer.next({ body: answer });
    return { peer, gateway };
  }

  it('goes on at OpenAI, for a client of chat completions', async () => {
    const { peer, gateway } = await open();
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Where?' }];
    const tools = [{ type: 'function', function: { name: 'weather', parameters } }] as const;
    const client = gateway.openai();
    const first = await client.chat.completions.create({ model: '@google/gemini-3-pro', messages, tools: [...tools] });
    const message = first.choices[0]?.message ?? assert.fail('no answer');
    const id = message.tool_calls?.[0]?.id ?? assert.fail('no call');
    messages.push(message, { role: 'tool', tool_call_id: id, content: 'Rain' });
    await client.chat.completions.create({ model: '@openai/gpt-4o', messages, tools: [...tools] });
    const [, called, answered] = asObjects(peer.requests[1]?.body.messages);
    assert.deepEqual([asObjects(called?.tool_calls)[0]?.id, answered?.tool_call_id], ['call-1', 'call-1']);

    await client.chat.completions.create({ model: '@google/gemini-3-pro', messages, tools: [...tools] });
    const [, content] = asObjects(peer.requests[2]?.body.contents);
    assert.equal(asObjects(content?.parts)[0]?.thoughtSignature, signature);
  });

  it('goes on at OpenAI, for a client of responses', async () => {
    const { peer, gateway } = await open();
    const client = gateway.openai();
    const tools: OpenAI.Responses.Tool[] = [{ type: 'function', name: 'weather', parameters, strict: false }];
    const first = await client.responses.create({ model: '@google/gemini-3-pro', input: 'Where?', tools });
    const call = first.output.find((item) => item.type === 'function_call') ?? assert.fail('no call');
    const result = { type: 'function_call_output', call_id: call.call_id, output: 'Rain' } as const;
    // The types of what comes and of what goes differ in items that are not here.
    const output = first.output as OpenAI.Responses.ResponseInput;
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Where?' }, ...output, result];
    await client.responses.create({ model: '@openai/gpt-5', input, tools, store: false });
    const items = asObjects(peer.requests[1]?.body.input);
    assert.deepEqual(
      items.map(({ type, call_id }) => [type, call_id]),
      [
        [undefined, undefined],
        ['function_call', 'call-1'],
        ['function_call_output', 'call-1'],
      ],
    );
  });

  it('goes on at Anthropic, for a client of messages', async () => {
    const { peer, gateway } = await open();
    const client = gateway.anthropic();
    const tools = [{ name: 'weather', input_schema: parameters }];
    const asked = { role: 'user', content: 'Where?' } as const;
    const first = await client.messages.create({
      model: '@google/gemini-3-pro',
      max_tokens: 99,
      messages: [asked],
      tools,
    });
    const call = first.content.find((block) => block.type === 'tool_use') ?? assert.fail('no call');
    const result = { type: 'tool_result', tool_use_id: call.id, content: 'Rain' } as const;
    await client.messages.create({
      model: '@anthropic/claude-test',
      max_tokens: 99,
      messages: [asked, { role: 'assistant', content: first.content }, { role: 'user', content: [result] }],
      tools,
    });
    const [, called, answered] = asObjects(peer.requests[1]?.body.messages);
    assert.deepEqual(called?.content, [{ type: 'tool_use', id: 'call-1', name: 'weather', input: { place: 'Paris' } }]);
    assert.equal(asObjects(answered?.content)[0]?.tool_use_id, 'call-1');
  });
});
