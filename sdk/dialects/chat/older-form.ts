import { asNumber, asObject, asObjects, asString, type Json, type JsonObject } from '../../json.ts';
import type { OlderForm } from '../dialect.ts';
import { areSameItems } from '../same-items.ts';
import { CallSlots } from './call-slots.ts';
import { argumentText } from './decode-message.ts';
import { asksFunctions, withFunctionCall } from './legacy-functions.ts';

/** Replies to clients of the deprecated `functions`, where these have left as `tools`: a provider answers with `tool_calls`. */
export function olderForm(asked: JsonObject, sent: JsonObject): OlderForm | undefined {
  return asksFunctions(asked) && sent.functions === undefined ? legacy : undefined;
}

const legacy: OlderForm = {
  whole: (reply) => withChoices(reply, wholeChoice),
  events: () => {
    const slots = new Map<number, CallSlots>();
    return (chunk) =>
      withChoices(chunk, (choice, place) => {
        const index = asNumber(choice.index) ?? place;
        const known = slots.get(index) ?? new CallSlots();
        slots.set(index, known);
        return chunkChoice(choice, known);
      });
  },
};

/** The very same reply where no choice changes. */
function withChoices(reply: JsonObject, change: (choice: JsonObject, place: number) => JsonObject): JsonObject {
  if (!Array.isArray(reply.choices)) return reply;
  const given: readonly Json[] = reply.choices;
  const choices = given.map((item, place) => {
    const choice = asObject(item);
    return choice === undefined ? item : change(choice, place);
  });
  return areSameItems(choices, given) ? reply : { ...reply, choices };
}

function wholeChoice(choice: JsonObject): JsonObject {
  const message = asObject(choice.message) ?? {};
  const calls = asObjects(message.tool_calls);
  const called = asObject(message.function_call) === undefined ? withFunctionCall(message, calls) : message;
  const changed = called === message ? choice : { ...choice, message: called };
  return withFinish(changed, calls.length > 0);
}

function chunkChoice(choice: JsonObject, slots: CallSlots): JsonObject {
  const delta = asObject(choice.delta) ?? {};
  const first: JsonObject[] = [];
  const others: JsonObject[] = [];
  for (const [place, fragment] of asObjects(delta.tool_calls).entries()) {
    const { number, custom } = slots.take(fragment, place);
    (number === 0 && !custom ? first : others).push(fragment);
  }
  const called =
    first.length === 0 ? delta : withFunctionCall(delta, [{ function: joined(first.map(functionOf)) }, ...others]);
  return withFinish(called === delta ? choice : { ...choice, delta: called }, slots.all.length > 0);
}

const functionOf = (fragment: JsonObject): JsonObject => asObject(fragment.function) ?? {};

/** What several fragments of one chunk add to the call. */
function joined(fragments: readonly JsonObject[]): JsonObject {
  const [only, ...more] = fragments;
  if (only !== undefined && more.length === 0) return only;
  const text = fragments.map((fragment) => argumentText(fragment.arguments)).join('');
  return Object.assign({}, ...fragments.toReversed(), { arguments: text });
}

/** Some providers end a choice that calls by `stop`. */
function withFinish(choice: JsonObject, hasCalled: boolean): JsonObject {
  const word = asString(choice.finish_reason);
  const isCall = word === 'tool_calls' || (word === 'stop' && hasCalled);
  return isCall ? { ...choice, finish_reason: 'function_call' } : choice;
}
