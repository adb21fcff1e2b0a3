import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  type Json,
  type JsonObject,
  omit,
} from '../../json.ts';
import { modelOf, unknownOf } from '../chat/decode-reply.ts';
import { extraOf } from '../chat/encode-reply.ts';
import { readFault, writeFault } from '../chat/fault.ts';
import { readUsage, usageRule } from '../chat/usage.ts';
import type { EmbeddingDialect } from '../dialect.ts';
import type { EmbeddingCall, EmbeddingInput, Embeddings, Usage } from '../neutral.ts';
import { present } from '../present.ts';
import { base64ToFloats, floatsToBase64 } from './floats.ts';
import { isMixedInput, mixedInput } from './mixed.ts';

const callFields: ReadonlySet<string> = new Set(['model', 'input', 'dimensions', 'encoding_format', 'user']);
const replyFields: ReadonlySet<string> = new Set(['object', 'data', 'model', 'usage']);

/** Embeddings: `POST /embeddings`, as published in the OpenAI API reference. Vectors are floats, or base64 of 32-bit floats. */
export const embeddings: EmbeddingDialect<'embeddings'> = {
  kind: 'embedding',
  name: 'embeddings',
  framing: 'sse',

  decodeCall(body) {
    const format = body.encoding_format;
    const known = format === 'float' || format === 'base64' ? format : undefined;
    return present<EmbeddingCall>({
      model: asString(body.model) ?? '',
      input: inputsOf(body.input),
      dimensions: asNumber(body.dimensions),
      encodingFormat: known,
      user: asString(body.user),
      extra: compact({
        ...omit(body, callFields),
        encoding_format: known === undefined && format !== null ? format : undefined,
      }),
    });
  },

  encodeCall(call, context) {
    const [only] = call.input;
    // What another format calls its own would be refused by whoever follows this one.
    const isForeign = call.dialect !== undefined && context.strict;
    if (isForeign) for (const field in call.extra) context.dropped(field);
    return compact({
      ...(isForeign ? {} : call.extra),
      model: call.model,
      input: (call.input.length === 1 && only !== undefined && !isMixedInput(only) ? only : call.input) as Json,
      dimensions: call.dimensions,
      encoding_format: call.encodingFormat ?? call.extra.encoding_format,
      user: call.user,
    });
  },

  decodeReply(body, context) {
    const rows = asObjects(body.data).map((row, place) => ({
      index: asNumber(row.index) ?? place,
      vector: vectorOf(row.embedding),
    }));
    return present<Embeddings>({
      model: modelOf(body, context),
      vectors: rows.toSorted((a, b) => a.index - b.index).map((row) => row.vector),
      usage: readUsage(body.usage),
      extra: unknownOf(body, replyFields),
    });
  },

  encodeReply(reply, context) {
    const write = context.request.encoding_format === 'base64' ? floatsToBase64 : (vector: readonly number[]) => vector;
    return compact({
      ...extraOf(reply.extra, context),
      object: 'list',
      data: reply.vectors.map((vector, index) => ({ object: 'embedding', index, embedding: write(vector) })),
      model: reply.model,
      usage: writeUsage(reply.usage ?? { input: 0, output: 0 }),
    });
  },

  usage: usageRule,
  usageOf: (json) => readUsage(json.usage),
  faultOf: readFault,
  encodeFault: (fault) => writeFault(fault),
};

/** One text, the token numbers of one, or a list of texts, of token numbers and of objects with more than a text. */
function inputsOf(input: Json | undefined): EmbeddingCall['input'] {
  if (typeof input === 'string') return [input];
  const list = asArray(input);
  if (list.length > 0 && list.every((item) => typeof item === 'number')) return [list];
  return list.flatMap((item, index): readonly EmbeddingInput[] => {
    if (typeof item === 'string') return [item];
    if (Array.isArray(item)) return [numbersOf(item)];
    const object = asObject(item);
    return object === undefined ? [] : [mixedInput(object, index)];
  });
}

function vectorOf(embedding: Json | undefined): readonly number[] {
  return typeof embedding === 'string' ? base64ToFloats(embedding) : numbersOf(asArray(embedding));
}

function numbersOf(list: readonly Json[]): readonly number[] {
  return list.filter((item): item is number => typeof item === 'number');
}

function writeUsage(usage: Usage): JsonObject {
  return { prompt_tokens: usage.input, total_tokens: usage.total ?? usage.input + usage.output };
}
