import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects } from '../../../sdk/dialects/index.ts';
import type { Call, Message, Part } from '../../../sdk/dialects/neutral.ts';
import { asObject, asObjects, type JsonObject } from '../../../sdk/json.ts';
import { contextOf, conversational, frozen } from './codec.ts';
import { checkRequest } from './request-rules.ts';
import { richCalls, texts } from './rich-calls.ts';

const { converse, chat, messages } = dialects;

/** Rich calls with what this format has no place for in one it has: a picture that is stored. */
function stored(client: string): JsonObject {
  const call = Object.entries(richCalls).find(([name]) => name === client)?.[1] ?? {};
  return frozen(JSON.parse(JSON.stringify(call).replaceAll('https://example.com/cat.png', 's3://example/cat.png')));
}

function sent(client: (typeof conversational)[number], body: JsonObject, lost: string[] = []): JsonObject {
  const context = contextOf(true);
  const request = converse.encodeCall(frozen(client.decodeCall(frozen(body), contextOf(true))), context);
  lost.push(...context.lost);
  checkRequest('converse', request, true);
  return frozen(request);
}

function callOf(parts: readonly Message[], more: Partial<Call> = {}): Call {
  return frozen({ model: 'm', messages: parts, dialect: 'chat', extra: {}, ...more });
}

const user = (...parts: Part[]): Message => ({ role: 'user', parts });
const said = (text: string): Part => ({ type: 'text', text });
const encoded = (call: Call) => converse.encodeCall(call, contextOf(true));
const contentOf = (request: JsonObject, at = 0) => asObjects(asObjects(request.messages)[at]?.content);

describe('converse: a call of any client reaches it whole, or what is lost is reported', () => {
  for (const client of conversational) {
    it(client.name, () => {
      const lost: string[] = [];
      const request = sent(client, stored(client.name), lost);
      const text = JSON.stringify(request);
      for (const fact of texts) {
        if (!fact.startsWith('https:')) assert.ok(text.includes(fact), `${fact.slice(0, 40)} is sent`);
      }
      assert.ok(text.includes('s3://example/cat.png'));
      const again = converse.decodeCall(request, contextOf(true));
      const names = again.tools?.map((tool) => (tool.type === 'native' ? '' : tool.name));
      assert.deepEqual(names, ['weather']);
      assert.ok(['tool', 'required'].includes(again.toolChoice?.mode ?? ''));
      assert.equal(again.responseFormat?.type, 'json_schema');
      const once = converse.encodeCall(frozen(again), contextOf(true));
      assert.deepEqual(once, request, 'decoding and encoding gives the request back');
    });
  }
});

