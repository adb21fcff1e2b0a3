import type { IncomingMessage } from 'node:http';
import { asObject, faultPosition, GatewayError, type JsonArray, type JsonObject } from 'portcullis/sdk';
import { isJsonType } from '../json-type.ts';

/** Reads a request body whole. @throws GatewayError `payload_too_large`, `unsupported_media_type` or `client_closed` */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    const text = `The content encoding "${encoding.slice(0, 40)}" is not accepted: send the body as it is.`;
    return Promise.reject(new GatewayError('unsupported_media_type', text, { param: 'content-encoding' }));
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.off('data', onData);
        reject(tooLarge(limit));
        return;
      }
      chunks.push(chunk);
    };
    request.on('data', onData);
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', () => reject(left()));
    request.on('close', () => {
      if (!request.complete) reject(left());
    });
  });
}

function tooLarge(limit: number): GatewayError {
  // The rest of the body is not read, so the connection cannot be used again.
  return new GatewayError(
    'payload_too_large',
    `The request body is larger than the ${limit} bytes that are accepted.`,
    {
      headers: { connection: 'close' },
    },
  );
}

function left(): GatewayError {
  return new GatewayError('client_closed', 'The client left before the request was complete.');
}

/** Whether a content type says JSON; a client that says nothing is taken to mean it. */
export function checkJsonType(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  if (type === undefined || isJsonType(type)) return;
  throw new GatewayError(
    'unsupported_media_type',
    `The content type "${type.slice(0, 60)}" is not accepted here: send application/json.`,
    {
      param: 'content-type',
    },
  );
}

/**
 * @param list the member that an array is given as, also one whose items some client has spread into an object as `0`,
 * `1` and so on; absent: an array is refused
 * @throws GatewayError `invalid_json` with line and column, or `bad_request` when the body is no object
 */
export function parseBody(bytes: Buffer, list?: string): JsonObject {
  let value: unknown;
  const text = bytes.toString('utf8');
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const { line, column } = faultPosition(text);
    const message =
      text.trim() === ''
        ? 'The request body is empty: send a JSON object.'
        : `The request body is not JSON: line ${line}, column ${column}.`;
    throw new GatewayError('invalid_json', message, { cause });
  }
  const items = list === undefined ? undefined : itemsOf(value);
  const body = list === undefined || items === undefined ? asObject(value) : { [list]: items };
  if (body === undefined) throw new GatewayError('bad_request', 'The request body must be a JSON object.');
  return body;
}

function itemsOf(value: unknown): JsonArray | undefined {
  if (Array.isArray(value)) return value as JsonArray;
  const names = Object.keys(asObject(value) ?? {});
  return names.length > 0 && names.every((name, index) => name === String(index))
    ? Object.values(asObject(value) ?? {})
    : undefined;
}
