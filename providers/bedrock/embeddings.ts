import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  type CallFacts,
  compact,
  type EndpointSpec,
  type Flow,
  type FlowTools,
  GatewayError,
  type Json,
  type JsonObject,
} from 'portcullis/sdk';
import { askedModel, familyOf, ofModel } from './names.ts';

const invoke = ofModel('invoke');
/** Requests at a time, for models that take one text each. */
const width = 8;
/** Texts of one request: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html */
const mostTexts = 96;

interface Vectors {
  readonly vectors: readonly Json[];
  readonly tokens: number;
}

const embedAll: Flow = async ({ facts, body }, tools) => {
  const inputs = typeof body.input === 'string' ? [body.input] : asArray(body.input);
  if (inputs.length === 0) throw new GatewayError('bad_request', 'The request needs input.', { param: 'input' });
  const family = familyOf(askedModel(facts));
  const results =
    family === 'cohere' ? await inLists(facts, body, inputs, tools) : await oneByOne(facts, body, inputs, tools);
  const tokens = results.reduce((sum, result) => sum + result.tokens, 0);
  const base64 = body.encoding_format === 'base64';
  const vectors = results.flatMap((result) => result.vectors);
  return {
    status: 200,
    json: {
      object: 'list',
      data: vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding: base64 ? packed(vector) : vector,
      })),
      model: facts.model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
  };
};

/** Little-endian 32-bit floats. */
function packed(vector: Json): Json {
  const floats = Float32Array.from(asArray(vector), (value) => asNumber(value) ?? 0);
  const view = Buffer.alloc(floats.length * 4);
  for (const [index, value] of floats.entries()) view.writeFloatLE(value, index * 4);
  return view.toString('base64');
}

const known = new Set(['model', 'input', 'dimensions', 'encoding_format', 'user']);

function rest(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !known.has(key)));
}

async function inLists(
  facts: CallFacts,
  body: JsonObject,
  inputs: readonly Json[],
  tools: FlowTools,
): Promise<readonly Vectors[]> {
  const results: Vectors[] = [];
  for (let at = 0; at < inputs.length; at += mostTexts) {
    const asked = compact({
      input_type: 'search_document',
      ...rest(body),
      texts: inputs.slice(at, at + mostTexts).map(textOf),
      embedding_types: body.embedding_types ?? ['float'],
      output_dimension: body.dimensions,
    });
    const { json, headers } = await tools.send({ method: 'POST', url: invoke(facts), body: asked });
    const byType = asObject(json.embeddings);
    const vectors = byType === undefined ? asArray(json.embeddings) : asArray(Object.values(byType)[0]);
    results.push({ vectors, tokens: asNumber(Number(headers['x-amzn-bedrock-input-token-count'])) ?? 0 });
  }
  return results;
}

async function oneByOne(
  facts: CallFacts,
  body: JsonObject,
  inputs: readonly Json[],
  tools: FlowTools,
): Promise<readonly Vectors[]> {
  const results: Vectors[] = [];
  for (let at = 0; at < inputs.length; at += width) {
    const some = inputs.slice(at, at + width);
    results.push(...(await Promise.all(some.map((input) => one(facts, body, input, tools)))));
  }
  return results;
}

async function one(facts: CallFacts, body: JsonObject, input: Json, tools: FlowTools): Promise<Vectors> {
  const asked = embeddingInput(askedModel(facts), { ...body, input });
  const { json, headers } = await tools.send({ method: 'POST', url: invoke(facts), body: asked });
  const counted = asNumber(Number(headers['x-amzn-bedrock-input-token-count']));
  return { vectors: [vectorIn(json)], tokens: asNumber(json.inputTextTokenCount) ?? counted ?? 0 };
}

/** What models that take one input are asked; the input is a text, or `{ text?, image? }` for those that see. */
export function embeddingInput(model: string, body: JsonObject): JsonObject {
  const parts = asObject(body.input);
  const text = parts === undefined ? textOf(body.input ?? '') : asString(parts.text);
  const image = asString(asObject(parts?.image)?.base64) ?? asString(parts?.image);
  const dimensions = body.dimensions;
  if (/^amazon\.nova/.test(model)) {
    const content =
      text === undefined
        ? { image: { format: 'png', source: { bytes: image ?? '' } } }
        : { text: { truncationMode: 'END', value: text } };
    return {
      taskType: 'SINGLE_EMBEDDING',
      singleEmbeddingParams: compact({
        embeddingPurpose: 'GENERIC_INDEX',
        embeddingDimension: dimensions,
        ...rest(body),
        ...content,
      }),
    };
  }
  if (/^amazon\.titan-embed-image/.test(model)) {
    const embeddingConfig = dimensions === undefined ? undefined : { outputEmbeddingLength: dimensions };
    return compact({ ...rest(body), inputText: text, inputImage: image, embeddingConfig });
  }
  return compact({ ...rest(body), inputText: text, dimensions });
}

/** The vector of a reply of those models. */
export function vectorIn(json: JsonObject): Json {
  return (
    json.embedding ??
    asObjects(json.embeddings)[0]?.embedding ??
    Object.values(asObject(json.embeddingsByType) ?? {})[0] ??
    []
  );
}

function textOf(input: Json): string {
  if (typeof input === 'string') return input;
  throw new GatewayError('translation_unsupported', 'The models of this provider take texts, no tokens.', {
    param: 'input',
  });
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html and model-parameters-embed.html */
export const embed: EndpointSpec = { path: invoke, dialect: 'embeddings', flow: embedAll };
