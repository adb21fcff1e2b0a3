import { type Frame, sseFrame } from '../../framing/framing.ts';
import { asObject, asString, type JsonObject, parseJson } from '../../json.ts';
import { faultType } from '../fault.ts';
import { lookup } from '../lookup.ts';
import type { ProviderFault } from '../neutral.ts';

/** HTTP statuses of the exceptions that the API and its gateway name, without `Exception`, in lower case. */
const statuses: Readonly<Record<string, number>> = {
  validation: 400,
  conflict: 400,
  servicequotaexceeded: 400,
  serialization: 400,
  unrecognizedclient: 403,
  invalidsignature: 403,
  incompletesignature: 403,
  missingauthenticationtoken: 403,
  expiredtoken: 403,
  accessdenied: 403,
  resourcenotfound: 404,
  unknownoperation: 404,
  modeltimeout: 408,
  modelerror: 424,
  modelstreamerror: 424,
  throttling: 429,
  toomanyrequests: 429,
  modelnotready: 429,
  internalserver: 500,
  internalfailure: 500,
  serviceunavailable: 503,
};

const types: Readonly<Record<number, string>> = {
  408: 'timeout_error',
  424: 'api_error',
  503: 'overloaded_error',
};

/** Names that this format's clients know, by status. */
const names: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'AccessDeniedException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
  504: 'ModelTimeoutException',
  529: 'ServiceUnavailableException',
};

const untold = 'The provider reported an error without a message.';

/**
 * The fault of an error body `{message, __type?}`; the gateway in front of the API spells it `Message`. From 400 on, bodies
 * of proxies are read too: `{error: {message}}`, `{error: '...'}`.
 */
export function faultOf(json: JsonObject, status: number): ProviderFault | undefined {
  const error = asObject(json.error);
  // `{Output: {__type}, Version}` is how the gateway in front of the API says that it does not know an operation.
  const type = asString(json.__type) ?? asString(asObject(json.Output)?.__type);
  const name = type ?? asString(json.code) ?? asString(error?.code) ?? asString(error?.type);
  const message =
    asString(json.message) ?? asString(json.Message) ?? asString(error?.message) ?? asString(json.error) ?? undefined;
  if (status < 400) {
    const failed = (json.output ?? null) === null && (type !== undefined || (json.error ?? null) !== null);
    return failed ? described(name, message, undefined) : undefined;
  }
  return message === undefined && name === undefined ? undefined : described(name, message, status);
}

/** The fault of a message of a stream whose kind or name says that it is an exception: its name tells the status. */
export function exceptionIn({ data, event, kind }: Frame): ProviderFault | undefined {
  if (kind !== 'exception' && (event === undefined || !/(Exception|Error)$/.test(event))) return undefined;
  const payload = asObject(parseJson(data)) ?? { message: data };
  const said = asString(payload.message) ?? asString(payload.Message) ?? asString(payload.originalMessage);
  return described(asString(payload.__type) ?? event, said, undefined);
}

function described(name: string | undefined, message: string | undefined, status: number | undefined): ProviderFault {
  // `com.amazon.coral.service#ThrottlingException`, `ValidationException:http://...`
  const bare = name?.replace(/^.*#/, '').replace(/:.*$/s, '');
  const word = bare?.replace(/(Exception|Error)$/, '').toLowerCase();
  const fitting = status ?? (word === undefined ? undefined : lookup(statuses, word)) ?? 502;
  return {
    status: fitting,
    message: message || untold,
    type: types[fitting] ?? faultType(fitting),
    ...(bare === undefined || bare === '' ? {} : { code: bare }),
  };
}

function nameOf({ code, status }: ProviderFault): string {
  if (typeof code === 'string' && /^[A-Za-z]+Exception$/.test(code)) return code;
  return names[status] ?? (status < 500 ? 'ValidationException' : 'InternalServerException');
}

/** The error body of this format; it has no place for the request's id, which its clients read from a header. */
export function encodeFault(fault: ProviderFault): JsonObject {
  return { __type: nameOf(fault), message: fault.message };
}

/** The exception that ends a stream which has begun. */
export function encodeStreamFault(fault: ProviderFault): string {
  const name = nameOf(fault);
  return sseFrame(JSON.stringify({ message: fault.message }), name.charAt(0).toLowerCase() + name.slice(1));
}
