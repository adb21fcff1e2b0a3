import { asObject, asString, type Json, type JsonObject, parseJson } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Delta } from '../neutral.ts';

type Kind = 'text' | 'thinking' | 'redacted_thinking' | 'tool_use' | 'native';

/** A content block that the stream has opened. */
interface OpenBlock {
  kind: Kind;
  /** Its neutral number, given with its first step. */
  block: number | undefined;
  readonly start: JsonObject;
  /** Some argument text has come. */
  written: boolean;
  /** Input fragments of a native block. */
  input: string;
  /** Other fields that fragments of a native block add. */
  readonly added: { [key: string]: Json };
}

/** Reads content-block events, and numbers the neutral blocks by the order in which they first say something. */
export interface BlockReader {
  start(index: number, block: JsonObject): Delta[];
  delta(index: number, delta: JsonObject): Delta[];
  stop(index: number): Delta[];
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
  let next = 0;
  let called = false;

  const opened = (index: number, kind: Kind, start: JsonObject): OpenBlock => {
    const block: OpenBlock = { kind, block: undefined, start, written: false, input: '', added: {} };
    open.set(index, block);
    return block;
  };
  const at = (block: OpenBlock): { choice: 0; block: number } => {
    block.block ??= next++;
    return { choice: 0, block: block.block };
  };
  const say = (block: OpenBlock, fields: JsonObject): Delta[] => {
    const { text, thinking, signature } = fields;
    const citation = asObject(fields.citation);
    const steps: Delta[] = [];
    if (typeof text === 'string' && text !== '') steps.push({ type: 'text', ...at(block), text });
    if (typeof thinking === 'string' && thinking !== '') steps.push({ type: 'thinking', ...at(block), text: thinking });
    if (typeof signature === 'string' && signature !== '') steps.push({ type: 'signature', ...at(block), signature });
    if (citation !== undefined) steps.push({ type: 'citation', ...at(block), citation });
    return steps;
  };
  const close = (block: OpenBlock): Delta[] => {
    if (block.kind === 'tool_use' && !block.written) {
      return [{ type: 'tool-arguments', ...at(block), text: JSON.stringify(block.start.input ?? {}) }];
    }
    if (block.kind !== 'native') return [];
    const input = block.input === '' ? {} : { input: parseJson(block.input) ?? block.input };
    const value = { ...block.start, ...block.added, ...input };
    return [{ type: 'part', ...at(block), part: { type: 'native', dialect: 'messages', value } }];
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
        return [...before, { type: 'tool-call', ...at(state), id, name: asString(block.name) ?? '' }];
      }
      if (kind === 'redacted_thinking') {
        return [...before, { type: 'redacted-thinking', ...at(state), data: asString(block.data) ?? '' }];
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
        return [{ type: 'tool-arguments', ...at(state), text }];
      }
      if (kind === undefined) return [];
      // A fragment of another kind than its block's, or of a block that was never opened, is a block of its own.
      if (state?.kind === kind) return say(state, delta);
      return [...stop(index), ...say(opened(index, kind, {}), delta)];
    },
    stop,
    stopAll: () => [...open.keys()].flatMap(stop),
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
