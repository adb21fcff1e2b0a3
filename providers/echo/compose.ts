import type { Call, Choice, Completion, Part, Reasoning, Usage } from 'portcullis/sdk';
import type { Behaviour } from './model-name.ts';
import { charactersOf, inputTokens, lastUserText, tokensOf, wordsOf } from './text.ts';
import { toolCallsFor } from './tool-calls.ts';

export interface Ids {
  newId(prefix: string): string;
  nowSeconds(): number;
}

const idPrefixes: Readonly<Record<string, string>> = { completions: 'cmpl-', messages: 'msg_', responses: 'resp_' };

/** The signature of every thinking part: opaque to clients, as with real models. */
const signature = Buffer.from('echo-thinking-signature').toString('base64');

const maxChoices = 128;
const longText = 100_000;

/** The answer to a call: the last user text, as the call's limits and the model name shape it. */
export function compose(call: Call, behaviour: Behaviour, ids: Ids): Completion {
  const text = behaviour.large === undefined ? lastUserText(call) : filler(behaviour.large);
  const count = text.length > longText ? 1 : Math.min(call.n ?? 1, maxChoices);
  const choices = Array.from({ length: count }, (_, index) => choiceOf(index, text, call, behaviour, ids));
  return {
    id: ids.newId(idPrefixes[call.dialect] ?? 'chatcmpl-'),
    model: call.model,
    created: ids.nowSeconds(),
    choices,
    usage: usageOf(call, choices),
  };
}

function choiceOf(index: number, text: string, call: Call, behaviour: Behaviour, ids: Ids): Choice {
  const thinking: readonly Part[] =
    behaviour.think === 1 || asksToThink(call.reasoning)
      ? [{ type: 'thinking', text: `The user wrote ${text.length} characters. I will repeat them.`, signature }]
      : [];
  const calls = toolCallsFor(call, behaviour, text, ids.newId);
  if (calls.length > 0) return { index, parts: [...thinking, ...calls], finish: 'tool_calls' };

  const { kept, stopSequence } = beforeStop(text, call.stop ?? []);
  const cut = firstWords(kept, call.maxTokens);
  const parts: readonly Part[] = [...thinking, { type: 'text', text: cut }];
  if (cut !== kept) return { index, parts, finish: 'length' };
  return { index, parts, finish: 'stop', ...(stopSequence === undefined ? {} : { stopSequence }) };
}

function asksToThink(reasoning: Reasoning | undefined): boolean {
  if (reasoning === undefined || reasoning.enabled === false || reasoning.effort === 'none') return false;
  const { enabled, adaptive, budgetTokens, effort } = reasoning;
  return enabled === true || adaptive === true || budgetTokens !== undefined || effort !== undefined;
}

function beforeStop(text: string, stops: readonly string[]): { readonly kept: string; readonly stopSequence?: string } {
  let kept = text;
  let stopSequence: string | undefined;
  for (const stop of stops) {
    const at = stop === '' ? -1 : kept.indexOf(stop);
    if (at === -1) continue;
    kept = kept.slice(0, at);
    stopSequence = stop;
  }
  return stopSequence === undefined ? { kept } : { kept, stopSequence };
}

function firstWords(text: string, count: number | undefined): string {
  if (count === undefined) return text;
  const words = wordsOf(text);
  return words.length <= count ? text : words.slice(0, count).join('').trimEnd();
}

function usageOf(call: Call, choices: readonly Choice[]): Usage {
  const parts = choices.flatMap((choice) => choice.parts);
  const reasoning = tokensOf(charactersOf(parts.filter((part) => part.type === 'thinking')));
  const input = inputTokens(call);
  const output = reasoning + tokensOf(charactersOf(parts.filter((part) => part.type !== 'thinking')));
  return { input, output, total: input + output, ...(reasoning === 0 ? {} : { reasoning }) };
}

const line = 'The portcullis goes up and the portcullis goes down again.\n';

function filler(kilobytes: number): string {
  const length = kilobytes * 1000;
  return line.repeat(Math.ceil(length / line.length)).slice(0, length);
}
