import { asArray, asObject, asString, type JsonObject, parseJson } from 'portcullis/sdk';
import type { Reply } from './gateway.ts';

/** A route with a wire format for clients: a smallest request, and how to read its errors. */
export interface ClientRoute {
  readonly dialect: 'chat' | 'messages' | 'responses';
  readonly path: string;
  body(model: string, stream?: boolean): JsonObject;
}

const asked = [{ role: 'user', content: 'Hi' }];

export const clientRoutes: readonly ClientRoute[] = [
  {
    dialect: 'chat',
    path: '/v1/chat/completions',
    body: (model, stream = false) => ({ model, messages: asked, stream }),
  },
  {
    dialect: 'messages',
    path: '/v1/messages',
    body: (model, stream = false) => ({ model, max_tokens: 64, messages: asked, stream }),
  },
  {
    dialect: 'responses',
    path: '/v1/responses',
    body: (model, stream = false) => ({ model, input: 'Hi', stream }),
  },
];

export interface ClientError {
  readonly type: string | undefined;
  readonly message: string;
  readonly param: string | undefined;
  readonly code: string | undefined;
}

/** Reads an error body of the dialect; throws when it has another shape than its official SDK expects. */
export function clientError(
  dialect: ClientRoute['dialect'],
  { text, json, headers }: Pick<Reply, 'text' | 'json' | 'headers'>,
): ClientError {
  if (!headers.get('content-type')?.startsWith('application/json')) throw new Error(`No JSON: ${text}`);
  return errorIn(dialect, json);
}

function errorIn(dialect: ClientRoute['dialect'], body: JsonObject): ClientError {
  const error = asObject(body.error);
  const message = asString(error?.message);
  const shaped =
    dialect === 'messages'
      ? body.type === 'error' && asString(body.request_id) !== undefined
      : error !== undefined && 'param' in error && 'code' in error;
  if (error === undefined || message === undefined || !shaped)
    throw new Error(`No error of the ${dialect} format: ${JSON.stringify(body)}`);
  return { type: asString(error.type), message, param: asString(error.param), code: asString(error.code) };
}

/** The data of all events in a stream, parsed where they are JSON. */
export function eventsOf(text: string): readonly (JsonObject | string)[] {
  return text
    .split(/\r?\n\r?\n/)
    .flatMap((event) => event.split(/\r?\n/).filter((line) => line.startsWith('data:')))
    .map((line) => line.slice(5).trim())
    .map((data) => asObject(parseJson(data)) ?? data);
}

/** The text that a stream in the dialect has told so far. */
export function streamedText(dialect: ClientRoute['dialect'], text: string): string {
  return eventsOf(text)
    .map((event) => (typeof event === 'string' ? '' : textIn(dialect, event)))
    .join('');
}

function textIn(dialect: ClientRoute['dialect'], event: JsonObject): string {
  switch (dialect) {
    case 'chat':
      return asString(asObject(asObject(asArray(event.choices)[0])?.delta)?.content) ?? '';
    case 'messages':
      return asString(asObject(event.delta)?.text) ?? '';
    case 'responses':
      return event.type === 'response.output_text.delta' ? (asString(event.delta) ?? '') : '';
  }
}

/** The error event at the end of a stream; undefined when it has none. */
export function streamError(
  dialect: ClientRoute['dialect'],
  text: string,
): { readonly message: string; readonly type: string | undefined } | undefined {
  for (const event of eventsOf(text)) {
    if (typeof event === 'string') continue;
    const failed = dialect === 'responses' ? responsesFailure(event) : asObject(event.error);
    const message = asString(failed?.message);
    if (failed !== undefined && message !== undefined)
      return { message, type: asString(failed.type) ?? asString(failed.code) };
  }
  return undefined;
}

function responsesFailure(event: JsonObject): JsonObject | undefined {
  if (event.type === 'error') return asObject(event.error) ?? event;
  return event.type === 'response.failed' ? asObject(asObject(event.response)?.error) : undefined;
}

/** Whether the stream ended the way its format ends: with its last event, not only with the connection. */
export function isComplete(dialect: ClientRoute['dialect'], text: string): boolean {
  const last = eventsOf(text).at(-1);
  switch (dialect) {
    case 'chat':
      return last === '[DONE]';
    case 'messages':
      return typeof last === 'object' && last.type === 'message_stop';
    case 'responses':
      return typeof last === 'object' && last.type === 'response.completed';
  }
}
