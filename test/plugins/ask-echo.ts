import assert from 'node:assert/strict';
import { asObject, asObjects, type JsonObject, type LocalReply, parseJson } from 'portcullis/sdk';
import echo from '../../providers/echo/index.ts';

export const messages = [{ role: 'user', content: 'portcullis up, portcullis down' }];

export async function ask(
  path: string,
  body: JsonObject | undefined,
  options: { method?: string; signal?: AbortSignal } = {},
): Promise<LocalReply> {
  const { serve } = echo;
  assert.ok(serve !== undefined);
  return serve({
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    path,
    headers: { authorization: 'Bearer secret', 'x-api-key': 'secret', 'x-mine': 'shown' },
    body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
    signal: options.signal ?? new AbortController().signal,
  });
}

/** Sends a form; files are texts under a name. */
export async function askForm(
  path: string,
  fields: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Promise<LocalReply> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, text] of Object.entries(files)) form.append(name, new Blob([text]), `${name}.txt`);
  const encoded = new Response(form);
  const { serve } = echo;
  assert.ok(serve !== undefined);
  return serve({
    method: 'POST',
    path,
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    body: new Uint8Array(await encoded.arrayBuffer()),
    signal: new AbortController().signal,
  });
}

export async function objectIn(reply: LocalReply): Promise<JsonObject> {
  const json = asObject(parseJson(await textOf(reply)));
  assert.ok(json !== undefined);
  return json;
}

export async function textOf(reply: LocalReply): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

export async function jsonOf(path: string, body?: JsonObject, method?: string): Promise<JsonObject> {
  const json = asObject(parseJson(await textOf(await ask(path, body, method === undefined ? {} : { method }))));
  assert.ok(json !== undefined);
  return json;
}

export const chat = (fields: JsonObject) => jsonOf('/chat/completions', { model: 'echo', messages, ...fields });
export const choices = (json: JsonObject) =>
  asObjects(json.choices).map(
    (choice) => ({ ...asObject(choice.message), finish: choice.finish_reason }) as JsonObject,
  );
export const streamed = async (model: string, path = '/chat/completions') =>
  textOf(await ask(path, { model, messages, max_tokens: 100, stream: true }));
