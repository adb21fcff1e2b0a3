import assert from 'node:assert/strict';
import { asArray, asNumber, asObject, asObjects, asString, type JsonObject, parseJson } from 'portcullis/sdk';
import { eventsIn, objectsIn } from './events.ts';

/** What a client must find in an answer, whatever its format. */
export interface Heard {
  readonly text: string;
  /** The first choice's, in the format's own words. */
  readonly finish: string;
  /** Tokens, those read from caches among the prompt's; undefined where the answer tells none. */
  readonly usage: Told | undefined;
}

/** What an answer says about its tokens. */
export interface Told {
  readonly prompt: number;
  readonly completion: number;
  /** Some providers leave out what thinking took, but of the sum. */
  readonly total?: number;
}

/** One of the formats that clients ask generated answers in. */
export interface ClientFormat {
  readonly name: 'chat' | 'completions' | 'messages' | 'responses';
  readonly path: string;
  ask(model: string, stream: boolean): JsonObject;
  /** @throws Error where a member is missing that the format's documents require */
  whole(reply: JsonObject): Heard;
  /** @throws Error likewise, and where the stream does not end as it must */
  streamed(text: string): Heard;
  /** Whether the last event is one that ends the stream well. */
  ends(last: JsonObject | string | undefined): boolean;
}

const hello = [{ role: 'user', content: 'Hi' }];
const asked = { stream_options: { include_usage: true } };

export const clientFormats: readonly ClientFormat[] = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    ask: (model, stream) => ({ model, messages: hello, ...(stream ? { stream, ...asked } : {}) }),
    whole: (reply) => wholeChoices(reply, 'chat.completion'),
    streamed: (text) => streamedChoices(text, 'chat.completion.chunk'),
    ends: (last) => last === '[DONE]',
  },
  {
    name: 'completions',
    path: '/v1/completions',
    ask: (model, stream) => ({ model, prompt: 'Hi', ...(stream ? { stream, ...asked } : {}) }),
    whole: (reply) => wholeChoices(reply, 'text_completion'),
    streamed: (text) => streamedChoices(text, 'text_completion'),
    ends: (last) => last === '[DONE]',
  },
  {
    name: 'messages',
    path: '/v1/messages',
    ask: (model, stream) => ({ model, max_tokens: 512, messages: hello, ...(stream ? { stream } : {}) }),
    whole: wholeMessage,
    streamed: streamedMessage,
    ends: (last) => typeof last === 'object' && last.type === 'message_stop',
  },
  {
    name: 'responses',
    path: '/v1/responses',
    ask: (model, stream) => ({ model, input: 'Hi', ...(stream ? { stream } : {}) }),
    whole: wholeResponse,
    streamed: streamedResponse,
    ends: (last) =>
      typeof last === 'object' && (last.type === 'response.completed' || last.type === 'response.incomplete'),
  },
];

const finishes: Readonly<Record<string, readonly string[]>> = {
  'chat.completion': ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'],
  text_completion: ['stop', 'length', 'content_filter'],
};
const stops = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
];

function oneOf(value: unknown, known: readonly string[], what: string): string {
  assert.ok(typeof value === 'string' && known.includes(value), `${what} is ${JSON.stringify(value)}`);
  return value;
}

function named(value: unknown, what: string): string {
  assert.ok(typeof value === 'string' && value !== '', `${what} is ${JSON.stringify(value)}`);
  return value;
}

function integer(value: unknown, what: string): number {
  assert.ok(Number.isInteger(value) && Number(value) >= 0, `${what} is ${JSON.stringify(value)}`);
  return Number(value);
}

/** What the chat and the completions format have alike. Some servers give no name, but its empty place. */
function checkEnvelope(reply: JsonObject, object: string): void {
  assert.equal(typeof reply.id, 'string', 'id');
  integer(reply.created, 'created');
  assert.equal(typeof reply.model, 'string', 'model');
  if (reply.id !== '') assert.equal(reply.object, object);
}

