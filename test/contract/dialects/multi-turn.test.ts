import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateRequest } from '../../../core/http/validate.ts';
import { collector } from '../../../sdk/dialects/collect.ts';
import type { GenerationDialect, GenerationDialectName } from '../../../sdk/dialects/dialect.ts';
import type { Completion } from '../../../sdk/dialects/neutral.ts';
import { deltasOf } from '../../../sdk/dialects/replay.ts';
import { asArray, asObject, asObjects, asString, type JsonObject } from '../../../sdk/json.ts';
import { contextOf, conversational, decodeFrames, encodeDeltas, framesOfText, frozen } from './codec.ts';

/** Signatures as the makers of the models give them; only the shape of their first bytes matters here. */
const signatures = {
  messages: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds==',
  redacted: 'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpP',
  gemini: 'CiQBVKhc7gVNlWrmzW9MEkbHv9yoFbGKmwzxrG1dzkhB7g==',
  geminiCall: 'EjQKMgG+Pvb7w0dFmLp1nQ8x7Vq2nYbS3kRjT5uW9zXcVbNm',
  geminiText: 'Ci0BVKhc7nIrYk2mQfPzHs8tWvXyZaBcDeFgHiJkLmNoPqRsTu==',
  responses: 'gAAAAABoMX6dZ9Vw2x1yQbTfJt8nR3pK5sL7uW0vXzA4cBdEgHiJ',
} as const;

const call = (id: string, name: string, text: string): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

/** One answer of each provider's format, with two parallel calls. */
const answers: Readonly<Record<Exclude<GenerationDialectName, 'completions' | 'converse' | 'cohere'>, JsonObject>> = {
  chat: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Let me look.',
          reasoning_content: 'Two places.',
          tool_calls: [call('call_a', 'weather', '{"place":"Paris"}'), call('call_b', 'time', '{}')],
        },
        finish_reason: 'tool_calls',
      },
    ],
  },
  messages: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'Two places.', signature: signatures.messages },
      { type: 'redacted_thinking', data: signatures.redacted },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 'toolu_a', name: 'weather', input: { place: 'Paris' } },
      { type: 'tool_use', id: 'toolu_b', name: 'time', input: {} },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 2 },
  },
  responses: {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output: [
      {
        id: 'rs_1',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Two places.' }],
        encrypted_content: signatures.responses,
      },
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }],
      },
      { id: 'fc_1', type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"place":"Paris"}' },
      { id: 'fc_2', type: 'function_call', call_id: 'call_b', name: 'time', arguments: '{}' },
    ],
  },
  gemini: {
    responseId: 'r',
    modelVersion: 'm',
    candidates: [
      {
        index: 0,
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts: [
            { text: 'Two places.', thought: true, thoughtSignature: signatures.gemini },
            { text: 'Let me look.', thoughtSignature: signatures.geminiText },
            { functionCall: { name: 'weather', args: { place: 'Paris' } }, thoughtSignature: signatures.geminiCall },
            { functionCall: { name: 'time', args: {} } },
          ],
        },
      },
    ],
  },
};

/** The next request of a client that got this reply and answers its calls. */
const followUps: Readonly<Record<keyof typeof answers, (reply: JsonObject) => JsonObject>> = {
  chat(reply) {
    const message = asObject(asObjects(reply.choices)[0]?.message) ?? {};
    const results = asObjects(message.tool_calls).map((made) => ({
      role: 'tool',
      tool_call_id: made.id ?? '',
      content: 'ok',
    }));
    return { model: 'gemini-3-pro', messages: [{ role: 'user', content: 'Where?' }, message, ...results] };
  },
  messages(reply) {
    const results = asObjects(reply.content)
      .filter((block) => block.type === 'tool_use')
      .map((block) => ({ type: 'tool_result', tool_use_id: block.id ?? '', content: 'ok' }));
    return {
      model: 'gemini-3-pro',
      max_tokens: 100,
      messages: [
        { role: 'user', content: 'Where?' },
        { role: 'assistant', content: reply.content ?? [] },
        { role: 'user', content: results },
      ],
    };
  },
  responses(reply) {
    const results = asObjects(reply.output)
      .filter((item) => item.type === 'function_call')
      .map((item) => ({ type: 'function_call_output', call_id: item.call_id ?? '', output: 'ok' }));
    return {
      model: 'gemini-3-pro',
      input: [{ role: 'user', content: 'Where?' }, ...asArray(reply.output), ...results],
    };
  },
  gemini(reply) {
    const content = asObject(asObjects(reply.candidates)[0]?.content) ?? {};
    const results = asObjects(content.parts).flatMap((part) => {
      const made = asObject(part.functionCall);
      if (made === undefined) return [];
      const id = made.id === undefined ? {} : { id: made.id };
      return [{ functionResponse: { ...id, name: made.name ?? '', response: { result: 'ok' } } }];
    });
    return {
      model: 'gemini-3-pro',
      contents: [{ role: 'user', parts: [{ text: 'Where?' }] }, content, { role: 'user', parts: results }],
    };
  },
};

