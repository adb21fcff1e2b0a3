import { asObject, GatewayError, type Json, type JsonObject, type RequestHeaders } from 'portcullis/sdk';

/** Fields of a body that take the headers of the gateway, beside `<vendor>_options` for each of its vendors. */
const standing = ['gw_options', 'portkey_options'];

/** What does not belong to what a line asks, and to what its headers are of a connection. */
const left: ReadonlySet<string> = new Set([
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'expect',
  'range',
  'if-match',
  'if-none-match',
  'if-range',
  'if-modified-since',
  'if-unmodified-since',
  // Each request is one of its own.
  'idempotency-key',
]);

export interface OwnHeaders {
  readonly traceId: string;
  readonly spanId: string;
  readonly batchId: string;
}

const mostMetadata = 128;

/**
 * The headers of the requests that a batch makes: those of the request that has made it, with the options of its body in the
 * place of its control headers.
 * @throws GatewayError `bad_request` for options that are no headers of the gateway
 */
export function lineHeaders(
  headers: RequestHeaders,
  body: JsonObject,
  vendors: readonly string[],
  { traceId, spanId, batchId }: OwnHeaders,
): RequestHeaders {
  const made: Record<string, string> = {};
  for (const name in headers) if (!left.has(name)) made[name] = headers[name] ?? '';
  const [vendor = 'gw'] = vendors;
  const put = (name: string, value: string): void => {
    for (const alias of vendors) delete made[`x-${alias}-${name}`];
    made[`x-${vendor}-${name}`] = value;
  };
  for (const [name, value] of optionsIn(body, vendors)) put(name, value);
  put('trace-id', traceId);
  put('parent-span-id', spanId);
  for (const alias of vendors) delete made[`x-${alias}-span-id`];
  const given = vendors.map((alias) => made[`x-${alias}-metadata`]).find((value) => value !== undefined);
  const metadata = withBatch(given, batchId);
  if (metadata !== undefined) put('metadata', metadata);
  made['content-type'] = 'application/json';
  return made;
}

function optionsIn(body: JsonObject, vendors: readonly string[]): readonly (readonly [string, string])[] {
  const fields = new Set([...standing, ...vendors.map((vendor) => `${vendor.replaceAll('-', '_')}_options`)]);
  return [...fields].flatMap((field) => {
    const given = body[field];
    if (given === undefined || given === null) return [];
    const options = asObject(given);
    if (options === undefined) throw new GatewayError('bad_request', `${field} must be an object.`, { param: field });
    return Object.entries(options).map(([name, value]) => optionOf(field, name, value));
  });
}

function optionOf(field: string, given: string, value: Json): readonly [string, string] {
  const param = `${field}.${given.slice(0, 60)}`;
  const name = given
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^x-[a-z0-9]+-/, '');
  if (!/^[a-z][a-z0-9-]*$/.test(name) || name === 'api-key') {
    const text = `${param} is no option: options are the headers of the gateway but for its key, such as config or virtual_key.`;
    throw new GatewayError('bad_request', text, { param });
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (/\p{Cc}/u.test(text))
    throw new GatewayError('bad_request', `${param} holds characters that no header may have.`, { param });
  return [name, text];
}

/** Undefined: as it is. What is malformed is refused where it is read, and what is full stays. */
function withBatch(header: string | undefined, batchId: string): string | undefined {
  if (header === undefined) return JSON.stringify({ _batch_id: batchId });
  let given: JsonObject | undefined;
  try {
    given = asObject(JSON.parse(header));
  } catch {
    return undefined;
  }
  if (given === undefined || Object.keys(given).length >= mostMetadata) return undefined;
  return JSON.stringify({ ...given, _batch_id: batchId });
}