function wholeChoices(reply: JsonObject, object: string): Heard {
  checkEnvelope(reply, object);
  const choices = asObjects(reply.choices);
  assert.ok(choices.length > 0, 'there is a choice');
  for (const [index, choice] of choices.entries()) assert.equal(choice.index, index, 'index of a choice');
  const [first = {}] = choices;
  const finish = oneOf(first.finish_reason, finishes[object] ?? [], 'finish_reason');
  if (object === 'text_completion') {
    assert.equal(typeof first.text, 'string', 'text');
    return { text: String(first.text), finish, usage: choiceUsage(reply.usage) };
  }
  const message = asObject(first.message) ?? {};
  assert.equal(message.role, 'assistant');
  assert.ok(
    message.content === null || typeof message.content === 'string' || Array.isArray(message.content),
    'content',
  );
  for (const call of asObjects(message.tool_calls)) checkCall(call);
  return { text: textOf(message.content), finish, usage: choiceUsage(reply.usage) };
}

function checkCall(call: JsonObject): void {
  named(call.id, 'id of a tool call');
  assert.equal(call.type, 'function');
  const { name, arguments: args } = asObject(call.function) ?? {};
  named(name, 'name of a tool');
  assert.ok(parseJson(String(args)) !== undefined, 'arguments of a tool call are JSON');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return asObjects(content as never)
    .map(({ text }) => asString(text) ?? '')
    .join('');
}

function choiceUsage(given: unknown): Heard['usage'] {
  const usage = asObject(given as never);
  if (usage === undefined) return undefined;
  const prompt = integer(usage.prompt_tokens, 'prompt_tokens');
  const completion = integer(usage.completion_tokens ?? 0, 'completion_tokens');
  return { prompt, completion, total: integer(usage.total_tokens, 'total_tokens') };
}

function streamedChoices(text: string, object: string): Heard {
  const events = eventsIn(text);
  assert.equal(events.at(-1), '[DONE]', 'the last event');
  const chunks = objectsIn(text);
  assert.equal(chunks.length, events.length - 1, 'every other event is an object');
  for (const chunk of chunks) checkEnvelope(chunk, object);
  const ids = new Set(chunks.flatMap(({ id }) => (id === '' ? [] : [id])));
  assert.ok(ids.size < 2, 'all chunks have one id');
  const firsts = chunks.flatMap(({ choices }) => asObjects(choices).filter(({ index }) => index === 0));
  const ends = firsts.flatMap(({ finish_reason: reason }) => (reason === null || reason === undefined ? [] : [reason]));
  assert.equal(new Set(ends).size, 1, `one reason to finish, not ${JSON.stringify(ends)}`);
  const known = finishes[object === 'text_completion' ? object : 'chat.completion'] ?? [];
  const texts = firsts.map(({ delta, text: own }) => asString(own) ?? textOf(asObject(delta)?.content));
  const usages = chunks.flatMap(({ usage }) => asObject(usage) ?? []);
  return {
    text: texts.join(''),
    finish: oneOf(ends[0], known, 'finish_reason'),
    usage: choiceUsage(usages.at(-1)),
  };
}

function wholeMessage(reply: JsonObject): Heard {
  named(reply.id, 'id');
  assert.equal(reply.type, 'message');
  assert.equal(reply.role, 'assistant');
  named(reply.model, 'model');
  assert.ok(Array.isArray(reply.content), 'content');
  assert.ok('stop_sequence' in reply, 'stop_sequence');
  for (const block of asObjects(reply.content)) named(block.type, 'type of a block');
  const texts = asObjects(reply.content).map(({ type, text }) => (type === 'text' ? String(text) : ''));
  const usage = messageUsage(asObject(reply.usage) ?? {});
  assert.ok(usage !== undefined, 'usage');
  return { text: texts.join(''), finish: oneOf(reply.stop_reason, stops, 'stop_reason'), usage };
}

