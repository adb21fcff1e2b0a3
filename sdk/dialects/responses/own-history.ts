import { asArray, asObject, type Json, type JsonObject } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { bareId, isPackedId } from '../tool-call-id.ts';
import { isForeignReasoning } from './signatures.ts';

/**
 * A request without what its client holds of other formats' providers: reasoning that no provider of this one can decrypt,
 * and signatures in the ids of calls.
 */
export function ownHistory(body: JsonObject, context: CodecContext): JsonObject {
  const items = asArray(body.input);
  if (!items.some((item) => isForeignReasoning(item) || isSigned(item))) return body;
  if (items.some(isForeignReasoning)) context.dropped('thinking');
  return { ...body, input: items.filter((item) => !isForeignReasoning(item)).map(bare) };
}

function isSigned(value: Json): boolean {
  return isPackedId(asObject(value)?.call_id);
}

function bare(value: Json): Json {
  const item = asObject(value);
  return item?.call_id === undefined ? value : { ...item, call_id: bareId(item.call_id) };
}
