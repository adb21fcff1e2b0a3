import assert from 'node:assert/strict';
import type { GenerationDialectName } from '../../../sdk/dialects/dialect.ts';
import { asArray, asObject, asObjects, asString, type JsonObject, parseJson } from '../../../sdk/json.ts';
import { framesOfText } from './codec.ts';

export interface Asked {
  readonly includeUsage: boolean;
  /** The answer carries token counts. */
  readonly counted: boolean;
  readonly strict: boolean;
}

interface Event {
  readonly name: string | undefined;
  readonly data: string;
  readonly json: JsonObject;
}

/** The rules that every stream of a format keeps, whoever gave the answer. Throws when one is broken. */
export function checkStream(client: GenerationDialectName, wire: string, asked: Asked): void {
  assert.ok(wire === '' || wire.endsWith('\n\n'), 'ends with a whole frame');
  const events = framesOfText(client === 'gemini' ? dataOnly(wire) : wire).map((frame): Event => {
    const json = frame.data === '[DONE]' ? {} : asObject(parseJson(frame.data));
    assert.ok(json !== undefined, `an event is a JSON object or [DONE]: ${frame.data}`);
    return { name: frame.event, data: frame.data, json };
  });
  assert.doesNotMatch(wire, /"undefined"|\bNaN\b|:undefined/, 'no undefined values');
  rules[client](events, asked);
}

