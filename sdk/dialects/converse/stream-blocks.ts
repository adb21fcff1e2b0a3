import { asObject, asString, type Json, type JsonObject, parseJson } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Delta } from '../neutral.ts';
import { callKey, type Fragment, StreamBlocks } from '../stream-blocks.ts';
import { unpackToolCallId } from '../tool-call-id.ts';
import { decodeCitation } from './citations.ts';
import { native } from './decode-blocks.ts';

type Kind = 'text' | 'thinking' | 'redacted' | 'call' | 'native';

interface OpenBlock {
  readonly kind: Kind;
  readonly key: string;
  /** Some argument text has come. */
  written: boolean;
  /** What native blocks have said so far. */
  native: JsonObject;
}

/** Reads content-block events. Blocks of text and thinking may come without a start, and are then opened by what they say. */
export interface BlockReader {
  start(index: number, start: JsonObject): Delta[];
  delta(index: number, delta: JsonObject): Delta[];
  stop(index: number): Delta[];
  /** Ends what is open and gives what still waits. */
  stopAll(): Delta[];
  callsTools(): boolean;
}

export function createBlockReader(context: ReplyContext): BlockReader {
  const open = new Map<number, OpenBlock>();
  const blocks = new StreamBlocks(0);
  let count = 0;
  let called = false;

  const opened = (index: number, kind: Kind, value: JsonObject = {}): OpenBlock => {
    count += 1;
    const key = kind === 'call' ? callKey(count) : `${kind}:${count}`;
    const block: OpenBlock = { kind, key, written: false, native: value };
    open.set(index, block);
    return block;
  };
  const stop = (index: number): Delta[] => {
    const block = open.get(index);
    if (block === undefined) return [];
    open.delete(index);
    if (block.kind === 'call' && !block.written)
      return [...blocks.add(block.key, { type: 'tool-arguments', text: '{}' })];
    if (block.kind !== 'native') return [];
    return [...blocks.add(block.key, { type: 'part', part: native(settled(block.native)) })];
  };
  /** The open block of this kind, or a new one in its place. */
  const within = (index: number, kind: Kind, before: Delta[]): OpenBlock => {
    const block = open.get(index);
    if (block?.kind === kind) return block;
    before.push(...stop(index));
    return opened(index, kind);
  };

  return {
    start(index, start) {
      const before = stop(index);
      const use = asObject(start.toolUse);
      if (use !== undefined && use.type === undefined) {
        called = true;
        const block = opened(index, 'call');
        const id = asString(use.toolUseId) || context.newId('tooluse_');
        return [
          ...before,
          ...blocks.add(block.key, { type: 'tool-call', ...unpackToolCallId(id), name: asString(use.name) ?? '' }),
        ];
      }
      if (Object.keys(start).length > 0) opened(index, 'native', start);
      return before;
    },
    delta(index, delta) {
      const known = open.get(index);
      if (known?.kind === 'native') {
        known.native = gathered(known.native, delta);
        return [];
      }
      const input = asObject(delta.toolUse)?.input;
      if (input !== undefined) return known?.kind === 'call' ? argued(blocks, known, input) : [];
      const said = fragmentOf(delta);
      if (said === undefined) return [];
      const before: Delta[] = [];
      const block = within(index, said.kind, before);
      return [...before, ...blocks.add(block.key, said.fragment)];
    },
    stop,
    stopAll: () => [...[...open.keys()].flatMap(stop), ...blocks.flush()],
    callsTools: () => called,
  };
}

// Models whose arguments do not stream may give them as an object.
function argued(blocks: StreamBlocks, block: OpenBlock, input: Json): Delta[] {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  if (text === '') return [];
  block.written = true;
  return [...blocks.add(block.key, { type: 'tool-arguments', text })];
}

function fragmentOf(delta: JsonObject): { readonly kind: Kind; readonly fragment: Fragment } | undefined {
  const text = asString(delta.text);
  if (text !== undefined) return text === '' ? undefined : { kind: 'text', fragment: { type: 'text', text } };
  const citation = asObject(delta.citation);
  if (citation !== undefined) {
    return { kind: 'text', fragment: { type: 'citation', citation: decodeCitation(citation) } };
  }
  const thought = asObject(delta.reasoningContent);
  const redacted = asString(thought?.redactedContent);
  if (redacted !== undefined) return { kind: 'redacted', fragment: { type: 'redacted-thinking', data: redacted } };
  const signature = asString(thought?.signature);
  if (signature) return { kind: 'thinking', fragment: { type: 'signature', signature } };
  const thinking = asString(thought?.text);
  return thinking ? { kind: 'thinking', fragment: { type: 'thinking', text: thinking } } : undefined;
}

/** Texts of native blocks come in pieces; everything else comes whole. */
function gathered(before: JsonObject, delta: JsonObject): JsonObject {
  const all: { [key: string]: Json } = { ...before };
  for (const [key, value] of Object.entries(delta)) {
    const [held, more] = [all[key], value];
    const [inner, outer] = [asObject(held), asObject(more)];
    if (typeof held === 'string' && typeof more === 'string') all[key] = held + more;
    else if (inner !== undefined && outer !== undefined) all[key] = gathered(inner, outer);
    else if (Array.isArray(more) && (inner !== undefined || Array.isArray(held))) all[key] = joinedList(held, more);
    else all[key] = more;
  }
  return all;
}

// The content of a result that the provider's own tool gave comes as lists of pieces beside the fields of its start.
function joinedList(held: Json | undefined, more: readonly Json[]): Json {
  if (Array.isArray(held)) return [...held, ...more];
  const start = asObject(held) ?? {};
  const content = Array.isArray(start.content) ? start.content : [];
  return { ...start, content: [...content, ...more] };
}

/** The input of a call that the provider answers itself has come as text. */
function settled(block: JsonObject): JsonObject {
  const use = asObject(block.toolUse);
  const input = asString(use?.input);
  return use === undefined || input === undefined
    ? block
    : { ...block, toolUse: { ...use, input: parseJson(input) ?? {} } };
}
