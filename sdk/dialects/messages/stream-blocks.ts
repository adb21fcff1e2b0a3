import { asObject, asString, type Json, type JsonObject, parseJson } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Delta } from '../neutral.ts';
import { callKey, type Fragment, StreamBlocks } from '../stream-blocks.ts';
import { unpackToolCallId } from '../tool-call-id.ts';

type Kind = 'text' | 'thinking' | 'redacted_thinking' | 'tool_use' | 'native';

/** A content block that the stream has opened. */
interface OpenBlock {
  readonly kind: Kind;
  readonly key: string;
  readonly start: JsonObject;
  /** Some argument text has come. */
  written: boolean;
  /** Input fragments of a native block. */
  input: string;
  /** Other fields that fragments of a native block add. */
  readonly added: { [key: string]: Json };
}

/**
 * Reads content-block events, and numbers the neutral blocks by the order in which they first say something. The format
 * sends one block after the other; where a server does not, the later ones wait.
 */
export interface BlockReader {
  start(index: number, block: JsonObject): Delta[];
  delta(index: number, delta: JsonObject): Delta[];
  stop(index: number): Delta[];
  /** Ends what is open and gives what still waits. */
  stopAll(): Delta[];
  callsTools(): boolean;
}

const kinds: ReadonlyMap<unknown, Kind> = new Map<unknown, Kind>([
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['redacted_thinking', 'redacted_thinking'],
  ['tool_use', 'tool_use'],
]);

const kindOfDelta: ReadonlyMap<unknown, Kind> = new Map<unknown, Kind>([
  ['text_delta', 'text'],
  ['citations_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'thinking'],
]);

export function createBlockReader(context: ReplyContext): BlockReader {
  const open = new Map<number, OpenBlock>();
  const blocks = new StreamBlocks(0);
  let count = 0;
  let called = false;

  const opened = (index: number, kind: Kind, start: JsonObject): OpenBlock => {
    count += 1;
    const key = kind === 'tool_use' ? callKey(count) : `${kind}:${count}`;
    const block: OpenBlock = { kind, key, start, written: false, input: '', added: {} };
    open.set(index, block);
    return block;
  };
  const say = (block: OpenBlock, fields: JsonObject): Delta[] => {
    const { text, thinking, signature } = fields;
    const citation = asObject(fields.citation);
    const said: Fragment[] = [];
    if (typeof text === 'string' && text !== '') said.push({ type: 'text', text });
    if (typeof thinking === 'string' && thinking !== '') said.push({ type: 'thinking', text: thinking });
    if (typeof signature === 'string' && signature !== '') said.push({ type: 'signature', signature });
    if (citation !== undefined) said.push({ type: 'citation', citation });
    return said.flatMap((fragment) => blocks.add(block.key, fragment));
  };
  const close = (block: OpenBlock): Delta[] => {
    if (block.kind === 'tool_use' && !block.written) {
      return [...blocks.add(block.key, { type: 'tool-arguments', text: JSON.stringify(block.start.input ?? {}) })];
    }
    if (block.kind !== 'native') return [];
    const input = block.input === '' ? {} : { input: parseJson(block.input) ?? block.input };
    const value = { ...block.start, ...block.added, ...input };
    return [...blocks.add(block.key, { type: 'part', part: { type: 'native', dialect: 'messages', value } })];
  };

  const stop = (index: number): Delta[] => {
    const block = open.get(index);
    open.delete(index);
    return block === undefined ? [] : close(block);
  };

  return {
    start(index, block) {
      const before = stop(index);
      const kind = kinds.get(block.type) ?? 'native';
      const state = opened(index, kind, block);
      if (kind === 'tool_use') {
        called = true;
        const id = asString(block.id) || context.newId('toolu_');
        const call: Fragment = { type: 'tool-call', ...unpackToolCallId(id), name: asString(block.name) ?? '' };
        return [...before, ...blocks.add(state.key, call)];
      }
      if (kind === 'redacted_thinking') {
        return [...before, ...blocks.add(state.key, { type: 'redacted-thinking', data: asString(block.data) ?? '' })];
      }
      if (kind === 'native') return before;
      const cited = Array.isArray(block.citations) ? block.citations : [];
      return [...before, ...say(state, block), ...cited.flatMap((citation) => say(state, { citation }))];
    },
    delta(index, delta) {
      const kind = kindOfDelta.get(delta.type);
      const state = open.get(index);
      if (state?.kind === 'native') {
        gather(state, delta);
        return [];
      }
      if (delta.type === 'input_json_delta') {
        const text = asString(delta.partial_json) ?? '';
        if (state?.kind !== 'tool_use' || text === '') return [];
        state.written = true;
        return [...blocks.add(state.key, { type: 'tool-arguments', text })];
      }
      if (kind === undefined) return [];
      // A fragment of another kind than its block's, or of a block that was never opened, is a block of its own.
      if (state?.kind === kind) return say(state, delta);
      return [...stop(index), ...say(opened(index, kind, {}), delta)];
    },
    stop,
    stopAll: () => [...[...open.keys()].flatMap(stop), ...blocks.flush()],
    callsTools: () => called,
  };
}

// Server tools send their input as JSON fragments; other native blocks add text to fields of their own.
function gather(block: OpenBlock, delta: JsonObject): void {
  if (delta.type === 'input_json_delta') {
    block.input += asString(delta.partial_json) ?? '';
    return;
  }
  for (const key in delta) {
    const value = delta[key];
    if (key === 'type' || value === undefined || value === null) continue;
    const before = block.added[key] ?? block.start[key];
    block.added[key] = typeof value === 'string' && typeof before === 'string' ? before + value : value;
  }
}
