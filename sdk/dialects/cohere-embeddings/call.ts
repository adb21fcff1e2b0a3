import { GatewayError } from '../../errors.ts';
import { asArray, asNumber, asObjects, asString, compact, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { isMixedInput, mixedInput } from '../embeddings/mixed.ts';
import type { EmbeddingCall, EmbeddingInput } from '../neutral.ts';

const known = new Set(['model', 'texts', 'images', 'inputs', 'output_dimension']);
const types = new Set(['embedding_types']);

/** Reads a request of this format. Types of numbers that no other format has stay in `extra`. */
export function decodeCall(body: JsonObject, _context: CodecContext): EmbeddingCall {
  const dimensions = asNumber(body.output_dimension);
  const [type, ...others] = asArray(body.embedding_types);
  const format = others.length === 0 && (type === 'float' || type === 'base64') ? type : undefined;
  const extra = omit(body, known);
  return {
    model: asString(body.model) ?? '',
    input: inputOf(body),
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(format === undefined ? {} : { encodingFormat: format }),
    dialect: 'cohere-embeddings',
    extra: format === undefined ? extra : omit(extra, types),
  };
}

function inputOf({ texts, images, inputs }: JsonObject): readonly EmbeddingInput[] {
  return [
    ...asArray(texts).filter((text) => typeof text === 'string'),
    ...asArray(images).flatMap((image) => (typeof image === 'string' ? [{ image }] : [])),
    ...asObjects(inputs).map(mixedInput),
  ];
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
  const mixed = !given && call.input.some(isMixedInput);
  return compact({
    input_type: extra.images === undefined ? 'search_document' : 'image',
    embedding_types: ['float'],
    ...extra,
    model: call.model,
    texts: given || mixed ? undefined : call.input.map(textOf),
    inputs: mixed ? call.input.map(contentOf) : extra.inputs,
    output_dimension: call.dimensions ?? extra.output_dimension,
  });
}

/** https://docs.cohere.com/reference/embed: texts and pictures in the order in which they are read. */
function contentOf(input: EmbeddingInput, index: number): JsonObject {
  const { text, image, video } = isMixedInput(input) ? input : { text: textOf(input, index) };
  if (video !== undefined) {
    const param = `input[${index}].video`;
    throw new GatewayError('translation_unsupported', 'This provider embeds texts and pictures only.', { param });
  }
  return {
    content: [
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...(image === undefined ? [] : [{ type: 'image_url', image_url: { url: image } }]),
    ],
  };
}

function textOf(input: EmbeddingCall['input'][number], index: number): string {
  if (typeof input === 'string') return input;
  throw new GatewayError('translation_unsupported', 'This provider embeds text only, not token arrays.', {
    param: `input[${index}]`,
  });
}
