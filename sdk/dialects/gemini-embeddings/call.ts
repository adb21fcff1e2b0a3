import { GatewayError } from '../../errors.ts';
import { asNumber, asObject, asObjects, asString, compact, type Json, type JsonObject, omit } from '../../json.ts';
import { sourceOf, urlOf } from '../data-url.ts';
import type { CodecContext } from '../dialect.ts';
import { isMixedInput } from '../embeddings/mixed.ts';
import { camelCase, camelKeys } from '../gemini/camel.ts';
import { decodeMedia } from '../gemini/media.ts';
import type { EmbeddingCall, EmbeddingInput, FilePart, MixedInput } from '../neutral.ts';

const requestFields = new Set(['model', 'stream', 'content', 'outputDimensionality']);
/** Fields of one request; a field of the call is given to every one of them. */
const perRequest = new Set(['taskType', 'title']);

/**
 * Reads `batchEmbedContents`, or the single request of `embedContent`. Fields beside the content must be the same in all
 * requests, as one neutral call has one of each.
 * @throws GatewayError `translation_unsupported` for requests that differ, and for content that cannot be read
 */
export function decodeCall(body: JsonObject, _context: CodecContext): EmbeddingCall {
  const isBatch = Array.isArray(body.requests);
  const requests = (isBatch ? asObjects(body.requests) : [body]).map(camelKeys);
  const [first] = requests;
  const settings = omit(first ?? {}, new Set(['content']));
  const odd = requests.findIndex((request) => !sameFields(omit(request, new Set(['content'])), settings));
  if (odd !== -1) {
    throw new GatewayError('translation_unsupported', 'All requests of one batch must have the same settings.', {
      param: `requests[${odd}]`,
    });
  }
  const dimensions = asNumber(settings.outputDimensionality);
  const outer = isBatch ? omit(body, new Set(['requests', 'model'])) : {};
  return {
    model: asString(body.model) ?? asString(settings.model) ?? '',
    input: requests.map(inputOf),
    ...(dimensions === undefined ? {} : { dimensions }),
    dialect: 'gemini-embeddings',
    extra: { ...outer, ...omit(settings, requestFields) },
  };
}

function sameFields(a: JsonObject, b: JsonObject): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}

function inputOf(request: JsonObject, index: number): EmbeddingInput {
  const parts = asObjects([asObject(request.content)?.parts ?? []].flat()).map(camelKeys);
  const texts = parts.flatMap(({ text }) => asString(text) ?? []);
  const media = parts.filter(({ text }) => text === undefined).map((part) => mediumOf(part, index));
  const mixed: MixedInput = Object.assign({}, ...media);
  if (media.length === 0) return texts.join('');
  if (Object.keys(mixed).length !== media.length) throw unreadable(index);
  return texts.length === 0 ? mixed : { text: texts.join(''), ...mixed };
}

function mediumOf(part: JsonObject, index: number): MixedInput {
  const decoded = decodeMedia(part);
  const url = decoded?.type === 'image' || decoded?.type === 'file' ? sourceUrl(decoded.source) : undefined;
  if (url !== undefined && decoded?.type === 'image') return { image: url };
  if (url !== undefined && /^data:video\//.test(url)) return { video: url };
  throw unreadable(index);
}

function sourceUrl(source: FilePart['source']): string | undefined {
  return source.kind === 'text' ? undefined : urlOf(source);
}

function unreadable(index: number): GatewayError {
  return new GatewayError('translation_unsupported', 'Only texts, one image and one video can be embedded here.', {
    param: `requests[${index}].content.parts`,
  });
}

/** @throws GatewayError `translation_unsupported` for token arrays */
export function encodeCall(call: EmbeddingCall, context: CodecContext): JsonObject {
  const model = call.model.startsWith('models/') ? call.model : `models/${call.model}`;
  const settings: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(call.extra)) {
    const name = camelCase(key);
    if (perRequest.has(name) && (!context.strict || name === key)) settings[name] = value;
    else context.dropped(key);
  }
  if (call.user !== undefined) context.dropped('user');
  const requests = call.input.map((input, index) => {
    return compact({
      model,
      content: { parts: partsOf(input, index) },
      outputDimensionality: call.dimensions,
      ...settings,
    });
  });
  return { requests };
}

function partsOf(input: EmbeddingInput, index: number): readonly JsonObject[] {
  if (typeof input === 'string') return [{ text: input }];
  if (!isMixedInput(input)) {
    throw new GatewayError('translation_unsupported', 'This provider embeds no token arrays.', {
      param: `input[${index}]`,
    });
  }
  const { text, image, video } = input;
  const media = [image, video].flatMap((url) => (url === undefined ? [] : [mediaPart(url)]));
  return text === undefined ? media : [{ text }, ...media];
}

function mediaPart(url: string): JsonObject {
  const source = sourceOf(url);
  if (source.kind === 'base64') return { inlineData: { mimeType: source.mediaType, data: source.data } };
  return { fileData: { fileUri: url } };
}