// Official clients of gemini look for an error that stands bare between the events.
function dataOnly(wire: string): string {
  return wire.replace(/^(?=\{)/gm, 'data: ');
}

const rules: Readonly<Record<GenerationDialectName, (events: readonly Event[], asked: Asked) => void>> = {
  chat: (events, asked) => {
    const chunks = checkChunks(events, asked);
    checkChatChoices(chunks);
  },
  completions: (events, asked) => {
    checkFinishes(checkChunks(events, asked));
  },
  messages: checkMessages,
  responses: checkResponses,
  gemini: checkGemini,
  converse: checkConverse,
  cohere: checkCohere,
};

/** Named events, from the start of one message to its end, which alone tells of errors. */
function checkCohere(events: readonly Event[]): void {
  for (const { name, json } of events) assert.equal(name, json.type);
  const ends = events.filter(({ name }) => name === 'message-end');
  assert.deepEqual([ends.length, events.at(-1)?.name], [1, 'message-end']);
  if (ends[0]?.json.delta !== undefined && asObject(ends[0].json.delta)?.error === undefined)
    assert.equal(events[0]?.name, 'message-start');
}

/** Data-only events, one header, usage as asked, and `[DONE]` or an error as the last event. Gives the chunks. */
function checkChunks(events: readonly Event[], asked: Asked): readonly JsonObject[] {
  const last = events.at(-1);
  assert.ok(events.every((event) => event.name === undefined));
  assert.ok(
    last !== undefined && (last.data === '[DONE]' || last.json.error !== undefined),
    'ends with [DONE] or an error',
  );
  assert.equal(events.filter((event) => event.data === '[DONE]' || event.json.error !== undefined).length, 1);
  const chunks = events.slice(0, -1).map((event) => event.json);
  assert.ok(
    new Set(chunks.map(({ id, model, created, object }) => JSON.stringify([id, model, created, object]))).size <= 1,
  );
  for (const chunk of chunks) assert.ok(asString(chunk.id), 'every chunk has an id');
  const counting = chunks.filter((chunk) => asObject(chunk.usage) !== undefined);
  const whole = last.data === '[DONE]';
  assert.equal(
    counting.length,
    whole && asked.includeUsage && asked.counted ? 1 : 0,
    'usage comes when it was asked for',
  );
  for (const chunk of counting) assert.ok(chunk === chunks.at(-1) && asArray(chunk.choices).length === 0);
  for (const chunk of chunks) {
    if (!asked.includeUsage) assert.equal('usage' in chunk, false);
    else if (!counting.includes(chunk)) assert.equal(chunk.usage, null);
  }
  return chunks.filter((chunk) => !counting.includes(chunk)).map((chunk) => (whole ? { ...chunk, whole } : chunk));
}

function choicesOf(chunks: readonly JsonObject[]): ReadonlyMap<unknown, readonly JsonObject[]> {
  return Map.groupBy(
    chunks.flatMap((chunk) => asObjects(chunk.choices)),
    (choice) => choice.index,
  );
}

function checkFinishes(chunks: readonly JsonObject[]): void {
  const whole = chunks.some((chunk) => chunk.whole === true);
  for (const choice of choicesOf(chunks).values()) {
    const finished = choice.filter((entry) => entry.finish_reason !== null);
    assert.ok(finished.length === 1 || (!whole && finished.length === 0), 'one finish a choice');
    if (whole) assert.equal(choice.at(-1), finished[0], 'nothing of a choice after its finish');
  }
}

const finishes = ['stop', 'length', 'tool_calls', 'content_filter'];

function checkChatChoices(chunks: readonly JsonObject[]): void {
  checkFinishes(chunks);
  for (const choice of choicesOf(chunks).values()) {
    const deltas = choice.map((entry) => asObject(entry.delta) ?? {});
    assert.equal(deltas[0]?.role, 'assistant', 'the first chunk has the role');
    assert.equal(deltas.filter((delta) => 'role' in delta).length, 1);
    for (const entry of choice)
      assert.ok(entry.finish_reason === null || finishes.includes(String(entry.finish_reason)));
    let calls = 0;
    for (const fragment of deltas.flatMap((delta) => asObjects(delta.tool_calls))) {
      const index = Number(fragment.index);
      const named = asObject(fragment.function) ?? asObject(fragment.custom) ?? {};
      if (index === calls) {
        calls += 1;
        assert.ok(
          asString(fragment.id) && asString(fragment.type) && typeof named.name === 'string',
          'a call begins with id and name',
        );
      } else {
        assert.ok(index >= 0 && index < calls, 'indexes of calls count up');
        assert.ok(!('id' in fragment) && !('name' in named), 'id and name come once');
      }
    }
    for (const delta of deltas) if (delta.tool_calls !== undefined) assert.ok(asArray(delta.tool_calls).length > 0);
  }
}

function checkMessages(events: readonly Event[]): void {
  for (const event of events) assert.equal(event.name, event.json.type, 'an event is named by its type');
  const types = events.map((event) => String(event.json.type));
  const last = types.at(-1);
  assert.ok(last === 'message_stop' || last === 'error', 'ends with message_stop or error');
  if (last === 'error' && types.length === 1) return;
  assert.equal(types[0], 'message_start');
  for (const type of ['message_start', 'message_stop', 'message_delta']) {
    assert.ok(types.filter((known) => known === type).length <= 1, `one ${type}`);
  }
  if (last === 'message_stop') assert.equal(types.at(-2), 'message_delta');
  let open: { readonly index: number; readonly type: string } | undefined;
  let next = 0;
  for (const { json } of events) {
    const block = asObject(json.content_block);
    if (json.type === 'content_block_start') {
      assert.ok(open === undefined && block !== undefined && json.index === next, 'blocks follow each other');
      open = { index: next, type: String(block.type) };
      if (block.type === 'tool_use')
        assert.ok(asString(block.id) && typeof block.name === 'string' && asObject(block.input));
      next += 1;
    } else if (json.type === 'content_block_delta') {
      assert.ok(open !== undefined && json.index === open.index, 'a delta is inside its block');
      // A damaged stream may name anything, `constructor` too.
      const kinds = deltaKinds.get(open.type) ?? ['input_json_delta'];
      assert.ok(kinds.includes(String(asObject(json.delta)?.type)), `${open.type} takes ${JSON.stringify(json.delta)}`);
    } else if (json.type === 'content_block_stop') {
      assert.ok(open !== undefined && json.index === open.index);
      open = undefined;
    } else if (json.type !== 'error') assert.ok(open === undefined, 'blocks are closed');
  }
  checkInputs(events);
}

const deltaKinds: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', ['text_delta', 'citations_delta']],
  ['thinking', ['thinking_delta', 'signature_delta']],
  ['tool_use', ['input_json_delta']],
]);

// Official clients parse the joined input of a call as an object; an answer that was cut off may leave it incomplete.
function checkInputs(events: readonly Event[]): void {
  let input = '';
  for (const { json } of events) {
    const delta = asObject(json.delta);
    if (json.type === 'content_block_start') input = '';
    if (delta?.type === 'input_json_delta') input += String(delta.partial_json);
    if (json.type === 'content_block_stop')
      assert.ok(input === '' || input.trimStart().startsWith('{'), `input: ${input}`);
  }
}

