import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { cohere as cohereChat } from '../../../sdk/dialects/cohere/index.ts';
import { cohereEmbeddings } from '../../../sdk/dialects/cohere-embeddings/index.ts';
import { collector } from '../../../sdk/dialects/collect.ts';
import { dialects } from '../../../sdk/dialects/index.ts';
import type { Call, Completion, Delta, Part } from '../../../sdk/dialects/neutral.ts';
import { deltasOf } from '../../../sdk/dialects/replay.ts';
import { asObject, type JsonObject } from '../../../sdk/json.ts';
import { anyParts, completionOf } from '../../core/dialects/chat/arbitraries.ts';
import { contextOf, decodeFrames, encodeDeltas, framesOf, framesOfText, frozen, generation } from './codec.ts';
import { contentFor, usageFor } from './content.ts';
import { checkStream } from './wire-rules.ts';

const fixture = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../providers/cohere/fixtures/${name}`, import.meta.url)));
const replies = ['chat', 'tools', 'citations', 'thinking', 'json-schema', 'tool-results'];
const streams = ['stream', 'stream-tools', 'stream-citations', 'stream-thinking'];

const replyIn = (name: string) => {
  const recorded = asObject(JSON.parse(fixture(`${name}.upstream.json`).toString()));
  return asObject(recorded?.body) ?? {};
};

function gather(deltas: readonly Delta[]): Completion {
  const gathered = collector();
  for (const delta of deltas) gathered.push(delta);
  return gathered.completion();
}

function encode(call: Partial<Call>, strict = true): { readonly body: JsonObject; readonly lost: readonly string[] } {
  const context = contextOf(strict);
  const whole: Call = { model: 'm', messages: [], dialect: 'chat', extra: {}, ...call };
  return { body: cohereChat.encodeCall(frozen(whole), context), lost: context.lost };
}

const user = (...parts: Part[]) => ({ role: 'user' as const, parts });
const text = (value: string): Part => ({ type: 'text', text: value });

describe('cohere requests', () => {
  const rich: JsonObject = {
    model: 'command-a-plus-05-2026',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'Hm.' }],
        tool_plan: 'I will look.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"it"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'document', document: { id: 'd', data: { a: 'b' } } }] },
    ],
    tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
    tool_choice: 'REQUIRED',
    documents: [{ id: '1', data: { title: 't' } }],
    citation_options: { mode: 'FAST' },
    safety_mode: 'OFF',
    response_format: { type: 'json_object', json_schema: { type: 'object' } },
    thinking: { type: 'enabled', token_budget: 77 },
    max_tokens: 5,
    temperature: 0,
    p: 0.5,
    k: 3,
    seed: 1,
    stop_sequences: ['x'],
    frequency_penalty: 0.25,
    presence_penalty: 0.5,
    logprobs: true,
    stream: true,
  };

  it('come back as they were from their neutral form', () => {
    const context = contextOf(true);
    assert.deepEqual(cohereChat.encodeCall(frozen(cohereChat.decodeCall(frozen(rich), context)), context), rich);
    assert.deepEqual(context.lost, []);
  });

  it('say which tools may be called by leaving out the others', () => {
    const tools = ['one', 'two', 'three'].map((name) => ({ type: 'function' as const, name }));
    const named = (call: Partial<Call>) => {
      const { body } = encode({ tools, ...call });
      const offered = (body.tools as readonly JsonObject[] | undefined)?.map((tool) => asObject(tool.function)?.name);
      return [offered, body.tool_choice];
    };
    assert.deepEqual(named({}), [['one', 'two', 'three'], undefined]);
    assert.deepEqual(named({ toolChoice: { mode: 'none' } }), [['one', 'two', 'three'], 'NONE']);
    assert.deepEqual(named({ toolChoice: { mode: 'required' } }), [['one', 'two', 'three'], 'REQUIRED']);
    assert.deepEqual(named({ toolChoice: { mode: 'tool', name: 'two' } }), [['two'], 'REQUIRED']);
    const names = ['one', 'three'];
    assert.deepEqual(named({ toolChoice: { mode: 'allowed', require: false, names } }), [names, undefined]);
    assert.deepEqual(named({ toolChoice: { mode: 'allowed', require: true, names } }), [names, 'REQUIRED']);
  });

  it('are strict for all tools or for none', () => {
    const tool = (name: string, strict: boolean) => ({ type: 'function' as const, name, strict });
    assert.equal(encode({ tools: [tool('a', true), tool('b', true)] }).body.strict_tools, true);
    const mixed = encode({ tools: [tool('a', true), tool('b', false)] });
    assert.equal(mixed.body.strict_tools, undefined);
    assert.deepEqual(mixed.lost, ['tools.function.strict']);
  });

  it('carry texts that are attached as documents, beside those of the client', () => {
    const file: Part = {
      type: 'file',
      source: { kind: 'base64', mediaType: 'text/plain', data: Buffer.from('Grüße').toString('base64') },
      filename: 'a.txt',
    };
    const { body } = encode({ messages: [user(text('Read'), file)], extra: { documents: ['first'] } });
    assert.deepEqual(body.documents, ['first', { data: { title: 'a.txt', text: 'Grüße' } }]);
    assert.deepEqual(body.messages, [{ role: 'user', content: 'Read' }]);
  });

  it('keep pictures and failures of tool results', () => {
    const image: Part = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } };
    const result: Part = { type: 'tool-result', callId: 'c', content: [text('No.'), image], isError: true };
    assert.deepEqual(encode({ messages: [{ role: 'tool', parts: [result] }] }).body.messages, [
      {
        role: 'tool',
        tool_call_id: 'c',
        content: [
          { type: 'text', text: 'The tool failed:' },
          { type: 'text', text: 'No.' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Result of the tool call c:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
  });

  it('name what was dropped, and refuse what must not be', () => {
    const { lost } = encode({
      logitBias: { 1: 1 },
      topLogprobs: 2,
      user: 'u',
      store: true,
      parallelToolCalls: false,
      extra: { prediction: {} },
    });
    assert.deepEqual([...lost].sort(), [
      ...['logit_bias', 'parallel_tool_calls', 'prediction', 'store', 'top_logprobs', 'user'],
    ]);
    const audio: Part = { type: 'audio', format: 'wav', source: { kind: 'base64', mediaType: 'audio/wav', data: '' } };
    const pdf: Part = { type: 'file', source: { kind: 'base64', mediaType: 'application/pdf', data: '' } };
    const known: Part = { type: 'image', source: { kind: 'file-id', id: 'f' } };
    const refused: readonly Partial<Call>[] = [
      { n: 2 },
      { modalities: ['text', 'audio'] },
      { tools: [{ type: 'custom', name: 'free' }] },
      { extra: { previous_response_id: 'r' } },
      ...[audio, pdf, known].map((part) => ({ messages: [user(part)] })),
    ];
    for (const call of refused) {
      assert.throws(
        () => encode(call),
        { name: 'GatewayError', code: 'translation_unsupported' },
        JSON.stringify(call),
      );
    }
  });

  it('think as much as was asked', () => {
    const thinking = (reasoning: Call['reasoning']) =>
      encode(reasoning === undefined ? {} : { reasoning }).body.thinking;
    assert.equal(thinking(undefined), undefined);
    assert.deepEqual(thinking({ effort: 'none' }), { type: 'disabled' });
    assert.deepEqual(thinking({ enabled: false }), { type: 'disabled' });
    assert.deepEqual(thinking({ effort: 'high' }), { type: 'enabled' });
    assert.deepEqual(thinking({ effort: 'low' }), { type: 'enabled', token_budget: 1024 });
    assert.deepEqual(thinking({ enabled: true, budgetTokens: 33 }), { type: 'enabled', token_budget: 33 });
  });
});

describe('cohere replies reach clients of every format', () => {
  for (const client of generation) {
    for (const name of replies) {
      it(`${name} -> ${client.name}`, () => {
        const completion = cohereChat.decodeReply(frozen(replyIn(name)), contextOf(true));
        for (const strict of [true, false]) {
          const request = { model: 'asked', stream_options: { include_usage: true } };
          const wire = client.encodeReply(frozen(completion), contextOf(strict, request));
          const seen = client.decodeReply(frozen(wire), contextOf(strict, request));
          assert.deepEqual(contentFor(client.name, strict, seen), contentFor(client.name, strict, completion));
        }
      });
    }
    for (const name of streams) {
      it(`${name}, streamed -> ${client.name}`, () => {
        const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });
        fc.assert(
          fc.property(sizes, fc.boolean(), (cuts, strict) => {
            const frames = framesOf(fixture(`${name}.stream.txt`), cuts);
            const deltas = decodeFrames(cohereChat.decodeStream(contextOf(strict)), frames);
            const source = gather(deltas);
            const request = { model: 'asked', stream: true, stream_options: { include_usage: true } };
            const wire = encodeDeltas(client, deltas, contextOf(strict, request));
            checkStream(client.name, wire, { strict, includeUsage: true, counted: true });
            const seen = gather(decodeFrames(client.decodeStream(contextOf(strict)), framesOfText(wire)));
            assert.deepEqual(contentFor(client.name, strict, seen), contentFor(client.name, strict, source));
            assert.deepEqual(usageFor(client.name, seen.usage), usageFor(client.name, source.usage));
          }),
          { numRuns: 5 },
        );
      });
    }
  }
});

describe('cohere replies in their own format', () => {
  /** The format has one answer, and neither refusals, hidden thoughts nor signatures. */
  const plain = (completion: Completion) => {
    const parts = completion.choices[0]?.parts ?? [];
    const blocks = parts.flatMap((part) => {
      if (part.type === 'text' || part.type === 'refusal') return [`text ${part.text}`];
      if (part.type === 'thinking') return [`thinking ${part.text}`];
      return [];
    });
    const calls = parts.flatMap((part) =>
      part.type === 'tool-call' ? [`${part.id} ${part.name} ${part.arguments}`] : [],
    );
    const counts = completion.usage && [completion.usage.input, completion.usage.output];
    return { id: completion.id, blocks, calls, counts };
  };

  it('say the same whole and streamed', () => {
    fc.assert(
      fc.property(completionOf(anyParts), (completion) => {
        const whole = cohereChat.encodeReply(frozen(completion), contextOf(true));
        assert.deepEqual(plain(cohereChat.decodeReply(frozen(whole), contextOf(true))), plain(completion));
        const wire = encodeDeltas(cohereChat, deltasOf(completion), contextOf(true));
        const deltas = decodeFrames(cohereChat.decodeStream(contextOf(true)), framesOfText(wire));
        assert.equal(deltas.at(-1)?.type, 'end');
        assert.deepEqual(plain(gather(deltas)), plain(completion));
      }),
      { numRuns: 100 },
    );
  });

  it('end in a fault when they break off, or tell of one', () => {
    for (const name of streams) {
      const frames = framesOf(fixture(`${name}.stream.txt`));
      const last = frames.findIndex(({ event }) => event === 'message-end');
      for (let count = 0; count <= last; count += 1) {
        const deltas = decodeFrames(cohereChat.decodeStream(contextOf(true)), frames.slice(0, count));
        assert.equal(deltas.at(-1)?.type, 'fault', `${name} after ${count} events`);
      }
    }
    const fault = { status: 502, message: 'llm error', type: 'api_error' };
    const wire = encodeDeltas(
      cohereChat,
      [
        { type: 'start', id: 'i', model: 'm' },
        { type: 'fault', fault },
      ],
      contextOf(true),
    );
    const deltas = decodeFrames(cohereChat.decodeStream(contextOf(true)), framesOfText(wire));
    assert.deepEqual(deltas.at(-1), { type: 'fault', fault });
  });

  it('keep calls apart whose pieces come by turns, and those that never end', () => {
    const start = (index: number) => ({
      type: 'tool-call-start',
      index,
      delta: { message: { tool_calls: { id: `c${index}`, function: { name: `n${index}`, arguments: '' } } } },
    });
    const piece = (index: number, value: string) => ({
      type: 'tool-call-delta',
      index,
      delta: { message: { tool_calls: { function: { arguments: value } } } },
    });
    const end = (index: number) => ({ type: 'tool-call-end', index });
    const events = [
      start(0),
      start(1),
      piece(1, '{'),
      piece(0, '['),
      start(2),
      piece(2, '1'),
      piece(1, '}'),
      end(0),
      end(1),
    ];
    const last = { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } };
    const frames = [...events, last].map((event) => ({ event: event.type, data: JSON.stringify(event) }));
    const deltas = decodeFrames(cohereChat.decodeStream(contextOf(true)), frames);
    const blocks = deltas.flatMap((delta) => ('block' in delta ? [delta.block] : []));
    assert.deepEqual(blocks, [...blocks].sort(), 'blocks never decrease');
    const calls = gather(deltas).choices[0]?.parts.map(
      (part) => part.type === 'tool-call' && [part.id, part.arguments],
    );
    assert.deepEqual(calls, [
      ['c0', '['],
      ['c1', '{}'],
      ['c2', '1'],
    ]);
  });

  it('of any shape are read without a throw', () => {
    fc.assert(
      fc.property(
        fc.object({ key: fc.constantFrom('type', 'delta', 'message', 'content', 'tool_calls', 'index') }),
        (json) => {
          const body = asObject(JSON.parse(JSON.stringify(json))) ?? {};
          cohereChat.decodeReply(body, contextOf(true));
          decodeFrames(cohereChat.decodeStream(contextOf(true)), [{ data: JSON.stringify(body) }]);
        },
      ),
    );
  });

  it('give the words of section 3.4 of the data plane, with the provider’s own beside them', () => {
    const finish = (word: string) => {
      const [choice] = cohereChat.decodeReply({ id: 'i', finish_reason: word, message: {} }, contextOf(true)).choices;
      return [choice?.finish, choice?.nativeFinish];
    };
    for (const word of ['COMPLETE', 'STOP_SEQUENCE', 'ERROR', 'TIMEOUT', 'SOMETHING_NEW']) {
      assert.deepEqual(finish(word), ['stop', word]);
    }
    assert.deepEqual(finish('MAX_TOKENS'), ['length', 'MAX_TOKENS']);
    assert.deepEqual(finish('TOOL_CALL'), ['tool_calls', 'TOOL_CALL']);
  });

  it('count tokens as the provider says, and billed units where it says nothing else', () => {
    const billed = { input_tokens: 5, output_tokens: 2, search_units: 1 };
    const usage = (value: JsonObject) => cohereChat.usageOf({ usage: value });
    assert.deepEqual(
      usage({ billed_units: billed, tokens: { input_tokens: 71, output_tokens: 3 }, cached_tokens: 64 }),
      {
        input: 71,
        output: 3,
        billed: { input: 5, output: 2 },
        cacheRead: 64,
        serverTools: { search_units: 1 },
      },
    );
    assert.deepEqual(usage({ billed_units: { input_tokens: 5, output_tokens: 2 } }), { input: 5, output: 2 });
    assert.equal(usage({}), undefined);
  });
});

describe('cohere embeddings', () => {
  it('are those of the common format', () => {
    const asked = { model: 'embed-v4.0', input: ['a', 'b'], dimensions: 2, encoding_format: 'base64' };
    const call = dialects.embeddings.decodeCall(asked, contextOf(true));
    const sent = cohereEmbeddings.encodeCall(frozen(call), contextOf(true));
    assert.deepEqual(cohereEmbeddings.decodeCall(frozen(sent), contextOf(true)).input, ['a', 'b']);
    const reply = cohereEmbeddings.encodeReply(
      { model: 'm', vectors: [[0.5], [1]], usage: { input: 3, output: 0 } },
      contextOf(true, sent),
    );
    const seen = cohereEmbeddings.decodeReply(frozen(reply), contextOf(true, asked));
    assert.deepEqual(seen, { model: 'embed-v4.0', vectors: [[0.5], [1]], usage: { input: 3, output: 0 } });
  });

  it('take no token arrays', () => {
    const call = dialects.embeddings.decodeCall({ model: 'm', input: [1, 2] }, contextOf(true));
    assert.throws(() => cohereEmbeddings.encodeCall(call, contextOf(true)), { code: 'translation_unsupported' });
  });
});
