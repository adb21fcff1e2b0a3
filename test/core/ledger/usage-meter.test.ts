import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  answersOf,
  dialects,
  type EmbeddingDialect,
  type GenerationDialect,
  type JsonObject,
  UsageMeter,
} from 'portcullis/sdk';
import { WholeReply } from '../../../core/ledger/counted-reply.ts';
import { closeLedgers } from './ledgers.ts';
import { type Recording, recordings } from './recorded.ts';

after(closeLedgers);

/** The states of a meter that sees the events one by one, as they change, and then the end. */
function statesOf({ dialect, answers, events }: Recording): readonly string[] {
  const meter = new UsageMeter(dialects[dialect].usage, answers);
  const states: string[] = [];
  for (const event of events) {
    const data = event.slice(event.indexOf('data: ') + 6).trim();
    if (data === '[DONE]') meter.end();
    else meter.see(JSON.parse(data) as JsonObject);
    if (states.at(-1) !== meter.state) states.push(meter.state);
  }
  meter.end();
  if (states.at(-1) !== meter.state) states.push(meter.state);
  return states;
}

describe('a meter', () => {
  const expected: Readonly<Record<string, readonly string[]>> = {
    chat: ['none', 'final'],
    'chat-with-finish': ['none', 'final'],
    'chat-running': ['provisional', 'final'],
    'chat-two-answers': ['provisional', 'final'],
    'chat-two-finishes': ['none', 'provisional', 'final'],
    'chat-null-choices': ['none', 'final'],
    'chat-audio': ['none', 'final'],
    completions: ['none', 'final'],
    messages: ['provisional', 'final'],
    'messages-server-tool': ['provisional', 'final'],
    'messages-compaction': ['provisional', 'final'],
    'messages-proxied': ['provisional', 'final'],
    responses: ['none', 'final'],
    'responses-tools': ['none', 'final'],
    gemini: ['provisional', 'final'],
    'gemini-tools': ['provisional', 'final'],
  };
  for (const recording of recordings) {
    it(`knows what is provisional and what is final in ${recording.name}`, () => {
      assert.deepEqual(statesOf(recording), expected[recording.name]);
    });

    it(`learns why ${recording.name} ended`, () => {
      const meter = new UsageMeter(dialects[recording.dialect].usage, recording.answers);
      for (const event of recording.events) {
        const data = event.slice(event.indexOf('data: ') + 6).trim();
        if (data !== '[DONE]') meter.see(JSON.parse(data) as JsonObject);
      }
      assert.deepEqual([meter.finish, meter.tier], [recording.finish, recording.tier]);
    });
  }

  it('takes nothing back', () => {
    const meter = new UsageMeter(dialects.chat.usage);
    meter.see({ choices: [{}], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } });
    meter.see({ choices: [], usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } });
    meter.see({ choices: [], usage: { prompt_tokens: null, completion_tokens: 5 } });
    assert.deepEqual(meter.usage, { input: 7, output: 5, total: 12 });
  });

  it('is not deceived by what is no count', () => {
    const meter = new UsageMeter(dialects.chat.usage);
    for (const usage of [null, 'many', [], {}, { prompt_tokens: '7' }]) meter.see({ choices: [], usage });
    assert.deepEqual([meter.state, meter.usage], ['none', undefined]);
  });

  it('knows how many answers a request wants', () => {
    const cases: readonly (readonly [JsonObject, number])[] = [
      [{}, 1],
      [{ n: 3 }, 3],
      [{ n: 0 }, 1],
      [{ n: 2, prompt: ['a', 'b', 'c'] }, 6],
      [{ prompt: [1, 2, 3] }, 1],
      [{ prompt: [] }, 1],
      [{ generationConfig: { candidateCount: 2 } }, 2],
      [{ generation_config: { candidate_count: 3 } }, 3],
      [{ generationConfig: null }, 1],
    ];
    for (const [request, answers] of cases) assert.equal(answersOf(request), answers, JSON.stringify(request));
  });
});

