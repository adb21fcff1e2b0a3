import { asObject, type JsonObject, type Outcome, omit, parseJson, type RequestContext } from 'portcullis/sdk';

/**
 * The reply to a request for a saved prompt: the completion's own members, as every client of completions reads them, and
 * beside them `status`, `headers` and `body`, as the specification has it. The completion's bytes are kept as they came.
 * Where a completion has members of these names itself, they are in `body` alone: no key comes twice. What is no JSON
 * object stays as it is.
 */
export function superset(request: RequestContext, outcome: Outcome): Outcome | undefined {
  const { body, status } = outcome;
  if (body.kind !== 'bytes' || status >= 300) return undefined;
  const bytes = Buffer.isBuffer(body.bytes) ? body.bytes : Buffer.from(body.bytes);
  const completion = asObject(parseJson(bytes.toString('utf8')));
  if (completion === undefined) return undefined;
  const more = `"status":"success","headers":${JSON.stringify(headersOf(request, outcome))},"body":`;
  const joined = Buffer.concat([membersOf(bytes, completion), Buffer.from(more), bytes, closing]);
  return { ...outcome, body: { kind: 'bytes', bytes: joined } };
}

const names = ['status', 'headers', 'body'];
const closing = Buffer.from('}');

/** The object up to where more members follow. */
function membersOf(bytes: Buffer, completion: JsonObject): Buffer {
  const clashes = names.some((name) => Object.hasOwn(completion, name));
  const own = clashes ? omit(completion, new Set(names)) : completion;
  const text = clashes ? Buffer.from(JSON.stringify(own)) : bytes;
  const members = text.subarray(0, text.lastIndexOf('}'));
  return Object.keys(own).length === 0 ? members : Buffer.concat([members, comma]);
}

const comma = Buffer.from(',');

function headersOf({ id, traceId }: RequestContext, { headers }: Outcome): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) shown[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return { ...shown, 'x-gw-trace-id': traceId, 'x-gw-request-id': id };
}