function checkResponses(events: readonly Event[]): void {
  for (const [index, event] of events.entries()) {
    assert.equal(event.name, event.json.type);
    assert.equal(event.json.sequence_number, index, 'sequence numbers count up');
  }
  const types = events.map((event) => String(event.json.type));
  assert.deepEqual(types.slice(0, 2), ['response.created', 'response.in_progress']);
  const ends = types.filter((type) => /^response\.(completed|incomplete|failed)$/.test(type));
  assert.deepEqual(ends, types.slice(-1), 'ends once, at the end');
  const added = new Map<unknown, JsonObject>();
  const done = new Map<unknown, JsonObject>();
  const texts = new Map<string, string>();
  for (const { json } of events) {
    const index = json.output_index;
    if (json.type === 'response.output_item.added') {
      assert.equal(index, added.size, 'items count up');
      assert.ok(asString(asObject(json.item)?.id), 'an item has an id');
      added.set(index, asObject(json.item) ?? {});
    } else if (json.type === 'response.output_item.done') {
      assert.ok(added.has(index) && !done.has(index));
      assert.equal(asObject(json.item)?.id, added.get(index)?.id);
      done.set(index, asObject(json.item) ?? {});
    } else if (index !== undefined) {
      assert.ok(added.has(index) && !done.has(index), 'fragments stand inside their item');
      assert.equal(json.item_id, added.get(index)?.id);
    }
    const place = `${String(json.type).replace(/\.(delta|done)$/, '')} ${index} ${json.content_index ?? json.summary_index ?? 0}`;
    if (String(json.type).endsWith('.delta')) texts.set(place, (texts.get(place) ?? '') + String(json.delta));
    const whole = json.text ?? json.refusal ?? json.arguments ?? json.input;
    if (String(json.type).endsWith('.done') && whole !== undefined)
      assert.equal(whole, texts.get(place) ?? '', 'deltas add up');
  }
  if (types.at(-1) === 'response.failed') return;
  assert.deepEqual([...done.keys()].toSorted(), [...added.keys()].toSorted(), 'every item is done');
  const output = asObjects(asObject(events.at(-1)?.json.response)?.output);
  assert.deepEqual(
    output,
    [...done].toSorted(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item),
    'the output is what was sent',
  );
}

function checkGemini(events: readonly Event[]): void {
  assert.ok(events.length > 0 && events.every((event) => event.name === undefined && event.data !== '[DONE]'));
  const failed = events.at(-1)?.json.error !== undefined;
  assert.equal(events.filter((event) => event.json.error !== undefined).length, failed ? 1 : 0);
  const chunks = events.filter((event) => event.json.error === undefined).map((event) => event.json);
  const finished = chunks.filter((chunk) =>
    asObjects(chunk.candidates).some((candidate) => candidate.finishReason !== undefined),
  );
  assert.deepEqual(finished, failed ? [] : chunks.slice(-1), 'finish reasons come with the last chunk');
  for (const candidate of chunks.flatMap((chunk) => asObjects(chunk.candidates))) {
    const content = asObject(candidate.content);
    assert.equal(content?.role, 'model');
    assert.ok(asArray(content?.parts).length > 0, 'a content has parts');
    assert.equal(typeof candidate.index, 'number');
  }
}

/** The events of `ConverseStream`, as a client of the event-stream framing reads their names. */
function checkConverse(events: readonly Event[]): void {
  const names = events.map(({ name }) => name ?? '');
  const last = names.at(-1) ?? '';
  const failed = last.endsWith('Exception');
  assert.ok(failed || last === 'metadata', `ends with metadata or an exception: ${last}`);
  if (failed) assert.equal(typeof events.at(-1)?.json.message, 'string');
  if (failed && names.length === 1) return;
  assert.equal(names[0], 'messageStart');
  for (const name of ['messageStart', 'messageStop', 'metadata'])
    assert.ok(names.filter((known) => known === name).length <= 1, `one ${name}`);
  if (!failed) assert.equal(names.at(-2), 'messageStop');
  let open: number | undefined;
  let blocks = 0;
  for (const { name, json } of events) {
    const index = json.contentBlockIndex;
    if (name === 'contentBlockStop') {
      assert.equal(index, open, 'stops what is open');
      open = undefined;
    } else if (name === 'contentBlockStart' || (name === 'contentBlockDelta' && index !== open)) {
      assert.ok(open === undefined && index === blocks, 'blocks follow each other');
      open = blocks;
      blocks += 1;
    } else if (name !== 'contentBlockDelta') assert.ok(open === undefined || name?.endsWith('Exception'));
    const union = asObject(json.delta);
    if (name === 'contentBlockDelta')
      assert.equal(Object.keys(union ?? {}).length, 1, 'a delta is one member of its union');
  }
}
