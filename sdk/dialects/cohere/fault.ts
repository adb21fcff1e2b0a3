import { sseFrame } from '../../framing/sse.ts';
import { asObject, asString, compact, type JsonObject } from '../../json.ts';
import { errorTextAlone, faultStatus, faultType } from '../fault.ts';
import type { ProviderFault } from '../neutral.ts';

/** The fault of `{ id, message }`, where `message` is a text; of a `message-end` that tells of an error; or of `{ error }`. */
export function faultOf(json: JsonObject, status: number): ProviderFault | undefined {
  const failed = asString(asObject(json.delta)?.error);
  if (json.type === 'message-end' && failed) return faultFrom(failed, status);
  const error = asObject(json.error);
  const text = asString(json.message) ?? asString(error?.message) ?? asString(json.error) ?? asString(json.detail);
  const told = asString(json.message) ?? error ?? errorTextAlone(json);
  if (status < 400 && told === undefined) return undefined;
  return text === undefined ? undefined : faultFrom(text, status);
}

function faultFrom(message: string, status: number): ProviderFault {
  const fitting = status >= 400 ? status : faultStatus(undefined);
  return {
    status: fitting,
    message: message || 'The provider answered with an error.',
    type: fitting === 498 ? 'authentication_error' : faultType(fitting),
  };
}

export function encodeFault(fault: ProviderFault, requestId: string): JsonObject {
  return compact({ id: requestId || undefined, message: fault.message });
}

export function encodeStreamFault(fault: ProviderFault): string {
  return eventText({ type: 'message-end', delta: { error: fault.message, finish_reason: 'ERROR' } }, 'message-end');
}

/** One event as the API writes it. */
export function eventText(event: JsonObject, name: string): string {
  return sseFrame(JSON.stringify(event), name);
}