describe('converse: what the API cannot take is refused or told, never lost', () => {
  it('URLs of pictures and documents', () => {
    const picture: Part = { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } };
    const document: Part = { type: 'file', source: { kind: 'url', url: 'https://example.com/a.pdf' } };
    for (const part of [picture, document])
      assert.throws(() => encoded(callOf([user(part)])), {
        code: 'translation_unsupported',
        param: 'messages[0].content[0]',
      });
  });

  it('ids of files, formats that no model reads, several answers and spoken ones', () => {
    const id: Part = { type: 'file', source: { kind: 'file-id', id: 'file-1' } };
    const zip: Part = { type: 'file', source: { kind: 'base64', mediaType: 'application/zip', data: 'AA==' } };
    const refused: readonly Call[] = [
      callOf([user(id)]),
      callOf([user(zip)]),
      callOf([user(said('Hi'))], { n: 2 }),
      callOf([user(said('Hi'))], { modalities: ['text', 'audio'] }),
      callOf([user(said('Hi'))], { tools: [{ type: 'custom', name: 'free' }] }),
      callOf([user(said('Hi'))], { extra: { previous_response_id: 'resp_1' } }),
    ];
    for (const call of refused) assert.throws(() => encoded(call), { code: 'translation_unsupported' });
    assert.throws(() => encoded(callOf([{ role: 'system', parts: [said('Hi')] }])), { code: 'bad_request' });
  });

  it('a stop word that is one string, blank texts and empty stop words', () => {
    const body = {
      model: 'm',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: ' ' },
      ],
      stop: 'END',
    };
    const request = sent(chat, body);
    assert.deepEqual(request.inferenceConfig, { stopSequences: ['END'] });
    assert.equal(asObjects(request.messages).length, 1);
  });

  it('texts stay the parts that they are', () => {
    assert.deepEqual(contentOf(encoded(callOf([user(said('a'), said('b')), user(said('c'))]))), [
      { text: 'a' },
      { text: 'b' },
      { text: 'c' },
    ]);
  });

  it('tools that may not be called: history in words, and no tools', () => {
    const call = callOf(
      [
        user(said('Hi')),
        { role: 'assistant', parts: [{ type: 'tool-call', id: 'a', name: 'f', arguments: '{"x":1}' }] },
        { role: 'tool', parts: [{ type: 'tool-result', callId: 'a', content: [said('two')] }] },
      ],
      { tools: [{ type: 'function', name: 'f' }], toolChoice: { mode: 'none' } },
    );
    const { tools: _, toolChoice: __, ...without } = call;
    for (const request of [encoded(call), encoded(frozen(without))]) {
      checkRequest('converse', request, true);
      assert.equal(request.toolConfig, undefined);
      assert.deepEqual(contentOf(request, 1), [{ text: '[Tool call a: f {"x":1}]' }]);
      assert.deepEqual(contentOf(request, 2), [{ text: '[Tool result a: two]' }]);
    }
  });

  it('cache marks of texts, tools, results and of the whole request', () => {
    const mark = { ttl: '1h' } as const;
    const result: Part = { type: 'tool-result', callId: 'a', content: [said('two')], cache: {} };
    const request = encoded(
      callOf(
        [
          { role: 'system', parts: [{ ...said('Be brief.'), cache: mark } as Part] },
          user(said('Hi')),
          { role: 'assistant', parts: [{ type: 'tool-call', id: 'a', name: 'f', arguments: '' }] },
          { role: 'tool', parts: [result] },
          user(said('Go on.')),
        ],
        { tools: [{ type: 'function', name: 'f', cache: mark }], cache: {} },
      ),
    );
    const point = { cachePoint: { type: 'default', ttl: '1h' } };
    assert.deepEqual(request.system, [{ text: 'Be brief.' }, point]);
    assert.deepEqual(asObjects(asObject(request.toolConfig)?.tools)[1], point);
    const last = contentOf(request, 2);
    assert.deepEqual(
      last.map((block) => Object.keys(block)[0]),
      ['toolResult', 'cachePoint', 'text', 'cachePoint'],
    );
  });

  it('names of documents differ and hold the characters that they may', () => {
    const file = (filename: string): Part => ({
      type: 'file',
      filename,
      source: { kind: 'base64', mediaType: 'text/markdown; charset=utf-8', data: 'QQ==' },
    });
    const blocks = contentOf(encoded(callOf([user(file('my_report  v1.md'), file('my_report  v1.md'), file('ü'))])));
    const named = blocks.map((block) => [asObject(block.document)?.name, asObject(block.document)?.format]);
    assert.deepEqual(named, [
      ['my-report v1', 'md'],
      ['my-report v1-2', 'md'],
      ['-', 'md'],
    ]);
  });

  it('videos and sounds', () => {
    const video: Part = { type: 'file', source: { kind: 'base64', mediaType: 'video/mp4', data: 'AA==' } };
    const sound: Part = {
      type: 'audio',
      format: 'mp3',
      source: { kind: 'base64', mediaType: 'audio/mpeg', data: 'AA==' },
    };
    assert.deepEqual(contentOf(encoded(callOf([user(video, sound)]))), [
      { video: { format: 'mp4', source: { bytes: 'AA==' } } },
      { audio: { format: 'mp3', source: { bytes: 'AA==' } } },
    ]);
  });

  it('thinking of its own kind comes back, that of others does not', () => {
    const own = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds';
    const parts: readonly Part[] = [
      { type: 'thinking', text: 'mine', signature: own },
      { type: 'thinking', text: 'theirs', signature: 'gAAAAABoMX6d' },
      { type: 'thinking', text: 'unsigned' },
      { type: 'redacted-thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT' },
      said('Done.'),
    ];
    const context = contextOf(true);
    const request = converse.encodeCall(callOf([user(said('Hi')), { role: 'assistant', parts }]), context);
    assert.deepEqual(contentOf(request, 1), [
      { reasoningContent: { reasoningText: { text: 'mine', signature: own } } },
      { reasoningContent: { redactedContent: 'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT' } },
      { text: 'Done.' },
    ]);
    assert.deepEqual(context.lost, ['thinking', 'thinking']);
  });

  it('ids of calls that are too long, or hold other characters', () => {
    const id = `call ${'x'.repeat(100)}`;
    const request = encoded(
      callOf(
        [
          user(said('Hi')),
          { role: 'assistant', parts: [{ type: 'tool-call', id, name: 'f', arguments: 'no object' }] },
          { role: 'tool', parts: [{ type: 'tool-result', callId: id, content: [], isError: true }] },
        ],
        { tools: [{ type: 'function', name: 'f' }] },
      ),
    );
    const use = asObject(contentOf(request, 1)[0]?.toolUse);
    const result = asObject(contentOf(request, 2)[0]?.toolResult);
    assert.match(String(use?.toolUseId), /^[a-zA-Z0-9_-]{1,64}$/);
    assert.equal(result?.toolUseId, use?.toolUseId);
    assert.deepEqual([use?.input, result?.status], [{ input: 'no object' }, 'error']);
  });

  it('a budget of thinking stays below the limit of the answer', () => {
    const call = callOf([user(said('Hi'))], {
      maxTokens: 500,
      reasoning: { enabled: true, budgetTokens: 2000 },
      temperature: 0.2,
    });
    const context = contextOf(true);
    const request = converse.encodeCall(call, context);
    assert.deepEqual(request.inferenceConfig, { maxTokens: 2500 });
    assert.deepEqual(request.additionalModelRequestFields, { thinking: { type: 'enabled', budget_tokens: 2000 } });
    assert.deepEqual(context.lost, ['temperature']);
  });

  it('fields of its own by both spellings, unknown ones to the model, those of other formats nowhere', () => {
    const context = contextOf(true);
    const extra = {
      guardrail_config: { guardrailIdentifier: 'g', guardrailVersion: '1' },
      performanceConfig: { latency: 'optimized' },
      additional_model_request_fields: { a: 1 },
      min_p: 0.1,
      web_search_options: {},
    };
    const request = converse.encodeCall(
      callOf([user(said('Hi'))], { extra, topK: 3, metadata: { team: 'a', bad: 'ü' } }),
      context,
    );
    assert.deepEqual(request.guardrailConfig, extra.guardrail_config);
    assert.deepEqual(request.performanceConfig, { latency: 'optimized' });
    assert.deepEqual(request.additionalModelRequestFields, { top_k: 3, min_p: 0.1, a: 1 });
    assert.deepEqual(request.requestMetadata, { team: 'a' });
    assert.deepEqual(context.lost, ['web_search_options', 'metadata']);
  });

  it('tokens are counted of the same request', () => {
    const call = messages.decodeCall(
      { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
      contextOf(true),
    );
    const body = converse.counting?.encodeCall(call, contextOf(true));
    assert.deepEqual(body, { input: { converse: { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] } } });
    assert.equal(converse.counting?.decodeReply({ inputTokens: 7 }), 7);
  });
});
