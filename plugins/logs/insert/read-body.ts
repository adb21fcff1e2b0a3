import { asArray, asNumber, asObject, asString, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';

/** One request that a client has made elsewhere, as it tells of it. */
export interface SentLog {
  readonly url: string;
  readonly method: string;
  readonly provider: string | undefined;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: Json;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: Json;
  /** Milliseconds. */
  readonly responseTime: number;
  readonly stream: boolean;
  readonly metadata: Readonly<Record<string, string>>;
}

const most = 1000;
/** As many as a request may bring. */
const mostMetadata = 128;

/** The logs of a body: one, or a list. @throws GatewayError `bad_request` naming the field */
export function readLogs(body: JsonObject): readonly SentLog[] {
  const list = body.logs;
  if (list === undefined) return [readLog(body, '')];
  const logs = asArray(list);
  if (logs.length === 0 || logs.length > most) throw refusal('logs', `must be a list of 1 to ${most} logs`);
  return logs.map((log, index) => readLog(object(log, `[${index}]`), `[${index}].`));
}

function readLog(log: JsonObject, at: string): SentLog {
  const request = object(log.request, `${at}request`);
  const response = object(log.response, `${at}response`);
  const url = asString(request.url) ?? '';
  if (url === '' || url.length > 4096) throw refusal(`${at}request.url`, 'is required: a URL of up to 4096 characters');
  return {
    url,
    method: word(request.method, 'POST', `${at}request.method`).toUpperCase(),
    provider: asString(request.provider),
    requestHeaders: headers(request.headers, `${at}request.headers`),
    requestBody: request.body ?? refuseMissing(`${at}request.body`),
    status: number(response.status, 200, 100, 599, `${at}response.status`),
    responseHeaders: headers(response.headers, `${at}response.headers`),
    responseBody: response.body ?? refuseMissing(`${at}response.body`),
    responseTime: number(
      response.response_time ?? response.responseTime,
      0,
      0,
      86_400_000,
      `${at}response.response_time`,
    ),
    stream: (response.streamingMode ?? response.streaming_mode) === true,
    metadata: texts(log.metadata, `${at}metadata`),
  };
}

function object(value: Json | undefined, param: string): JsonObject {
  return asObject(value) ?? refuse(param, 'is required: an object');
}

function headers(value: Json | undefined, param: string): SentLog['requestHeaders'] {
  if (value === undefined || value === null) return {};
  return Object.fromEntries(
    Object.entries(object(value, param)).map(([name, text]) => [name.toLowerCase(), String(text)]),
  );
}

function texts(value: Json | undefined, param: string): SentLog['metadata'] {
  if (value === undefined || value === null) return {};
  const entries = Object.entries(object(value, param)).filter(([, text]) => text !== null);
  if (entries.length > mostMetadata) throw refusal(param, `must have at most ${mostMetadata} members`);
  const wrong = entries.find(([, text]) => typeof text === 'object');
  if (wrong !== undefined) throw refusal(`${param}.${wrong[0]}`, 'must be a text');
  return Object.fromEntries(entries.map(([name, text]) => [name, String(text)]));
}

function word(value: Json | undefined, standard: string, param: string): string {
  if (value === undefined || value === null) return standard;
  return typeof value === 'string' && /^[a-zA-Z]{1,16}$/.test(value) ? value : refuse(param, 'must be an HTTP method');
}

function number(value: Json | undefined, standard: number, least: number, highest: number, param: string): number {
  if (value === undefined || value === null) return standard;
  const given = asNumber(typeof value === 'string' ? Number(value) : value);
  if (given !== undefined && given >= least && given <= highest) return Math.round(given);
  throw refusal(param, `must be a number from ${least} to ${highest}`);
}

function refuseMissing(param: string): never {
  throw refusal(param, 'is required');
}

function refuse(param: string, why: string): never {
  throw refusal(param, why);
}

function refusal(param: string, why: string): GatewayError {
  return new GatewayError('bad_request', `${param} ${why}.`, { param });
}
