import {
  asNumber,
  asObject,
  asObjects,
  asString,
  type Endpoint,
  type Json,
  type JsonObject,
  omit,
  parseJson,
} from 'portcullis/sdk';
import { readName } from '../scan/called-name.ts';
import { isLongPayload } from '../scan/leaves.ts';
import { readReply } from '../scan/read.ts';
import { type Fragment, Gathering, type JsonPath, type Speaker } from '../scan/reading.ts';
import { readMembers } from '../scan/reply-members.ts';
import type { ClientDialect } from './events.ts';

// Events pass as they came: whatever stands in them reaches the client, be it told by a step or not.

/** A text of an event. */
export interface EventText {
  readonly speaker: Speaker;
  readonly text: string;
  /** Of texts that come in pieces: which one it is a piece of. */
  readonly piece?: string;
}

type EventReader = (event: JsonObject) => readonly EventText[];

/** Reads all that the events of one stream say, as they came. */
export class EventTexts {
  readonly #read: EventReader;
  readonly #isTold: (data: string) => boolean;

  constructor(dialect: ClientDialect) {
    this.#read = readers[dialect]();
    this.#isTold = dialect === 'chat' ? (data) => !mayHoldMore.test(data) : () => dialect === 'completions';
  }

  /** The texts of an event, but for the names and arguments of called tools, which steps tell of. */
  of(data: string): readonly EventText[] {
    const event = this.#isTold(data) ? undefined : asObject(parseJson(data));
    return event === undefined ? [] : this.#read(event).filter(({ text }) => !isLongPayload(text));
  }
}

/** Pieces of what a tool is called with, or of its name. */
const calledPlace = /(?:^|\.)(?:tool_calls\.\d+\.(?:function|custom)|function_call)\.(?:name|arguments|input)$/;

function textsOf(fragments: readonly Fragment[], place: (path: JsonPath) => JsonPath = (path) => path) {
  return fragments.flatMap(({ path, role, kind, message, text }): readonly EventText[] => {
    const placed = place(path);
    const speaker = { role, kind, message };
    if (calledPlace.test(placed.join('.'))) return [];
    return [message < 0 ? { speaker, text } : { speaker, text, piece: placed.join('.') }];
  });
}

/** The texts of a reply, each of which is whole. */
function wholes(endpoint: Endpoint, reply: JsonObject, dialect: ClientDialect): readonly EventText[] {
  return readReply(endpoint, reply, dialect).fragments.map(({ role, kind, message, text }) => ({
    speaker: { role, kind, message },
    text,
  }));
}

