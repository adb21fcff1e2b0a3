import { asArray, asObject, type Json, type JsonObject } from '../../json.ts';
import { areSameItems } from '../same-items.ts';

/** What stands in place of a block: the very same where it stays, none where it goes. */
export type Replace = (block: JsonObject) => readonly JsonObject[];

/** A request with other blocks in its messages, without those messages that keep none; the very same body where all stay. */
export function withBlocks(body: JsonObject, replace: Replace): JsonObject {
  const messages = asArray(body.messages);
  const kept = messages.flatMap((message) => withOwn(message, replace));
  return areSameItems(kept, messages) ? body : { ...body, messages: kept };
}

function withOwn(value: Json, replace: Replace): readonly Json[] {
  const message = asObject(value);
  const blocks = asArray(message?.content);
  const kept = blocks.flatMap((item): readonly Json[] => {
    const block = asObject(item);
    return block === undefined ? [item] : replace(block);
  });
  if (message === undefined || areSameItems(kept, blocks)) return [value];
  return kept.length === 0 ? [] : [{ ...message, content: kept }];
}

/** The block with another id in the field that names its call; the very same block where the id is the same. */
export function withCallId(block: JsonObject, change: (id: string) => string): JsonObject {
  const field = block.type === 'tool_use' ? 'id' : 'tool_use_id';
  const given = block[field];
  const id = typeof given === 'string' ? change(given) : given;
  return id === undefined || id === given ? block : { ...block, [field]: id };
}
