import { asNumber, asObject, asObjects, asString, compact, type JsonObject } from '../../json.ts';
import { errorTextAlone, faultStatus, faultType } from '../fault.ts';
import type { ProviderFault } from '../neutral.ts';

/** Status words of google.rpc.Code (https://cloud.google.com/apis/design/errors) with their HTTP status and wire type. */
const words: Readonly<Record<string, { readonly status: number; readonly type: string }>> = {
  INVALID_ARGUMENT: { status: 400, type: 'invalid_request_error' },
  FAILED_PRECONDITION: { status: 400, type: 'invalid_request_error' },
  OUT_OF_RANGE: { status: 400, type: 'invalid_request_error' },
  UNAUTHENTICATED: { status: 401, type: 'authentication_error' },
  PERMISSION_DENIED: { status: 403, type: 'permission_error' },
  NOT_FOUND: { status: 404, type: 'not_found_error' },
  ABORTED: { status: 409, type: 'invalid_request_error' },
  ALREADY_EXISTS: { status: 409, type: 'invalid_request_error' },
  RESOURCE_EXHAUSTED: { status: 429, type: 'rate_limit_error' },
  CANCELLED: { status: 499, type: 'api_error' },
  UNKNOWN: { status: 500, type: 'api_error' },
  INTERNAL: { status: 500, type: 'api_error' },
  DATA_LOSS: { status: 500, type: 'api_error' },
  UNIMPLEMENTED: { status: 501, type: 'api_error' },
  UNAVAILABLE: { status: 503, type: 'overloaded_error' },
  DEADLINE_EXCEEDED: { status: 504, type: 'timeout_error' },
};
const wordByStatus: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  412: 'FAILED_PRECONDITION',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  501: 'UNIMPLEMENTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
};

/** The fault of `{error: {code, message, status, details}}`, alone or as the first of an array (streams without `alt=sse`). */
export function faultOf(json: unknown, status: number): ProviderFault | undefined {
  const body = asObject(Array.isArray(json) ? json[0] : json);
  if (body === undefined) return undefined;
  const error = asObject(body.error);
  if (error !== undefined) return faultOfError(error, status);
  const failed = status >= 400;
  const message = failed
    ? (asString(body.error) ?? asString(body.message) ?? asString(body.detail))
    : errorTextAlone(body);
  const fitting = failed ? status : faultStatus(undefined);
  return message === undefined ? undefined : { status: fitting, message, type: faultType(fitting) };
}

function faultOfError(error: JsonObject, status: number): ProviderFault {
  const word = asString(error.status);
  const known = word !== undefined && Object.hasOwn(words, word) ? words[word] : undefined;
  const number = asNumber(error.code);
  const told = number !== undefined && number >= 400 && number <= 599 ? number : known?.status;
  const fitting = status >= 400 ? status : (told ?? 502);
  const details = asObjects(error.details);
  const badKey = details.some((detail) => detail.reason === 'API_KEY_INVALID');
  const code = word ?? number;
  const violation = details.flatMap((detail) => asObjects(detail.fieldViolations))[0];
  const param = asString(violation?.field);
  return {
    status: fitting,
    message: asString(error.message) ?? 'The provider reported an error without a message.',
    type: badKey ? 'authentication_error' : (known?.type ?? faultType(fitting)),
    ...(code === undefined ? {} : { code }),
    ...(param === undefined ? {} : { param }),
  };
}

export function encodeFault(fault: ProviderFault, requestId: string): JsonObject {
  const own = typeof fault.code === 'string' && Object.hasOwn(words, fault.code) ? fault.code : undefined;
  const word = own ?? wordByStatus[fault.status] ?? (fault.status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  const details: JsonObject[] = [];
  if (fault.param !== undefined) {
    const fieldViolations = [{ field: fault.param, description: fault.message }];
    details.push({ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations });
  }
  if (requestId !== '') details.push({ '@type': 'type.googleapis.com/google.rpc.RequestInfo', requestId });
  return {
    error: compact({
      code: fault.status,
      message: fault.message,
      status: word,
      details: details.length === 0 ? undefined : details,
    }),
  };
}

/**
 * The error inside a stream that has begun: bare JSON without `data:`. That is how the official clients find it: js-genai
 * parses a chunk that is a JSON object with `error`, and takes one behind `data:` for an empty answer.
 */
export function encodeStreamFault(fault: ProviderFault): string {
  return `${JSON.stringify(encodeFault(fault, ''))}\n\n`;
}
