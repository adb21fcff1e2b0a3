import { asNumber, type Endpoint, type Json, type JsonObject, type RequestContext, type Usage } from 'portcullis/sdk';

/** The endpoints whose replies are made of tokens that the model writes. */
const writing: ReadonlySet<Endpoint> = new Set(['chatComplete', 'complete', 'messages', 'createModelResponse']);
const reading: ReadonlySet<Endpoint> = new Set(['embed', 'rerank', 'moderate', 'imageGenerate', 'createSpeech']);

const charactersPerToken = 4;
/** What an image or a file in the body counts as: its bytes say nothing about its tokens. */
const attachmentCharacters = 4000;
const deepest = 64;
const mostReplies = 128;
/** Whatever a body says: sums stay whole numbers. */
const mostTokens = 1_000_000_000;

const nothing: Usage = Object.freeze({ input: 0, output: 0, total: 0 });

/**
 * What a request may come to before anyone has counted: a token for each four characters of its texts, and what it allows
 * the model to write.
 * @param standardOutput tokens, where the request does not bound them
 */
export function estimatedUsage(endpoint: Endpoint, body: JsonObject, standardOutput: number): Usage {
  const writes = writing.has(endpoint);
  if (!writes && !reading.has(endpoint)) return nothing;
  const input = Math.ceil(charactersIn(body, 0) / charactersPerToken);
  const output = writes ? mostWritten(body, standardOutput) : 0;
  return { input, output, total: input + output };
}

/**
 * What passes untouched is read by nobody, before or after: of a request in JSON its length is known, and that it may make
 * a model write.
 */
export function proxiedUsage({ method, headers }: RequestContext, standardOutput: number): Usage {
  if (method === 'GET' || method === 'HEAD' || !/[/+]json\b/i.test(headers['content-type'] ?? '')) return nothing;
  const length = Number(headers['content-length'] ?? 0);
  const input = Number.isSafeInteger(length) ? Math.ceil(length / charactersPerToken) : 0;
  return { input, output: standardOutput, total: input + standardOutput };
}

function mostWritten(body: JsonObject, standardOutput: number): number {
  const { max_tokens: older, max_completion_tokens: chat, max_output_tokens: responses, n } = body;
  const bound = asNumber(chat) ?? asNumber(responses) ?? asNumber(older) ?? standardOutput;
  const replies = Math.min(Math.max(Math.trunc(asNumber(n) ?? 1), 1), mostReplies);
  return Math.min(Math.max(0, Math.trunc(bound)) * replies, mostTokens);
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
  // Bytes in base64, as the messages and responses formats have them.
  const isSource = object.type === 'base64' || object.type === 'input_audio' || object.type === 'input_file';
  for (const key in object)
    sum += isSource && key !== 'type' ? attachmentCharacters : charactersIn(object[key], depth + 1);
  return sum;
}
