import {
  asArray,
  asNumber,
  asString,
  type CodecContext,
  compact,
  type EmbeddingCall,
  GatewayError,
  type JsonObject,
  omit,
} from 'portcullis/sdk';

const known = new Set(['model', 'texts', 'output_dimension']);

/** Reads a request of this format; pictures and mixed inputs stay in `extra`. */
export function decodeCall(body: JsonObject, _context: CodecContext): EmbeddingCall {
  const dimensions = asNumber(body.output_dimension);
  return {
    model: asString(body.model) ?? '',
    input: asArray(body.texts).filter((text) => typeof text === 'string'),
    ...(dimensions === undefined ? {} : { dimensions }),
    extra: omit(body, known),
  };
}

/**
 * Writes a request. Numbers are asked for, and encoded as the client wants them; `input_type`, which the API needs, is that
 * of texts to be searched, or of pictures, unless the client says it. `images` or `inputs` take the place of texts.
 * @throws GatewayError `translation_unsupported` for token arrays
 */
export function encodeCall(call: EmbeddingCall, context: CodecContext): JsonObject {
  if (call.user !== undefined) context.dropped('user');
  const { encoding_format: _, ...extra } = call.extra;
  if (_ !== undefined) context.dropped('encoding_format');
  const given = extra.images !== undefined || extra.inputs !== undefined;
  return compact({
    input_type: extra.images === undefined ? 'search_document' : 'image',
    embedding_types: ['float'],
    ...extra,
    model: call.model,
    texts: given ? undefined : call.input.map(textOf),
    output_dimension: call.dimensions ?? extra.output_dimension,
  });
}

function textOf(input: EmbeddingCall['input'][number], index: number): string {
  if (typeof input === 'string') return input;
  throw new GatewayError('translation_unsupported', 'This provider embeds text only, not token arrays.', {
    param: `input[${index}]`,
  });
}
