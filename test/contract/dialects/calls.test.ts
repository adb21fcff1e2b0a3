import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateRequest } from '../../../core/http/validate.ts';
import type { GenerationDialect } from '../../../sdk/dialects/dialect.ts';
import type { Call, Part } from '../../../sdk/dialects/neutral.ts';
import { type Json, parseJson } from '../../../sdk/json.ts';
import { contextOf, conversational, frozen } from './codec.ts';
import { requests } from './recordings.ts';
import { checkRequest, meaning } from './request-rules.ts';
import { richCalls, texts } from './rich-calls.ts';

type Name = keyof typeof richCalls;
const named = conversational as readonly (GenerationDialect & { readonly name: Name })[];

/** The fields of a call that each target has, in the words that its own decoder reads back. */
const common = ['maxTokens', 'temperature', 'toolNames', 'toolChoice', 'schema', 'stream', 'effort'] as const;
const held: Readonly<Record<Name, readonly string[]>> = {
  chat: [
    ...common,
    ...[
      'parallelToolCalls',
      'topP',
      'n',
      'seed',
      'stop',
      'presencePenalty',
      'frequencyPenalty',
      'logitBias',
      'logprobs',
    ],
    ...['topLogprobs', 'user', 'metadata', 'serviceTier', 'verbosity', 'store', 'promptCacheKey', 'safetyIdentifier'],
  ],
  messages: [...common, 'parallelToolCalls', 'topK', 'stop', 'user'],
  responses: [
    ...common,
    ...['parallelToolCalls', 'topP', 'topLogprobs', 'user', 'metadata', 'serviceTier', 'verbosity', 'store'],
    ...['promptCacheKey', 'safetyIdentifier'],
  ],
  gemini: [
    ...common.filter((field) => field !== 'stream'),
    ...['topP', 'topK', 'n', 'seed', 'stop', 'presencePenalty', 'frequencyPenalty', 'logprobs', 'topLogprobs'],
  ],
};

/** Wire names under which a lost field may be reported. */
const reported: Readonly<Record<string, readonly string[]>> = {
  topP: ['top_p'],
  topK: ['top_k'],
  parallelToolCalls: ['parallel_tool_calls'],
  presencePenalty: ['presence_penalty'],
  frequencyPenalty: ['frequency_penalty'],
  logitBias: ['logit_bias'],
  topLogprobs: ['top_logprobs', 'logprobs'],
  serviceTier: ['service_tier'],
  promptCacheKey: ['prompt_cache_key'],
  safetyIdentifier: ['safety_identifier'],
};

/** Asking for what a target does anyway is no loss. */
const silent: Readonly<Record<Name, readonly string[]>> = {
  chat: [],
  // One answer is all that there is; either name of the end user goes as `user_id`.
  messages: ['n', 'safetyIdentifier'],
  responses: ['n', 'logprobs'],
  // Streaming and the model are in the URL; `auto` is what every tier does.
  gemini: ['stream', 'serviceTier'],
};

interface Seen {
  readonly [field: string]: Json | undefined;
}

/** The formats' words for the usual tier. */
const tiers: Readonly<Record<string, string>> = { standard: 'default', standard_only: 'default' };

function fieldsOf(call: Call): Seen {
  const {
    messages: _,
    tools,
    responseFormat,
    reasoning,
    extra: __,
    dialect: ___,
    model: ____,
    includeUsage: _____,
    ...scalars
  } = call;
  const schema = responseFormat?.type === 'json_schema' ? responseFormat.schema : undefined;
  return {
    ...(scalars as Seen),
    cache: undefined,
    toolNames: tools?.map((tool) => (tool.type === 'native' ? '' : tool.name)),
    serviceTier: tiers[call.serviceTier ?? ''] ?? call.serviceTier,
    toolChoice: meaning({ ...call, parallelToolCalls: true }),
    schema,
    effort: reasoning === undefined ? undefined : 'some',
  };
}

interface Told {
  readonly calls: readonly Json[];
  readonly results: readonly Json[];
  readonly media: readonly string[];
}

function toldBy(call: Call): Told {
  const parts = call.messages.flatMap((message) => message.parts);
  const inside = parts.flatMap((part): readonly Part[] =>
    part.type === 'tool-result' ? [part, ...part.content] : [part],
  );
  return {
    calls: parts.flatMap((part) =>
      part.type === 'tool-call' ? [[part.id, part.name, parseJson(part.arguments) ?? '']] : [],
    ),
    results: parts.flatMap((part) => (part.type === 'tool-result' ? [[part.callId, textOf(part.content)]] : [])),
    media: inside
      .flatMap((part) =>
        'source' in part ? [JSON.stringify(part.source).replace(/,"mediaType":"image\/png"(?=\})/, '')] : [],
      )
      .toSorted(),
  };
}

