import {
  asString,
  type Dialect,
  dialects,
  GatewayError,
  type GenerationDialect,
  type LocalReply,
  type LocalRequest,
  parseJson,
} from 'portcullis/sdk';
import { bodyOf, decoded, type SentBody, textOf } from './body.ts';
import { answerKept, type Kind, placeAt, replyOf } from './collections.ts';
import { embed } from './embedding.ts';
import { generate, idsOf, newSeed, tolerant } from './generation.ts';
import { moderate, readPages, rerank } from './judging.ts';
import { pictures, speech, transcribe } from './media.ts';
import { type Behaviour, listedModels, readModelName } from './model-name.ts';
import { ResponsesStore } from './responses-store.ts';
import { batches } from './stored-batches.ts';
import { files } from './stored-files.ts';
import { jobs } from './stored-jobs.ts';
import { knowledge } from './stored-knowledge.ts';
import { createThreadAndRun, threads } from './stored-threads.ts';
import { inputTokens } from './text.ts';
import { faultReply, jsonReply, pause } from './wire.ts';

type Answer = (sent: SentBody, behaviour: Behaviour, request: LocalRequest) => LocalReply;

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
  ['/rerank', { dialect: dialects.rerank, answer: ({ json }) => jsonReply(200, rerank(json)) }],
  ['/moderations', { dialect: dialects.moderations, answer: ({ json }) => jsonReply(200, moderate(json)) }],
  ['/ocr', { dialect: dialects.ocr, answer: ({ json }) => jsonReply(200, readPages(json)) }],
  ['/images/generations', { dialect: dialects.images, answer: ({ json }) => pictures(json) }],
  ['/images/edits', { dialect: dialects.images, answer: ({ json }) => pictures(json, 'image_edit') }],
  ['/images/variations', { dialect: dialects.images, answer: ({ json }) => pictures(json) }],
  ['/audio/speech', { dialect: dialects.speech, answer: ({ json }) => speech(json) }],
  ['/audio/transcriptions', { dialect: dialects.transcriptions, answer: transcription }],
  ['/audio/translations', { dialect: dialects.transcriptions, answer: transcription }],
]);

const kinds: readonly Kind[] = [files, batches(serve), jobs, ...threads, ...knowledge];

function generation(dialect: GenerationDialect): Route {
  return { dialect, answer: ({ json }, behaviour, request) => generate(dialect, json, behaviour, store, request) };
}

/** Answers one request by method and path, as a provider's server would. */
export async function serve(request: LocalRequest): Promise<LocalReply> {
  const { pathname, searchParams } = new URL(request.path, 'http://echo.invalid');
  const route = request.method === 'POST' ? routes.get(pathname) : undefined;
  if (route !== undefined) return answer(route, request);
  return (await refusing(dialects.chat, () => answerStored(request, pathname, searchParams))) ?? mirror(request);
}

async function answerStored(
  request: LocalRequest,
  pathname: string,
  query: URLSearchParams,
): Promise<LocalReply | undefined> {
  if (request.method === 'GET' && pathname === '/models') return models();
  if (request.method === 'GET' && pathname.startsWith('/models/')) return model(pathname.slice('/models/'.length));
  const [, id, part] = /^\/responses\/([^/]+)(?:\/(input_items|cancel))?$/.exec(pathname) ?? [];
  if (id !== undefined) return response(request.method, id, part, query);
  if (request.method === 'POST' && pathname === '/threads/runs')
    return replyOf(createThreadAndRun(await bodyOf(request), placeAt('/threads', request, query)));
  return answerKept(kinds, request, pathname, query);
}

function response(
  method: string,
  id: string,
  part: string | undefined,
  query: URLSearchParams,
): LocalReply | undefined {
  if (part === 'input_items') return method === 'GET' ? store.items(id, query) : undefined;
  if (part === 'cancel') return method === 'POST' ? store.read(id) : undefined;
  if (method === 'GET') return store.read(id);
  return method === 'DELETE' ? store.remove(id) : undefined;
}

function answer({ dialect, answer }: Route, request: LocalRequest): Promise<LocalReply> {
  return refusing(dialect, async () => {
    if (request.body.length === 0) throw new GatewayError('invalid_json', 'The body must be a JSON object.');
    const sent = await bodyOf(request);
    const behaviour = readModelName(asString(sent.json.model) ?? '');
    if (typeof behaviour === 'string') throw new GatewayError('not_found', behaviour, { param: 'model' });
    if (behaviour.delay !== undefined) await pause(behaviour.delay, request.signal);
    if (behaviour.status === undefined) return answer(sent, behaviour, request);
    const message = `The echo answers with status ${behaviour.status}, as its model name says.`;
    return faultReply({ status: behaviour.status, message }, dialect.encodeFault);
  });
}

/** What is refused is told in the words of the dialect. */
async function refusing<T>(dialect: Dialect, work: () => Promise<T>): Promise<T | LocalReply> {
  try {
    return await work();
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    const { status, message, type, code, param } = error;
    return faultReply({ status, message, type, code, ...(param === undefined ? {} : { param }) }, dialect.encodeFault);
  }
}

function countTokens({ json }: SentBody): LocalReply {
  const tokens = inputTokens(dialects.messages.decodeCall(json, tolerant));
  return jsonReply(200, { input_tokens: tokens });
}

function transcription({ json, files: sent }: SentBody): LocalReply {
  return transcribe(json, sent);
}

function embeddings({ json }: SentBody): LocalReply {
  const vectors = embed(dialects.embeddings.decodeCall(json, tolerant));
  return jsonReply(200, dialects.embeddings.encodeReply(vectors, { ...tolerant, ...idsOf(newSeed()), request: json }));
}

const entryOf = (id: string) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'portcullis' });

function models(): LocalReply {
  return jsonReply(200, { object: 'list', data: listedModels.map(entryOf) });
}

/** Any name that the echo understands, listed or not. */
function model(name: string): LocalReply {
  const id = decoded(name);
  const behaviour = readModelName(id);
  if (typeof behaviour === 'string') throw new GatewayError('not_found', behaviour, { param: 'model' });
  return jsonReply(200, entryOf(id));
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
function mirror({ method, path, headers: sent, body }: LocalRequest): LocalReply {
  const text = textOf(body);
  const headers = Object.fromEntries(Object.entries(sent).filter(([name]) => !credentials.has(name.toLowerCase())));
  return jsonReply(200, { method, path, headers, body: parseJson(text) ?? (text || null) });
}
