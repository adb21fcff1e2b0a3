import { sseFrame } from '../../framing/framing.ts';
import { asNumber, asObject, asObjects, asString, type JsonObject } from '../../json.ts';
import { errorTextAlone, faultStatus, faultType } from '../fault.ts';
import type { ProviderFault } from '../neutral.ts';

const OVERLOADED = 'overloaded_error';

/** The error types that the format's own documents name. */
const types: ReadonlySet<string> = new Set([
  'invalid_request_error',
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'conflict_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'api_error',
  OVERLOADED,
]);

/**
 * The fault of an error body or `error` event. From 400 on, bodies of proxies in front of the provider are read too
 * (`{message}`, `{detail}`, `{errors: [...]}`, `{error: "..."}`); below, only what is shaped as an error and as nothing else.
 */
export function faultOf(json: JsonObject, status: number): ProviderFault | undefined {
  const failed = status >= 400;
  const error = asObject(json.error);
  const said = error !== undefined && (asString(error.message) !== undefined || asString(error.type) !== undefined);
  if (error !== undefined && (failed || json.type === 'error' || (said && !('content' in json)))) {
    return describe(error, error.message ?? json.message ?? json.detail, status);
  }
  if (json.type === 'error' && !failed) return describe({}, json.error ?? json.message, status);
  const message = failed ? (json.error ?? json.message ?? json.detail ?? json.errors) : errorTextAlone(json);
  return message === undefined || message === null ? undefined : describe(json, message, status);
}

/** The error body of the Messages API: `{type: 'error', error: {type, message}, request_id}`. */
export function encodeFault(fault: ProviderFault, requestId: string): JsonObject {
  return { ...body(fault), request_id: requestId };
}

/** The `error` event that ends a stream which has begun. */
export function encodeStreamFault(fault: ProviderFault): string {
  return sseFrame(JSON.stringify(body(fault)), 'error');
}

function body(fault: ProviderFault): JsonObject {
  const known = fault.type !== undefined && types.has(fault.type);
  return { type: 'error', error: { type: known ? fault.type : faultType(fault.status), message: fault.message } };
}

function describe(error: JsonObject, message: unknown, status: number): ProviderFault {
  const named = asString(error.type) || undefined;
  const type = named === 'error' ? undefined : named;
  const code = asString(error.code) ?? asNumber(error.code) ?? asString(asObject(error.details)?.error_code);
  const param = asString(error.param);
  return {
    status: type === OVERLOADED ? 529 : status >= 400 ? status : faultStatus(type),
    message: sentence(message) ?? 'The provider reported an error without a message.',
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code }),
    ...(param === undefined ? {} : { param }),
  };
}

// FastAPI's validation errors are a list of `{loc, msg, type}`.
function sentence(message: unknown): string | undefined {
  if (typeof message === 'string') return message === '' ? undefined : message;
  const lines = asObjects(message).map((item) => asString(item.msg) ?? asString(item.message));
  const texts = lines.filter((line) => line !== undefined);
  return texts.length > 0 ? texts.join('; ') : asString(asObject(message)?.message);
}
