import {
  asObject,
  asString,
  type Dialect,
  dialects,
  GatewayError,
  type GenerationDialect,
  type JsonObject,
  type LocalReply,
  type LocalRequest,
  parseJson,
} from 'portcullis/sdk';
import { embed } from './embedding.ts';
import { generate, idsOf, newSeed, tolerant } from './generation.ts';
import { type Behaviour, listedModels, readModelName } from './model-name.ts';
import { ResponsesStore } from './responses-store.ts';
import { inputTokens } from './text.ts';
import { faultReply, jsonReply, pause } from './wire.ts';

type Answer = (body: JsonObject, behaviour: Behaviour, request: LocalRequest) => LocalReply;

interface Route {
  readonly dialect: Dialect;
  readonly answer: Answer;
}

const store = new ResponsesStore();

const routes: ReadonlyMap<string, Route> = new Map([
  ['/chat/completions', generation(dialects.chat)],
  ['/completions', generation(dialects.completions)],
  ['/messages', generation(dialects.messages)],
  ['/responses', generation(dialects.responses)],
  ['/messages/count_tokens', { dialect: dialects.messages, answer: countTokens }],
  ['/embeddings', { dialect: dialects.embeddings, answer: embeddings }],
]);

function generation(dialect: GenerationDialect): Route {
  return { dialect, answer: (body, behaviour, request) => generate(dialect, body, behaviour, store, request) };
}

/** Answers one request by method and path, as a provider's server would. */
export async function serve(request: LocalRequest): Promise<LocalReply> {
  const { pathname, searchParams } = new URL(request.path, 'http://echo.invalid');
  const route = request.method === 'POST' ? routes.get(pathname) : undefined;
  if (route !== undefined) return answer(route, request);
  if (request.method === 'GET' && pathname === '/models') return models();
  const [, id, items] = /^\/responses\/([^/]+)(\/input_items)?$/.exec(pathname) ?? [];
  if (id !== undefined && request.method === 'GET')
    return items === undefined ? store.read(id) : store.items(id, searchParams);
  if (id !== undefined && items === undefined && request.method === 'DELETE') return store.remove(id);
  return mirror(request);
}

async function answer({ dialect, answer }: Route, request: LocalRequest): Promise<LocalReply> {
  try {
    const body = asObject(parseJson(textOf(request)));
    if (body === undefined) throw new GatewayError('invalid_json', 'The body must be a JSON object.');
    const behaviour = readModelName(asString(body.model) ?? '');
    if (typeof behaviour === 'string') throw new GatewayError('not_found', behaviour, { param: 'model' });
    if (behaviour.delay !== undefined) await pause(behaviour.delay, request.signal);
    if (behaviour.status === undefined) return answer(body, behaviour, request);
    const message = `The echo answers with status ${behaviour.status}, as its model name says.`;
    return faultReply({ status: behaviour.status, message }, dialect.encodeFault);
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    const { status, message, type, code, param } = error;
    return faultReply({ status, message, type, code, ...(param === undefined ? {} : { param }) }, dialect.encodeFault);
  }
}

function countTokens(body: JsonObject): LocalReply {
  const tokens = inputTokens(dialects.messages.decodeCall(body, tolerant));
  return jsonReply(200, { input_tokens: tokens });
}

function embeddings(body: JsonObject): LocalReply {
  const vectors = embed(dialects.embeddings.decodeCall(body, tolerant));
  return jsonReply(200, dialects.embeddings.encodeReply(vectors, { ...tolerant, ...idsOf(newSeed()), request: body }));
}

function models(): LocalReply {
  const data = listedModels.map((id) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'portcullis' }));
  return jsonReply(200, { object: 'list', data });
}

const credentials = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
]);

/** Any other path: shows what arrived, but for credentials. */
function mirror(request: LocalRequest): LocalReply {
  const text = textOf(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !credentials.has(name.toLowerCase())),
  );
  return jsonReply(200, {
    method: request.method,
    path: request.path,
    headers,
    body: parseJson(text) ?? (text || null),
  });
}

function textOf(request: LocalRequest): string {
  return new TextDecoder().decode(request.body);
}