function messageUsage(usage: JsonObject): Heard['usage'] {
  if (usage.input_tokens === undefined) return undefined;
  const input = integer(usage.input_tokens, 'input_tokens');
  const cached = (asNumber(usage.cache_read_input_tokens) ?? 0) + (asNumber(usage.cache_creation_input_tokens) ?? 0);
  return { prompt: input + cached, completion: integer(usage.output_tokens, 'output_tokens') };
}

function streamedMessage(text: string): Heard {
  const events = objectsIn(text).filter(({ type }) => type !== 'ping');
  const started = asObject(events[0]?.message) ?? {};
  assert.equal(events[0]?.type, 'message_start', 'the first event');
  assert.equal(events.at(-1)?.type, 'message_stop', 'the last event');
  named(started.id, 'id');
  assert.equal(started.role, 'assistant');
  const open = new Set<unknown>();
  const texts: string[] = [];
  let usage: JsonObject = asObject(started.usage) ?? {};
  let stop: unknown;
  for (const { type, index, delta, usage: told, content_block: block } of events) {
    const piece = asObject(delta) ?? {};
    if (type === 'content_block_start') {
      assert.ok(!open.has(index), 'a block starts once');
      open.add(index);
      texts.push(asString(asObject(block)?.text) ?? '');
    } else if (type === 'content_block_delta') {
      assert.ok(open.has(index), 'a delta belongs to an open block');
      texts.push(asString(piece.text) ?? '');
    } else if (type === 'content_block_stop') assert.ok(open.delete(index), 'a block that stops has started');
    else if (type === 'message_delta') {
      stop = piece.stop_reason;
      usage = { ...usage, ...asObject(told) };
    }
  }
  assert.equal(open.size, 0, 'all blocks have stopped');
  return { text: texts.join(''), finish: oneOf(stop, stops, 'stop_reason'), usage: messageUsage(usage) };
}

function wholeResponse(reply: JsonObject): Heard {
  named(reply.id, 'id');
  assert.equal(reply.object, 'response');
  integer(reply.created_at, 'created_at');
  named(reply.model, 'model');
  assert.ok(Array.isArray(reply.output), 'output');
  const texts = asObjects(reply.output).flatMap(({ type, content, id }) => {
    named(type, 'type of an item');
    if (type !== 'message') return [];
    named(id, 'id of a message');
    return asObjects(content).map(({ text }) => asString(text) ?? '');
  });
  return {
    text: texts.join(''),
    finish: oneOf(reply.status, ['completed', 'incomplete'], 'status'),
    usage: responseUsage(reply.usage),
  };
}

function responseUsage(given: unknown): Heard['usage'] {
  const usage = asObject(given as never);
  if (usage === undefined) return undefined;
  return {
    prompt: integer(usage.input_tokens, 'input_tokens'),
    completion: integer(usage.output_tokens, 'output_tokens'),
    total: integer(usage.total_tokens, 'total_tokens'),
  };
}

function streamedResponse(text: string): Heard {
  const events = objectsIn(text);
  assert.equal(events[0]?.type, 'response.created', 'the first event');
  const last = events.at(-1);
  oneOf(last?.type, ['response.completed', 'response.incomplete'], 'the last event');
  const numbers = events.map(({ sequence_number: number }) => number);
  assert.deepEqual(
    numbers,
    numbers.toSorted((one, other) => Number(one) - Number(other)),
    'events are counted',
  );
  const items = (type: string) =>
    asArray(events.filter((event) => event.type === type).map(({ output_index: at }) => at ?? null));
  assert.deepEqual(
    new Set(items('response.output_item.done')),
    new Set(items('response.output_item.added')),
    'every item is done',
  );
  const pieces = events.flatMap(({ type, delta }) => (type === 'response.output_text.delta' ? [String(delta)] : []));
  const heard = wholeResponse(asObject(last?.response) ?? {});
  assert.equal(pieces.join(''), heard.text, 'the deltas are the text');
  return heard;
}
