import { asArray, asObject, asObjects, type Json, type JsonObject } from '../../json.ts';
import { bareId, isPackedId } from '../tool-call-id.ts';

/** A request without the signatures that its clients keep in the ids of calls: only other formats' providers made them. */
export function ownHistory(body: JsonObject): JsonObject {
  if (!asObjects(body.messages).some(isSigned)) return body;
  return { ...body, messages: asArray(body.messages).map(bareMessage) };
}

function isSigned({ tool_call_id, tool_calls }: JsonObject): boolean {
  return isPackedId(tool_call_id) || asObjects(tool_calls).some(({ id }) => isPackedId(id));
}

function bareMessage(value: Json): Json {
  const message = asObject(value);
  if (message === undefined || !isSigned(message)) return value;
  const { tool_call_id, tool_calls } = message;
  return {
    ...message,
    ...(tool_call_id === undefined ? {} : { tool_call_id: bareId(tool_call_id) }),
    ...(Array.isArray(tool_calls) ? { tool_calls: tool_calls.map(bareCall) } : {}),
  };
}

function bareCall(value: Json): Json {
  const call = asObject(value);
  return call?.id === undefined ? value : { ...call, id: bareId(call.id) };
}
