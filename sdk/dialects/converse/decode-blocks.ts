import { asObject, asObjects, asString, type JsonObject } from '../../json.ts';
import type { CacheMark, Part } from '../neutral.ts';
import { unpackToolCallId } from '../tool-call-id.ts';
import { decodeCitation } from './citations.ts';
import { decodeMedia } from './media.ts';

/** The parts of a list of blocks; a cache point marks the part before it. `newId` names calls that have no id. */
export function decodeBlocks(blocks: readonly JsonObject[], newId: () => string): readonly Part[] {
  const parts: Part[] = [];
  for (const block of blocks) {
    const mark = markOf(block);
    const last = parts.at(-1);
    if (mark !== undefined && last !== undefined && isMarkable(last)) {
      parts[parts.length - 1] = { ...last, cache: mark };
    } else parts.push(decodeBlock(block, newId));
  }
  return parts;
}

type Markable = Exclude<Part, { type: 'thinking' | 'redacted-thinking' | 'refusal' | 'native' }>;

function isMarkable(part: Part): part is Markable {
  return !['thinking', 'redacted-thinking', 'refusal', 'native'].includes(part.type) && !('cache' in part);
}

/** The mark of a `cachePoint` block; undefined for any other block. */
export function markOf(block: JsonObject): CacheMark | undefined {
  const point = asObject(block.cachePoint);
  if (point === undefined) return undefined;
  return point.ttl === '5m' || point.ttl === '1h' ? { ttl: point.ttl } : {};
}

function decodeBlock(block: JsonObject, newId: () => string): Part {
  const text = asString(block.text);
  if (text !== undefined) return { type: 'text', text };
  return (
    reasoned(block) ??
    called(block, newId) ??
    answered(block, newId) ??
    cited(block) ??
    decodeMedia(block) ??
    native(block)
  );
}

export function native(value: JsonObject): Part {
  return { type: 'native', dialect: 'converse', value };
}

function reasoned(block: JsonObject): Part | undefined {
  const content = asObject(block.reasoningContent);
  const redacted = asString(content?.redactedContent);
  if (redacted !== undefined) return { type: 'redacted-thinking', data: redacted };
  const thought = asObject(content?.reasoningText);
  if (thought === undefined) return undefined;
  const signature = asString(thought.signature);
  return { type: 'thinking', text: asString(thought.text) ?? '', ...(signature ? { signature } : {}) };
}

function called(block: JsonObject, newId: () => string): Part | undefined {
  const use = asObject(block.toolUse);
  // A call that the provider answers itself.
  if (use === undefined || use.type !== undefined) return undefined;
  return {
    type: 'tool-call',
    ...unpackToolCallId(asString(use.toolUseId) || newId()),
    name: asString(use.name) ?? '',
    arguments: JSON.stringify(use.input ?? {}),
  };
}

function answered(block: JsonObject, newId: () => string): Part | undefined {
  const result = asObject(block.toolResult);
  if (result === undefined || result.type !== undefined) return undefined;
  const content = asObjects(result.content).map((item): Part => {
    if (item.json !== undefined) return { type: 'text', text: JSON.stringify(item.json) };
    return decodeBlock(item, newId);
  });
  const status = asString(result.status);
  return {
    type: 'tool-result',
    callId: unpackToolCallId(asString(result.toolUseId) ?? '').id,
    content,
    ...(status === undefined ? {} : { isError: status === 'error' }),
  };
}

function cited(block: JsonObject): Part | undefined {
  const content = asObject(block.citationsContent);
  if (content === undefined) return undefined;
  const text = asObjects(content.content)
    .map((item) => asString(item.text) ?? '')
    .join('');
  const citations = asObjects(content.citations).map(decodeCitation);
  return { type: 'text', text, ...(citations.length === 0 ? {} : { citations }) };
}
