import { asObject, type Json, type JsonObject } from 'portcullis/sdk';
import type { Actions, FeedbackRule, StreamRule } from './hook.ts';
import { fault, readChoice, readFlag, readInteger, readNumber, readObject, readText, refuseUnknown } from './values.ts';

/** The keys of a guardrail that say what its verdict means; all other keys of a shorthand are checks. */
export const actionKeys = [
  'deny',
  'async',
  'sequential',
  'on_success',
  'on_fail',
  'onSuccess',
  'onFail',
  'mode',
  'stream_mode',
  'stream_window',
  'message',
  'guardrail_version_id',
] as const;

const known: ReadonlySet<string> = new Set(actionKeys);
const windowKeys: ReadonlySet<string> = new Set(['tokens', 'ms', 'overlap_tokens']);
const feedbackKeys: ReadonlySet<string> = new Set(['value', 'weight', 'metadata']);

/** @throws GatewayError `invalid_config` naming the field and what is accepted */
export function readActions(given: JsonObject, param: string): Actions {
  refuseUnknown(given, known, param);
  const onFail = given.on_fail ?? given.onFail;
  const onSuccess = given.on_success ?? given.onSuccess;
  const deny = readFlag(given.deny, blocks(onFail, `${param}.on_fail`), `${param}.deny`);
  const async = readFlag(given.async, false, `${param}.async`);
  if (deny && async)
    throw fault(`${param}.async`, 'cannot be true beside deny: what runs after the reply denies nothing');
  return {
    deny,
    async,
    sequential: readFlag(given.sequential, false, `${param}.sequential`),
    shadow: readChoice(given.mode, ['enforce', 'shadow'], `${param}.mode`) === 'shadow',
    onSuccess: readFeedback(onSuccess, 5, `${param}.on_success`),
    onFail: readFeedback(onFail, -5, `${param}.on_fail`),
    versionId: readText(given.guardrail_version_id, 100, `${param}.guardrail_version_id`),
    stream: readStream(given, param),
    message: readText(given.message, 4096, `${param}.message`),
  };
}

/** Older forms say with a word what failing does. */
function blocks(onFail: Json | undefined, param: string): boolean {
  if (typeof onFail !== 'string') return false;
  return readChoice(onFail, ['block', 'deny', 'log', 'none'], param)?.match(/block|deny/) != null;
}

function readFeedback(given: Json | undefined, standard: number, param: string): FeedbackRule | undefined {
  if (given === undefined || given === null || typeof given === 'string') return undefined;
  const object = readObject(given, param);
  const feedback = object?.feedback === undefined ? undefined : readObject(object.feedback, `${param}.feedback`);
  if (object === undefined || feedback === undefined) {
    if (object !== undefined) refuseUnknown(object, new Set(['feedback']), param);
    return undefined;
  }
  refuseUnknown(object, new Set(['feedback']), param);
  refuseUnknown(feedback, feedbackKeys, `${param}.feedback`);
  return {
    value: readNumber(feedback.value, standard, [-10, 10], `${param}.feedback.value`),
    weight: readNumber(feedback.weight, 1, [0, 1], `${param}.feedback.weight`),
    metadata: readMetadata(feedback.metadata, `${param}.feedback.metadata`),
  };
}

/** An object of texts, or its JSON; '' is none. */
function readMetadata(given: Json | undefined, param: string): Readonly<Record<string, string>> {
  if (given === undefined || given === null || given === '') return {};
  const object = typeof given === 'string' ? asObject(parsed(given)) : asObject(given);
  if (object === undefined || !Object.values(object).every((value) => typeof value === 'string'))
    throw fault(param, 'must be an object of texts, or its JSON');
  return object as Readonly<Record<string, string>>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readStream(given: JsonObject, param: string): StreamRule {
  const mode = readChoice(given.stream_mode, ['after', 'window'], `${param}.stream_mode`) ?? 'after';
  const window = readObject(given.stream_window, `${param}.stream_window`) ?? {};
  if (given.stream_window !== undefined && mode !== 'window')
    throw fault(`${param}.stream_window`, 'goes with stream_mode: window, which is missing');
  refuseUnknown(window, windowKeys, `${param}.stream_window`);
  const tokens = readInteger(window.tokens, 128, [8, 4096], `${param}.stream_window.tokens`);
  return {
    mode,
    tokens,
    ms: readInteger(window.ms, 500, [10, 10_000], `${param}.stream_window.ms`),
    overlap: readInteger(
      window.overlap_tokens,
      Math.min(32, tokens),
      [0, 4096],
      `${param}.stream_window.overlap_tokens`,
    ),
  };
}

/** As they are stored and shown. */
export function shownActions(actions: Actions): JsonObject {
  const { deny, async, sequential, shadow, onSuccess, onFail, stream, message } = actions;
  return {
    deny,
    async,
    sequential,
    mode: shadow ? 'shadow' : 'enforce',
    on_success: shownFeedback(onSuccess),
    on_fail: shownFeedback(onFail),
    stream_mode: stream.mode,
    ...(stream.mode === 'after'
      ? {}
      : { stream_window: { tokens: stream.tokens, ms: stream.ms, overlap_tokens: stream.overlap } }),
    ...(message === undefined ? {} : { message }),
  };
}

function shownFeedback(rule: FeedbackRule | undefined): JsonObject {
  if (rule === undefined) return {};
  const { value, weight, metadata } = rule;
  // Clients of the API take it for a text.
  const text = Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata);
  return { feedback: { value, weight, metadata: text } };
}
