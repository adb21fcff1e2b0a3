import { sseFrame } from '../../framing/framing.ts';
import { asNumber, asObject, asObjects, asString, type Json, type JsonObject } from '../../json.ts';
import { looseMessage, writeFault } from '../chat/fault.ts';
import { errorTextAlone, faultStatus } from '../fault.ts';
import { lookup } from '../lookup.ts';
import type { ProviderFault } from '../neutral.ts';
import { present } from '../present.ts';

/** Codes of a failed response that are neither types nor the caller's fault (400). */
const statuses: Readonly<Record<string, number>> = {
  server_error: 500,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  server_is_overloaded: 529,
  slow_down: 529,
  vector_store_timeout: 504,
};

/** Codes by status, for a fault that has none. */
const codes: Readonly<Record<number, string>> = {
  400: 'invalid_prompt',
  429: 'rate_limit_exceeded',
  529: 'server_is_overloaded',
};

const callersFault =
  /^(invalid_|image_|unsupported_|empty_image|failed_to_download|bio_policy|misalignment_policy|data_residency|context_length|cyber_policy|model_not_found)/;

/**
 * Reads an error body `{ error: { message, type, param, code } }`, an `error` event (flat or with a nested error), a
 * failed response and the event that carries one. With a status of 400 or more also `{ error: 'text' }`, `{ message }`,
 * `{ detail }` and `{ errors: [...] }`; with any other, the text of an error that stands alone.
 */
export function faultOf(json: JsonObject, status: number): ProviderFault | undefined {
  const nested = asObject(json.error) ?? asObject(asObject(json.response)?.error);
  if (nested !== undefined) return faultFrom(nested, status);
  if (json.type === 'error') return faultFrom({ ...json, type: null }, status);
  if (json.type === 'response.failed' || (json.object === 'response' && json.status === 'failed')) {
    return faultFrom({}, status);
  }
  const message = status < 400 ? errorTextAlone(json) : looseMessage(json);
  return message === undefined ? undefined : faultFrom({ ...json, message }, status);
}

/** The error body, which has no place for a request id. */
export function encodeFault(fault: ProviderFault): JsonObject {
  return writeFault(fault);
}

/**
 * The `error` event. A failed response cannot be sent here: clients refuse one whose id is not that of the stream.
 * The error is both flat, as documented, and nested, as the official service sends it.
 */
export function encodeStreamFault(fault: ProviderFault): string {
  const error = asObject(writeFault(fault).error) ?? {};
  const { code = null, message = '', param = null } = error;
  const event = { type: 'error', sequence_number: 0, code, message, param, error };
  return sseFrame(JSON.stringify(event), 'error');
}

/** The `error` member of a failed response. */
export function responseError(fault: ProviderFault): JsonObject {
  return { code: String(fault.code ?? codes[fault.status] ?? 'server_error'), message: fault.message };
}

function faultFrom(error: JsonObject, status: number): ProviderFault {
  const type = asString(error.type) || undefined;
  const code = asString(error.code) ?? asNumber(error.code);
  return present<ProviderFault>({
    status: status >= 400 ? status : statusInside(type, code),
    message: textOf(error.message) ?? type ?? 'The provider answered with an error.',
    type,
    code,
    param: asString(error.param),
  });
}

function statusInside(type: string | undefined, code: string | number | undefined): number {
  if (typeof code === 'number' && code >= 400 && code <= 599) return code;
  if (typeof code === 'string') {
    const known = lookup(statuses, code);
    if (known !== undefined) return known;
    if (callersFault.test(code)) return 400;
  }
  return faultStatus(type ?? asString(code));
}

function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value || undefined;
  const texts = asObjects(value).flatMap((item) => asString(item.msg) ?? asString(item.message) ?? []);
  return texts.join('; ') || undefined;
}