interface Pairs {
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** The ids of calls and of results in a request, in their order. */
const pairsIn: Readonly<Record<keyof typeof answers, (body: JsonObject) => Pairs>> = {
  chat: (body) => {
    const messages = asObjects(body.messages);
    return {
      calls: messages.flatMap((message) => asObjects(message.tool_calls)).map((made) => asString(made.id) ?? ''),
      results: messages
        .filter((message) => message.role === 'tool')
        .map((message) => asString(message.tool_call_id) ?? ''),
    };
  },
  messages: (body) => {
    const blocks = asObjects(body.messages).flatMap((message) => asObjects(message.content));
    return {
      calls: blocks.filter((block) => block.type === 'tool_use').map((block) => asString(block.id) ?? ''),
      results: blocks.filter((block) => block.type === 'tool_result').map((block) => asString(block.tool_use_id) ?? ''),
    };
  },
  responses: (body) => {
    const items = asObjects(body.input);
    return {
      calls: items.filter((item) => item.type === 'function_call').map((item) => asString(item.call_id) ?? ''),
      results: items.filter((item) => item.type === 'function_call_output').map((item) => asString(item.call_id) ?? ''),
    };
  },
  gemini: (body) => {
    const parts = asObjects(body.contents).flatMap((content) => asObjects(content.parts));
    const named = (field: string): string[] =>
      parts.flatMap((part) => {
        const value = asObject(part[field]);
        return value === undefined ? [] : [`${asString(value.id) ?? ''} ${asString(value.name)}`];
      });
    return { calls: named('functionCall'), results: named('functionResponse') };
  },
};

type Name = keyof typeof answers;
const named = conversational as readonly (GenerationDialect & { readonly name: Name })[];

function whole(client: GenerationDialect, completion: Completion, strict: boolean): JsonObject {
  return client.encodeReply(completion, contextOf(strict));
}

/** The message that a client gathers from the stream: the decoder and the encoder of its own format stand for it. */
function streamed(client: GenerationDialect, completion: Completion, strict: boolean): JsonObject {
  const wire = encodeDeltas(client, deltasOf(completion), contextOf(strict));
  const gathered = collector();
  for (const delta of decodeFrames(client.decodeStream(contextOf(strict)), framesOfText(wire))) gathered.push(delta);
  return client.encodeReply(gathered.completion(), contextOf(strict));
}

function secondRequest(provider: Name, client: Name, strict: boolean, reply: typeof whole): JsonObject {
  const codec = named.find((dialect) => dialect.name === client);
  const source = named.find((dialect) => dialect.name === provider);
  assert.ok(codec !== undefined && source !== undefined);
  const completion = source.decodeReply(frozen(answers[provider]), contextOf(strict));
  const body = followUps[client](reply(codec, completion, strict));
  if (client !== 'gemini') validateRequest(client, body, { strict });
  return frozen(body);
}

function sent(body: JsonObject, client: Name, target: Name, strict: boolean): JsonObject {
  const from = named.find((dialect) => dialect.name === client);
  const to = named.find((dialect) => dialect.name === target);
  assert.ok(from !== undefined && to !== undefined);
  const request =
    from === to
      ? (to.ownHistory?.(body, contextOf(strict)) ?? body)
      : to.encodeCall(frozen(from.decodeCall(body, contextOf(strict))), contextOf(strict));
  if (target !== 'gemini') validateRequest(target, { model: 'm', ...request }, { strict });
  return request;
}

const names: readonly Name[] = ['chat', 'messages', 'responses', 'gemini'];

describe('multi-turn: an answer of any provider can be continued at any other', () => {
  for (const provider of names) {
    for (const client of names) {
      for (const target of names) {
        it(`${provider} -> ${client} client -> ${target}`, () => {
          for (const strict of [true, false]) {
            for (const reply of [whole, streamed]) {
              const request = sent(secondRequest(provider, client, strict, reply), client, target, strict);
              const { calls, results } = pairsIn[target](request);
              assert.equal(calls.length, 2);
              assert.ok(new Set(calls).size === 2 && calls.every((id) => id !== '' && !id.includes('__sig_')));
              assert.deepEqual(results, calls, 'results answer the calls');
              assert.ok(JSON.stringify(request).includes('Let me look.'));
              checkSignatures(JSON.stringify(request), provider, client, target, strict);
            }
          }
        });
      }
    }
  }
});

const own: Readonly<Record<Name, readonly string[]>> = {
  chat: [],
  messages: [signatures.messages, signatures.redacted],
  responses: [signatures.responses],
  gemini: [signatures.gemini, signatures.geminiText, signatures.geminiCall],
};

function checkSignatures(request: string, provider: Name, client: Name, target: Name, strict: boolean): void {
  for (const signature of own[provider]) {
    const present = request.includes(signature);
    if (target === provider) assert.equal(present, survives(signature, client, strict), `${signature} comes back`);
    else if (target !== 'chat') assert.ok(!present, `${signature} is refused by others`);
  }
}

function survives(signature: string, client: Name, strict: boolean): boolean {
  // Calls carry their signature in the id; thinking has a place in chat only when it is not strict, hidden thinking none in gemini.
  if (signature === signatures.geminiCall) return true;
  if (signature === signatures.redacted && client === 'gemini') return false;
  return client !== 'chat' || !strict;
}