describe('a whole reply', () => {
  const openai = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const search = { type: 'web_search_call', action: { type: 'search' } };
  const cases: readonly (readonly [
    string,
    GenerationDialect | EmbeddingDialect,
    JsonObject,
    JsonObject,
    string | undefined,
  ])[] = [
    [
      'behind a long text',
      dialects.chat,
      { choices: [{ text: 'x'.repeat(9000) }], usage: openai },
      { input: 3, output: 2, total: 5 },
      undefined,
    ],
    [
      'before a long text',
      dialects.chat,
      { usage: openai, choices: [{ text: 'x'.repeat(9000) }] },
      { input: 3, output: 2, total: 5 },
      undefined,
    ],
    [
      'in a chat about usage',
      dialects.chat,
      { usage: openai, choices: [{ text: '"usage":{"prompt_tokens":9}' }] },
      { input: 3, output: 2, total: 5 },
      undefined,
    ],
    [
      'with its tier behind it',
      dialects.chat,
      { usage: openai, service_tier: 'flex' },
      { input: 3, output: 2, total: 5 },
      'flex',
    ],
    [
      'with its tier before it',
      dialects.chat,
      { service_tier: 'priority', choices: [], usage: openai },
      { input: 3, output: 2, total: 5 },
      'priority',
    ],
    [
      'of a message',
      dialects.messages,
      {
        type: 'message',
        stop_reason: 'end_turn',
        usage: { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 3, service_tier: 'batch' },
      },
      { input: 7, output: 3, cacheRead: 2 },
      'batch',
    ],
    [
      'of a message in the fast mode',
      dialects.messages,
      { usage: { input_tokens: 5, output_tokens: 3, service_tier: 'standard', speed: 'fast' } },
      { input: 5, output: 3 },
      'fast',
    ],
    [
      'of a response whose tools are billed',
      dialects.responses,
      { status: 'completed', output: [search, search], usage: { input_tokens: 5, output_tokens: 3 } },
      { input: 5, output: 3, serverTools: { web_search: 2 } },
      undefined,
    ],
    [
      'of gemini',
      dialects.gemini,
      {
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6, serviceTier: 'flex' },
      },
      { input: 4, output: 2, total: 6 },
      'flex',
    ],
    [
      'of embeddings',
      dialects.embeddings,
      { data: [], usage: { prompt_tokens: 8, total_tokens: 8 } },
      { input: 8, output: 0, total: 8 },
      undefined,
    ],
    [
      'of gemini embeddings',
      dialects['gemini-embeddings'],
      { embeddings: [], usageMetadata: { promptTokenCount: 8 } },
      { input: 8, output: 0 },
      undefined,
    ],
    [
      'of cohere, which bills fewer tokens than it reads',
      dialects.cohere,
      {
        message: { content: [] },
        usage: {
          billed_units: { input_tokens: 5, output_tokens: 418 },
          tokens: { input_tokens: 71, output_tokens: 418 },
        },
      },
      { input: 71, output: 418, billed: { input: 5, output: 418 } },
      undefined,
    ],
    [
      'of cohere embeddings',
      dialects['cohere-embeddings'],
      {
        embeddings: { float: [] },
        texts: ['"meta"', 'meta'],
        meta: { billed_units: { input_tokens: 20, image_tokens: 4000 } },
      },
      { input: 4020, output: 0, imageInput: 4000 },
      undefined,
    ],
    [
      'of cohere embeddings before their vectors',
      dialects['cohere-embeddings'],
      {
        meta: { billed_units: { input_tokens: 20 } },
        embeddings: { float: [new Array(900).fill(0.5)] },
        texts: ['meta'],
      },
      { input: 20, output: 0 },
      undefined,
    ],
  ];
  for (const [what, dialect, json, usage, tier] of cases) {
    it(`tells its final counts ${what}`, () => {
      const { meter } = new WholeReply(Buffer.from(JSON.stringify(json)), dialect);
      assert.deepEqual([meter.state, meter.usage, meter.tier], ['final', usage, tier]);
    });
  }

  for (const text of ['', 'null', '{"choices":[]}', '{"usage":null}', '"usage"', '{"usage":{"prompt']) {
    it(`tells none where it is ${JSON.stringify(text)}`, () => {
      const { meter } = new WholeReply(Buffer.from(text), dialects.chat);
      assert.deepEqual([meter.state, meter.usage], ['none', undefined]);
    });
  }
});
