import { errorCodes } from '../errors.ts';
import { asObject, asString, type JsonObject } from '../json.ts';

/** Wire types by status, for a fault whose own type the target format does not know. */
const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** The error type that fits a status in every format that has types. */
export function faultType(status: number): string {
  return types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

const statuses: ReadonlyMap<string, number> = new Map([
  ...Object.entries(types).map(([status, type]): [string, number] => [type, Number(status)]),
  ['invalid_request_error', 400],
  ['timeout_error', 504],
  ['api_error', 500],
  ['server_error', 500],
  ['insufficient_quota', 429],
  ['rate_limit_exceeded', 429],
]);

/** The status that an error type stands for: how an error inside a 200 stream gets its status back. 502 when the type is unknown. */
export function faultStatus(type: string | undefined): number {
  return (type === undefined ? undefined : statuses.get(type)) ?? errorCodes.upstream_error.status;
}

/** Members of which every answer has one, or else an object `message`, whatever its format. */
const answers = [
  ...['object', 'choices', 'content', 'output', 'candidates'],
  ...['data', 'embedding', 'embeddings', 'results', 'pages', 'text'],
];

/**
 * The text of `{ error: 'text' }` with a status of success, where nothing of an answer stands beside it: some servers answer
 * so while they load a model, or have no more of what they need.
 */
export function errorTextAlone(json: JsonObject): string | undefined {
  const text = asString(json.error) || undefined;
  const answered = asObject(json.message) !== undefined || answers.some((name) => (json[name] ?? null) !== null);
  return answered ? undefined : text;
}
