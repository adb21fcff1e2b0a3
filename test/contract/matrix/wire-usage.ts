import {
  asNumber,
  asObject,
  asObjects,
  asString,
  createFramer,
  type Json,
  type JsonObject,
  parseJson,
} from 'portcullis/sdk';
import type { Heard } from './client-formats.ts';

type Counts = { readonly [name: string]: number };

/** All objects of an answer: its own, or those of its events; none where they are framed in bytes. */
function objectsOf(bytes: Uint8Array): readonly JsonObject[] {
  const text = Buffer.from(bytes).toString('utf8');
  const whole = parseJson(text);
  if (whole !== undefined) return asObjects(Array.isArray(whole) ? whole : [whole]);
  const framer = createFramer('sse');
  const frames = [...framer.push(Buffer.from(bytes)), ...framer.end()];
  return asObjects(frames.map(({ data }) => parseJson(data) ?? null));
}

/** Numbers at any depth by name; of a name that comes twice the last that is not 0. */
function numbersIn(value: Json | undefined, counts: { [name: string]: number } = {}): Counts {
  for (const [name, member] of Object.entries(asObject(value) ?? {})) {
    const number = asNumber(member);
    if (number !== undefined && (number > 0 || counts[name] === undefined)) counts[name] = number;
    else numbersIn(member, counts);
  }
  return counts;
}

const sum = (counts: Counts, ...names: readonly string[]) =>
  names.reduce((total, name) => total + (counts[name] ?? 0), 0);

/** How each wire format says what was used, read without its dialect. */
const readers: Readonly<Record<string, (counts: Counts) => Heard['usage']>> = {
  chat: (counts) =>
    counts.prompt_tokens === undefined
      ? undefined
      : { prompt: counts.prompt_tokens, completion: counts.completion_tokens ?? 0, total: counts.total_tokens ?? 0 },
  messages: (counts) =>
    counts.input_tokens === undefined
      ? undefined
      : {
          prompt: sum(counts, 'input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'),
          completion: counts.output_tokens ?? 0,
        },
  responses: (counts) =>
    counts.input_tokens === undefined
      ? undefined
      : { prompt: counts.input_tokens, completion: counts.output_tokens ?? 0 },
  gemini: (counts) =>
    counts.promptTokenCount === undefined
      ? undefined
      : {
          prompt: sum(counts, 'promptTokenCount', 'toolUsePromptTokenCount'),
          completion: sum(counts, 'candidatesTokenCount', 'thoughtsTokenCount'),
        },
  converse: (counts) =>
    counts.inputTokens === undefined
      ? undefined
      : {
          prompt: sum(counts, 'inputTokens', 'cacheReadInputTokens', 'cacheWriteInputTokens'),
          completion: counts.outputTokens ?? 0,
        },
};

/** What an answer of a wire format says about its tokens; undefined where it says nothing, or nothing that is read here. */
export function usageTold(dialect: string, bytes: Uint8Array): Heard['usage'] {
  const read = readers[dialect === 'completions' ? 'chat' : dialect];
  if (read === undefined) return undefined;
  const counts: { [name: string]: number } = {};
  for (const object of objectsOf(bytes)) for (const usage of usagesIn(object)) numbersIn(usage, counts);
  return read(counts);
}

const places = new Set(['usage', 'usageMetadata']);

function usagesIn(object: JsonObject): readonly Json[] {
  return Object.entries(object).flatMap(([name, value]) => {
    if (places.has(name)) return [value];
    const inside = asObject(value);
    return inside === undefined || asString(inside.type) === 'input_text' ? [] : usagesIn(inside);
  });
}
