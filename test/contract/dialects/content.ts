import type { GenerationDialectName } from '../../../sdk/dialects/dialect.ts';
import type {
  Choice,
  Completion,
  FinishReason,
  Part,
  ThinkingPart,
  ToolCallPart,
  Usage,
} from '../../../sdk/dialects/neutral.ts';
import { type Json, parseJson } from '../../../sdk/json.ts';

/** What an answer says, in a form that two wire formats can be compared by. */
export interface Content {
  readonly model: string;
  readonly choices: readonly ChoiceContent[];
}
export interface ChoiceContent {
  readonly text: string;
  readonly refusal: string;
  readonly thinking: readonly { readonly text: string; readonly signature: string }[];
  readonly redacted: readonly string[];
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: Json;
    readonly signature: string;
  }[];
  readonly finish: FinishReason;
}

/** What the client format has a place for. */
interface Holds {
  readonly choices: boolean;
  readonly refusal: boolean;
  readonly thinking: boolean;
  readonly redacted: boolean;
  readonly calls: boolean;
}

function holds(client: GenerationDialectName, strict: boolean): Holds {
  switch (client) {
    case 'chat':
      return { choices: true, refusal: true, thinking: !strict, redacted: !strict, calls: true };
    case 'completions':
      return { choices: true, refusal: false, thinking: false, redacted: false, calls: false };
    case 'messages':
      return { choices: false, refusal: false, thinking: true, redacted: true, calls: true };
    case 'responses':
      return { choices: false, refusal: true, thinking: true, redacted: true, calls: true };
    case 'converse':
      return { choices: false, refusal: false, thinking: true, redacted: true, calls: true };
    case 'cohere':
      return { choices: false, refusal: false, thinking: true, redacted: false, calls: true };
    case 'gemini':
      return { choices: true, refusal: false, thinking: true, redacted: false, calls: true };
  }
}

/** The part of an answer that a client of this format must see. */
export function contentFor(client: GenerationDialectName, strict: boolean, completion: Completion): Content {
  const place = holds(client, strict);
  const choices = place.choices ? completion.choices : completion.choices.slice(0, 1);
  // The format does not name the model.
  const model = client === 'converse' ? '' : completion.model;
  return { model, choices: choices.map((choice) => choiceContent(choice, client, place)) };
}

function choiceContent(choice: Choice, client: GenerationDialectName, place: Holds): ChoiceContent {
  const { parts } = choice;
  const spoken = parts.flatMap((part) => (isSpoken(part, place) ? [part.text] : [])).join('');
  const refusals = parts.flatMap((part) => (part.type === 'refusal' ? [part.text] : []));
  const thinking = thoughtsOf(parts, client);
  const redacted = parts.flatMap((part) => (part.type === 'redacted-thinking' ? [part.data] : []));
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
  return {
    text: spoken,
    refusal: place.refusal ? refusals.join('') : '',
    thinking: place.thinking
      ? thinking
          .map(({ text, signature }) => ({ text, signature: signature ?? '' }))
          .filter((part) => part.text || part.signature)
      : [],
    redacted: place.redacted ? redacted : [],
    calls: place.calls
      ? calls.map((call) => ({
          id: call.id,
          name: call.name,
          arguments: argumentsOf(call, client),
          signature: call.signature ?? '',
        }))
      : [],
    finish: finishFor(choice.finish, client, refusals.length > 0),
  };
}

function isSpoken(part: Part, place: Holds): part is Extract<Part, { type: 'text' | 'refusal' }> {
  return part.type === 'text' || (part.type === 'refusal' && !place.refusal);
}

// Free text stands under `input` where arguments are an object.
function argumentsOf({ arguments: text, custom }: ToolCallPart, client: GenerationDialectName): Json {
  if (custom && (client === 'messages' || client === 'gemini' || client === 'converse')) return { input: text };
  return text.trim() === '' ? {} : (parseJson(text) ?? text);
}

// The format has no border between two thoughts of which the first is not signed.
function thoughtsOf(parts: readonly Part[], client: GenerationDialectName): readonly ThinkingPart[] {
  const thoughts: ThinkingPart[] = [];
  let before: Part | undefined;
  for (const part of parts) {
    const last = thoughts.at(-1);
    const continues = client === 'gemini' && before?.type === 'thinking' && before.signature === undefined;
    if (part.type === 'thinking' && last !== undefined && continues) {
      thoughts[thoughts.length - 1] = { ...part, text: last.text + part.text };
    } else if (part.type === 'thinking') thoughts.push(part);
    // What the format cannot hold, and what is empty, leaves no trace between two thoughts.
    if (part.type !== 'redacted-thinking') before = part;
  }
  return thoughts;
}

function finishFor(finish: FinishReason, client: GenerationDialectName, refused: boolean): FinishReason {
  // The format says a refusal with the stop reason only.
  if (client === 'messages' && refused && finish === 'stop') return 'content_filter';
  if (client === 'completions' && finish === 'tool_calls') return 'stop';
  return finish;
}

const counts = {
  chat: ['input', 'output', 'total', 'cacheRead', 'cacheWrite', 'reasoning'],
  completions: ['input', 'output', 'total', 'cacheRead', 'cacheWrite', 'reasoning'],
  messages: ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'reasoning'],
  responses: ['input', 'output', 'total', 'cacheRead', 'cacheWrite', 'reasoning'],
  gemini: ['input', 'output', 'total', 'cacheRead', 'reasoning'],
  converse: ['input', 'output', 'total', 'cacheRead', 'cacheWrite', 'cacheWrite1h'],
  cohere: ['input', 'output', 'cacheRead'],
} as const satisfies Record<GenerationDialectName, readonly (keyof Usage)[]>;

/** The token counts that a client of this format must see; a count that is 0 is as good as none. */
export function usageFor(
  client: GenerationDialectName,
  usage: Usage | undefined,
): { readonly [name: string]: number } | undefined {
  if (usage === undefined) return undefined;
  const complete = { ...usage, total: usage.total ?? usage.input + usage.output };
  return Object.fromEntries(counts[client].map((name) => [name, complete[name] ?? 0]));
}
