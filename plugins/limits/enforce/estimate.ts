import {
  asArray,
  asNumber,
  asObject,
  asString,
  type Endpoint,
  type Json,
  type JsonObject,
  type RequestContext,
  type Usage,
} from 'portcullis/sdk';
import { makesRun } from './spends.ts';

/** The endpoints whose replies are made of tokens that the model writes. */
const writing: ReadonlySet<Endpoint> = new Set(['chatComplete', 'complete', 'messages', 'createModelResponse']);
const reading: ReadonlySet<Endpoint> = new Set([
  'embed',
  'rerank',
  'moderate',
  'imageGenerate',
  'imageEdit',
  'createSpeech',
]);

const charactersPerToken = 4;
/** What an image or a file in the body counts as: its bytes say nothing about its tokens. */
const attachmentCharacters = 4000;
const deepest = 64;
const mostReplies = 128;
/** Whatever a body says: sums stay whole numbers. */
const mostTokens = 1_000_000_000;
/** Of sound at 128 kbit/s. */
const bytesPerSecond = 16_000;
/** Of one unit of search: https://docs.cohere.com/docs/how-does-cohere-pricing-work */
const documentsPerSearch = 100;

/**
 * What a request may come to before anyone has counted: a token for each four characters of its texts, what it allows
 * the model to write, and the pictures, characters, seconds, pages and searches of which models are billed by those.
 * @param standardOutput tokens, where the request does not bound them
 */
export function estimatedUsage(
  request: Pick<RequestContext, 'endpoint' | 'headers' | 'method' | 'path'>,
  body: JsonObject,
  standardOutput: number,
): Usage {
  const { endpoint } = request;
  if (endpoint === 'realtime') return answerUsage(body, standardOutput);
  const writes = writing.has(endpoint) || makesRun(request);
  const input = writes || reading.has(endpoint) ? Math.ceil(charactersIn(body, 0) / charactersPerToken) : 0;
  const output = writes ? mostWritten(body, standardOutput) : 0;
  return { input, output, total: input + output, ...unitsOf(request, body) };
}

/** A session itself costs nothing; each answer that is asked for in it does. */
function answerUsage(event: JsonObject, standardOutput: number): Usage {
  if (event.type !== 'response.create') return nothing;
  const input = Math.ceil(charactersIn(event, 0) / charactersPerToken);
  const output = mostWritten(asObject(event.response) ?? {}, standardOutput);
  return { input, output, total: input + output };
}

function unitsOf(
  { endpoint, headers }: Pick<RequestContext, 'endpoint' | 'headers'>,
  body: JsonObject,
): Pick<Usage, 'images' | 'serverTools'> {
  switch (endpoint) {
    case 'imageGenerate':
    case 'imageEdit':
    case 'imageVariation':
      return { images: picturesOf(body) };
    case 'createSpeech':
      return { serverTools: { input_characters: asString(body.input)?.length ?? 0 } };
    case 'createTranscription':
    case 'createTranslation':
      return { serverTools: { audio_seconds: Math.ceil(lengthOf(headers) / bytesPerSecond) } };
    case 'ocr':
      return { serverTools: { ocr_pages: Math.max(1, asArray(body.pages).length) } };
    case 'rerank':
      return { serverTools: { search_units: Math.ceil(asArray(body.documents).length / documentsPerSearch) } };
    default:
      return {};
  }
}

/** Forms hold numbers as texts. */
function picturesOf({ n, quality, size }: JsonObject): NonNullable<Usage['images']> {
  const asked = Math.trunc(Number(n ?? 1));
  const [as, of] = [asString(quality), asString(size)];
  return {
    count: asked >= 1 ? Math.min(asked, mostReplies) : 1,
    ...(as === undefined ? {} : { quality: as }),
    ...(of === undefined ? {} : { size: of }),
  };
}

/** Bytes of the body; 0: nobody knows. */
function lengthOf(headers: RequestContext['headers']): number {
  const length = Number(headers['content-length'] ?? 0);
  return Number.isSafeInteger(length) && length > 0 ? length : 0;
}

const nothing: Usage = Object.freeze({ input: 0, output: 0, total: 0 });

/**
 * What passes untouched is read by nobody, before or after: of a request in JSON its length is known, and that it may make
 * a model write.
 */
export function proxiedUsage({ method, headers }: RequestContext, standardOutput: number): Usage {
  if (method === 'GET' || method === 'HEAD' || !/[/+]json\b/i.test(headers['content-type'] ?? '')) return nothing;
  const input = Math.ceil(lengthOf(headers) / charactersPerToken);
  return { input, output: standardOutput, total: input + standardOutput };
}

function mostWritten(body: JsonObject, standardOutput: number): number {
  const { max_tokens: older, max_completion_tokens: chat, max_output_tokens: responses, n } = body;
  const { bound: within, replies: candidates } = configured(body);
  const bound = asNumber(chat) ?? asNumber(responses) ?? asNumber(older) ?? within ?? standardOutput;
  const replies = Math.min(Math.max(Math.trunc(asNumber(n) ?? candidates ?? 1), 1), mostReplies);
  return Math.min(Math.max(0, Math.trunc(bound)) * replies, mostTokens);
}

/** The bounds of a `generateContent` request, which has them in an object of their own, under either spelling. */
function configured(body: JsonObject): { readonly bound: number | undefined; readonly replies: number | undefined } {
  const config = asObject(body.generationConfig) ?? asObject(body.generation_config) ?? {};
  return {
    bound: asNumber(config.maxOutputTokens) ?? asNumber(config.max_output_tokens),
    replies: asNumber(config.candidateCount) ?? asNumber(config.candidate_count),
  };
}

function charactersIn(value: Json | undefined, depth: number): number {
  if (typeof value === 'string') return value.startsWith('data:') ? attachmentCharacters : value.length;
  // Inputs of embeddings may be tokens already.
  if (typeof value === 'number') return charactersPerToken;
  if (typeof value !== 'object' || value === null || depth >= deepest) return 0;
  let sum = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) sum += charactersIn(item, depth + 1);
    return sum;
  }
  const object = value as JsonObject;
  // Bytes in base64, as the formats of messages, responses and contents have them.
  const isSource =
    object.type === 'base64' ||
    object.type === 'input_audio' ||
    object.type === 'input_file' ||
    (typeof object.data === 'string' && (object.mimeType ?? object.mime_type) !== undefined);
  for (const key in object)
    sum += isSource && key !== 'type' ? attachmentCharacters : charactersIn(object[key], depth + 1);
  return sum;
}