function textOf(parts: readonly Part[]): string {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return text.replace(/^The tool failed:/, '');
}

describe('calls: everything that a target can hold reaches it, everything else is reported', () => {
  for (const client of named) {
    for (const target of named) {
      for (const strict of [true, false]) {
        it(`${client.name} -> ${target.name}${strict ? ', strict' : ''}`, () => {
          const body = frozen(structuredClone(richCalls[client.name]));
          if (client.name !== 'gemini') validateRequest(client.name, body, { strict });
          const call = frozen(client.decodeCall(body, contextOf(strict)));
          const context = contextOf(strict);
          const sent = frozen(target.encodeCall(call, context));
          checkRequest(target.name, sent, strict);
          const text = JSON.stringify(sent);
          for (const fact of texts) assert.ok(text.includes(fact), `${fact.slice(0, 40)} is sent`);
          const again = target.decodeCall(target.name === 'gemini' ? { model: 'm', ...sent } : sent, contextOf(strict));
          checkFields(fieldsOf(call), fieldsOf(again), target.name, context.lost);
          assert.deepEqual(toldBy(again), toldBy(call));
        });
      }
    }
  }
});

function checkFields(wanted: Seen, got: Seen, target: Name, lost: readonly string[]): void {
  for (const [field, value] of Object.entries(wanted)) {
    if (value === undefined || value === false || silent[target].includes(field)) continue;
    if (isSame(value, got[field])) continue;
    const names = reported[field] ?? [field];
    assert.ok(
      names.some((name) => lost.includes(name)),
      `${field} is lost without a word: ${JSON.stringify(value)} -> ${JSON.stringify(got[field])}; ${lost}`,
    );
    assert.ok(!held[target].includes(field) || isExcused(field, target), `${target} has a place for ${field}`);
  }
}

// Within what the API of messages accepts: one of temperature and top_p, no top_k while thinking.
function isExcused(field: string, target: Name): boolean {
  return target === 'messages' && ['topK', 'temperature'].includes(field);
}

function isSame(wanted: Json, got: Json | undefined): boolean {
  return JSON.stringify(wanted) === JSON.stringify(got);
}

describe('calls: decoding and encoding in one format gives the request back', () => {
  for (const recording of requests) {
    const text = JSON.stringify(recording.json);
    // Signatures in the ids of calls are for providers that ask for them, and thinking without one for providers of chat.
    if (recording.dialect.name === 'completions' || /__sig_|"signature":""/.test(text)) continue;
    it(`${recording.name} (${recording.dialect.name})`, () => {
      const { dialect } = recording;
      const once = dialect.encodeCall(frozen(dialect.decodeCall(recording.json, contextOf(false))), contextOf(false));
      const readable = dialect.name === 'gemini' ? { ...once, model: recording.json.model ?? '' } : once;
      const call = dialect.decodeCall(frozen(readable), contextOf(false));
      assert.deepEqual(
        call,
        dialect.decodeCall({ ...recording.json, model: recording.json.model ?? '' }, contextOf(false)),
        'the same call',
      );
      assert.deepEqual(dialect.encodeCall(frozen(call), contextOf(false)), once, 'the same request, the second time');
      const renamed = new Set([
        'max_tokens',
        'functions',
        'function_call',
        'generation_config',
        'system_instruction',
        'model',
        'tool_config',
        'system',
      ]);
      for (const field in recording.json) {
        const value = recording.json[field];
        if (value !== null && !renamed.has(field)) assert.ok(field in once, `${field} is kept`);
      }
    });
  }
});

it('calls: top_logprobs without logprobs, which other formats refuse, is reported and left out', () => {
  const [chat, , , gemini] = named;
  const body = { model: 'm', input: 'Hi', top_logprobs: 2 };
  const call = named.find((dialect) => dialect.name === 'responses')?.decodeCall(body, contextOf(true));
  for (const target of [chat, gemini]) {
    assert.ok(call !== undefined && target !== undefined);
    const context = contextOf(true);
    checkRequest(target.name, target.encodeCall(call, context), true);
    assert.deepEqual(
      context.lost.filter((field) => field === 'top_logprobs'),
      ['top_logprobs'],
    );
  }
});
