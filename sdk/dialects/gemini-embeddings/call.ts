import { GatewayError } from '../../errors.ts';
import { asNumber, asObject, asObjects, asString, compact, type Json, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { camelCase, camelKeys } from '../gemini/camel.ts';
import type { EmbeddingCall } from '../neutral.ts';

const requestFields = new Set(['model', 'content', 'outputDimensionality']);
/** Fields of one request; a field of the call is given to every one of them. */
const perRequest = new Set(['taskType', 'title']);

/**
 * Reads `batchEmbedContents`, or the single request of `embedContent`. Fields beside the content must be the same in all
 * requests, as one neutral call has one of each.
 * @throws GatewayError `translation_unsupported` for requests that differ, and for content that is no text
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
    input: requests.map(textOf),
    ...(dimensions === undefined ? {} : { dimensions }),
    extra: { ...outer, ...omit(settings, requestFields) },
  };
}

function sameFields(a: JsonObject, b: JsonObject): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}

function textOf(request: JsonObject, index: number): string {
  const parts = asObjects(asObject(request.content)?.parts);
  return parts
    .map((part) => {
      const text = asString(part.text);
      if (text !== undefined) return text;
      throw new GatewayError('translation_unsupported', 'Only text can be embedded here.', {
        param: `requests[${index}].content.parts`,
      });
    })
    .join('');
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
    if (typeof input === 'string') {
      const content = { parts: [{ text: input }] };
      return compact({ model, content, outputDimensionality: call.dimensions, ...settings });
    }
    throw new GatewayError('translation_unsupported', 'This provider embeds text only, not token arrays.', {
      param: `input[${index}]`,
    });
  });
  return { requests };
}