const delta: ReadonlySet<string> = new Set(['delta']);
/** Steps tell all of them. */
const toldOfDelta: ReadonlySet<string> = new Set(['audio', 'annotations']);
/** In most chunks stands nothing that steps could leave out. */
const mayHoldMore = /"(?:tool_calls|function_call|content_blocks|images|reasoning\w*)"|"content":\s*[[{]|\\u/;

/** A chunk is a reply in which messages are called deltas; choices and calls have numbers in it. */
function ofChat(event: JsonObject): readonly EventText[] {
  const choices = asObjects(event.choices);
  const whole = choices.map((choice) => ({ ...omit(choice, delta), message: deltaOf(choice) }));
  const numberOf = (at: number) => asNumber(choices[at]?.index) ?? at;
  const place = (path: JsonPath): JsonPath => {
    const [list, at, , field, call] = path;
    if (list !== 'choices' || typeof at !== 'number') return path;
    if (field !== 'tool_calls' || typeof call !== 'number') return path.with(1, numberOf(at));
    const calls = asObjects(asObject(choices[at]?.delta)?.tool_calls);
    return path.with(1, numberOf(at)).with(4, asNumber(calls[call]?.index) ?? call);
  };
  const { fragments } = readReply('chatComplete', { ...event, choices: whole }, 'chat');
  const numbered = fragments.map((fragment) => ({
    ...fragment,
    message: fragment.message < 0 ? fragment.message : numberOf(fragment.message),
  }));
  return textsOf(numbered, place);
}

function deltaOf({ delta: said = {} }: JsonObject): Json {
  const object = asObject(said);
  return object === undefined ? said : omit(object, toldOfDelta);
}

const deltaFields: ReadonlySet<string> = new Set(['type', 'delta', 'logprobs']);

/** An event is about one content or call, of which a whole message has lists. */
function ofCohere(event: JsonObject): readonly EventText[] {
  const said = asObject(event.delta) ?? {};
  const message = asObject(said.message) ?? {};
  const listed = (value: Json | undefined) => (asObject(value) === undefined ? value : [value as Json]);
  const whole = {
    ...message,
    content: listed(message.content) ?? null,
    tool_calls: listed(message.tool_calls) ?? null,
  };
  const reply = { ...omit(event, deltaFields), ...said, message: whole };
  const place = `${String(event.type)} ${String(event.index)}`;
  return textsOf(readReply('chatComplete', reply, 'cohere').fragments, (path) => [place, ...path]);
}

const blockKinds: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);
const eventFields: ReadonlySet<string> = new Set(['type', 'index', 'message', 'content_block', 'delta', 'usage']);
const input: ReadonlySet<string> = new Set(['input']);
const pieces: ReadonlySet<string> = new Set([
  ...['type', 'partial_json', 'signature', 'citation', 'stop_reason', 'stop_sequence'],
]);

/** Blocks of other kinds are told of once they have ended, all of them. */
function messagesReader(): EventReader {
  const native = new Set<Json | undefined>();
  return (event) => {
    const { index, message, content_block: block, delta: said } = event;
    const found = new Gathering();
    readMembers(found, event, [], { role: 'assistant', kind: 'text', message: -1 }, eventFields);
    const texts = [...textsOf(found.fragments)];
    const begun = asObject(message);
    const opened = asObject(block);
    if (begun !== undefined) texts.push(...wholes('messages', { content: [], ...begun }, 'messages'));
    if (opened !== undefined) {
      native.delete(index);
      if (blockKinds.has(opened.type))
        texts.push(...wholes('messages', { content: [omit(opened, input)] }, 'messages'));
      else native.add(index);
    }
    const added = asObject(said);
    if (added === undefined || native.has(index)) return texts;
    const inside = new Gathering();
    readMembers(inside, added, [String(index)], { role: 'assistant', kind: 'text', message: 0 }, pieces);
    return [...texts, ...textsOf(inside.fragments)];
  };
}

/** What these events add is what steps tell. */
const toldDelta =
  /^response\.(?:output_text|refusal|function_call_arguments|custom_tool_call_input|reasoning_summary_text|reasoning_text)\.delta$/;
const ownFields: ReadonlySet<string> = new Set([
  ...['type', 'response', 'item', 'part', 'name', 'delta', 'item_id', 'sequence_number', 'obfuscation', 'logprobs'],
]);

function ofResponses(event: JsonObject): readonly EventText[] {
  const type = asString(event.type) ?? '';
  const kind = type.startsWith('response.reasoning') ? 'thinking' : 'text';
  const speaker: Speaker = { role: 'assistant', kind, message: 0 };
  const found = new Gathering();
  readMembers(found, event, [], speaker, ownFields);
  readName(found, event.name, ['name'], speaker);
  const said = found.fragments.map(({ text }): EventText => ({ speaker, text }));
  const whole = (reply: JsonObject) => wholes('createModelResponse', { output: [], ...reply }, 'responses');
  const { item, part, response, delta: added } = event;
  if (typeof added === 'string' && !toldDelta.test(type))
    said.push({ speaker, text: added, piece: `${type} ${String(event.output_index)} ${String(event.item_id)}` });
  if (asObject(item) !== undefined) said.push(...whole({ output: [item as Json] }));
  if (asObject(part) !== undefined)
    said.push(...whole({ output: [{ type: kind === 'text' ? 'message' : 'reasoning', content: [part as Json] }] }));
  if (asObject(response) !== undefined) said.push(...whole(asObject(response) ?? {}));
  return said;
}

const readers: Readonly<Record<ClientDialect, () => EventReader>> = {
  chat: () => ofChat,
  // Its choices are texts and members, all of which steps tell of.
  completions: () => () => [],
  messages: messagesReader,
  responses: () => ofResponses,
  gemini: () => (event) => textsOf(readReply('chatComplete', event, 'gemini').fragments),
  cohere: () => ofCohere,
};
