import { dialects } from '../dialects/index.ts';
import { GatewayError } from '../errors.ts';
import { asNumber, asObject, asString, type Json, type JsonObject, parseJson } from '../json.ts';

/** Bytes of one line of JSON. */
const longest = 64 * 1024 * 1024;

/**
 * The lines of a text, without their ends and without empty ones; UTF-8, cut at LF or CRLF.
 * @throws GatewayError `bad_request` for a line of more than 64 MiB
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let held: Uint8Array[] = [];
  let size = 0;
  const take = () => {
    const line = Buffer.concat(held).toString('utf8').replace(/\r$/, '');
    held = [];
    size = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      held.push(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line.trim() !== '') yield line;
    }
    if (start === chunk.length) continue;
    // A copy: who sends the chunks may use their memory again.
    held.push(Uint8Array.from(chunk.subarray(start)));
    size += chunk.length - start;
    if (size > longest)
      throw new GatewayError('bad_request', 'A line of the file is longer than 64 MiB.', { param: 'file' });
  }
  const last = take();
  if (last.trim() !== '') yield last;
}

/** A line of a batch: what the OpenAI API reference calls the request input object. */
export interface BatchLine {
  readonly customId: string;
  readonly url: string;
  readonly body: JsonObject;
}

/**
 * Reads a line of a batch; undefined where it has no `body`, as lines that are in the provider's own format already.
 * @throws GatewayError `bad_request` for what is no JSON object
 */
export function batchLineOf(
  text: string,
  number: number,
  defaultUrl = '/v1/chat/completions',
): { readonly line?: BatchLine; readonly json: JsonObject } {
  const json = asObject(parseJson(text));
  if (json === undefined)
    throw new GatewayError('bad_request', `Line ${number} of the file is not a JSON object.`, { param: 'file' });
  const body = asObject(json.body);
  if (body === undefined) return { json };
  const customId = asString(json.custom_id) ?? '';
  return { json, line: { customId, url: asString(json.url) ?? defaultUrl, body } };
}

/** What of the gateway a reply is written with. */
export interface LineTools {
  nowSeconds(): number;
  newId(prefix: string): string;
}

/** The chat completion that a reply in another format stands for. */
export function chatReply(from: 'gemini' | 'messages', reply: JsonObject, model: string, tools: LineTools): JsonObject {
  const { nowSeconds, newId } = tools;
  const context = { strict: true, dropped: () => {}, request: { model }, nowSeconds, newId };
  return dialects.chat.encodeReply(dialects[from].decodeReply(reply, context), context);
}

/** A line of a batch's output that holds an answer: what the OpenAI API reference calls the request output object. */
export function answeredLine(customId: Json, body: JsonObject, { newId }: LineTools): JsonObject {
  const id = newId('batch_req_');
  return {
    id,
    custom_id: customId,
    response: { status_code: 200, request_id: asString(body.id) ?? id, body },
    error: null,
  };
}

/** One that holds an error: its status where the provider has told one, and a message. */
export function failedLine(customId: Json, error: JsonObject, { newId }: LineTools): JsonObject {
  const status = asNumber(error.code) ?? 0;
  const message = asString(error.message) ?? 'The request has failed.';
  const id = newId('batch_req_');
  const code = asString(error.status) ?? (status === 0 ? 'request_failed' : String(status));
  if (status < 400) return { id, custom_id: customId, response: null, error: { code, message } };
  const body = { error: { message, type: null, param: null, code } };
  return { id, custom_id: customId, response: { status_code: status, request_id: id, body }, error: null };
}
