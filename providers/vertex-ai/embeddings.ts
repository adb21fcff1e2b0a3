import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  type CallFacts,
  compact,
  dialects,
  type EmbeddingDialect,
  type EndpointSpec,
  type Flow,
  GatewayError,
  type Json,
  type JsonObject,
  type ReplyContext,
  unknownFields,
  wordAsCode,
} from 'portcullis/sdk';
import { bareOf, method } from './model-path.ts';

const isMultimodal = (model: string) => model.startsWith('multimodalembedding');
/** The newest have a method of their own; the first of them takes one text at a time. */
const isContent = (model: string) => model.startsWith('gemini-embedding') && !model.startsWith('gemini-embedding-001');
const single = (model: string) => model.startsWith('gemini-embedding');

/** Fields that have a place of their own, and those of OpenAI that have none; the others go to the parameters. */
const known: ReadonlySet<string> = new Set([
  ...['model', 'input', 'dimensions', 'output_dimensionality', 'outputDimensionality', 'auto_truncate', 'autoTruncate'],
  ...['task_type', 'taskType', 'title', 'image', 'video', 'encoding_format', 'user'],
]);

/** What an embeddings request may hold beside OpenAI's fields, by either spelling. */
const either = (body: JsonObject, snake: string, camel: string): Json | undefined => body[snake] ?? body[camel];

const dimensionsOf = (body: JsonObject) =>
  body.dimensions ?? either(body, 'output_dimensionality', 'outputDimensionality');

/** One text or thing to embed; anything of several is one of them. */
function inputsOf(body: JsonObject): readonly Json[] {
  return Array.isArray(body.input) ? asArray(body.input) : [body.input ?? ''];
}

/** Token numbers are refused: the platform has tokens of its own. */
function textOf(input: Json): string {
  const text = asString(input) ?? asString(asObject(input)?.text) ?? asString(asObject(input)?.content);
  if (text !== undefined) return text;
  throw new GatewayError('translation_unsupported', 'This provider takes texts, not tokens.', { param: 'input' });
}

function textBody(body: JsonObject, inputs: readonly Json[]): JsonObject {
  const parameters = compact({
    autoTruncate: either(body, 'auto_truncate', 'autoTruncate'),
    outputDimensionality: dimensionsOf(body),
    ...unknownFields(body, known),
  });
  const instances = inputs.map((input) =>
    compact({ content: textOf(input), task_type: either(body, 'task_type', 'taskType'), title: body.title }),
  );
  return compact({ instances, parameters: Object.keys(parameters).length === 0 ? undefined : parameters });
}

/** Pictures and films stand beside the texts of `input`, or in the objects that it is a list of. */
function multimodalBody(body: JsonObject): JsonObject {
  const instances = inputsOf(body).map((input) => {
    const { text, image, video } = asObject(input) ?? { text: textOf(input), image: body.image, video: body.video };
    return compact({ text: text === '' ? undefined : text, image: mediaOf(image), video: mediaOf(video) });
  });
  const parameters = compact({ dimension: dimensionsOf(body), ...unknownFields(body, known) });
  return compact({ instances, parameters: Object.keys(parameters).length === 0 ? undefined : parameters });
}

/** `{ url }`, `{ base64 }` and data URLs as the platform spells them; its own spelling stays. */
function mediaOf(media: Json | undefined): Json | undefined {
  const object = typeof media === 'string' ? { url: media } : asObject(media);
  if (object === undefined) return undefined;
  const { url, base64, mime_type, ...rest } = object;
  const [, type, data] = /^data:([^;,]+);base64,(.+)$/s.exec(asString(url) ?? '') ?? [];
  return compact({
    ...rest,
    gcsUri: rest.gcsUri ?? (data === undefined ? url : undefined),
    bytesBase64Encoded: rest.bytesBase64Encoded ?? data ?? base64,
    mimeType: rest.mimeType ?? type ?? mime_type,
  });
}

const contentBody = (body: JsonObject, input: Json): JsonObject => {
  const embedContentConfig = compact({
    taskType: either(body, 'task_type', 'taskType'),
    title: body.title,
    outputDimensionality: dimensionsOf(body),
    autoTruncate: either(body, 'auto_truncate', 'autoTruncate'),
    ...unknownFields(body, known),
  });
  return compact({
    content: { parts: [{ text: textOf(input) }] },
    embedContentConfig: Object.keys(embedContentConfig).length === 0 ? undefined : embedContentConfig,
  });
};

interface Vector {
  readonly values: readonly number[];
  readonly tokens: number;
}

const numbers = (list: Json | undefined) => asArray(list).filter((item) => typeof item === 'number');

/** A prediction may hold a vector of a text, of a picture, and one of each part of a film. */
function vectorsOf(prediction: JsonObject): readonly Vector[] {
  const { values, statistics } = asObject(prediction.embeddings) ?? {};
  if (values !== undefined)
    return [{ values: numbers(values), tokens: asNumber(asObject(statistics)?.token_count) ?? 0 }];
  const { textEmbedding, imageEmbedding, videoEmbeddings } = prediction;
  const films = asObjects(videoEmbeddings).map(({ embedding }) => embedding);
  const found = [textEmbedding, imageEmbedding, ...films].filter((vector) => vector !== undefined);
  return found.map((vector) => ({ values: numbers(vector), tokens: 0 }));
}

function written(
  vectors: readonly Vector[],
  model: string,
  context: Pick<ReplyContext, 'request' | 'newId' | 'nowSeconds'>,
  client: EmbeddingDialect = dialects.embeddings,
) {
  const input = vectors.reduce((sum, { tokens }) => sum + tokens, 0);
  return client.encodeReply(
    { model, vectors: vectors.map(({ values }) => values), usage: { input, output: 0 } },
    { strict: false, dropped: () => {}, ...context },
  );
}

const predict = method('predict');
const embedContent = method('embedContent');
const atOnce = 5;

/** A call for each text, some at a time. */
const oneByOne: Flow = async ({ facts, body: asked }, tools) => {
  const content = isContent(bareOf(facts.model));
  const [client, body] = readAsked(asked);
  const inputs = inputsOf(body);
  const vectors: Vector[] = [];
  for (let start = 0; start < inputs.length; start += atOnce) {
    const replies = await Promise.all(
      inputs.slice(start, start + atOnce).map((input) =>
        tools.send({
          method: 'POST',
          url: (content ? embedContent : predict)(facts),
          body: content ? contentBody(body, input) : textBody(body, [input]),
        }),
      ),
    );
    vectors.push(
      ...replies.flatMap(({ json }) =>
        content ? contentVector(json) : asObjects(json.predictions).flatMap(vectorsOf),
      ),
    );
  }
  const { nowSeconds, newId } = tools;
  return { status: 200, json: written(vectors, facts.model, { request: asked, nowSeconds, newId }, client) };
};

/** The client may speak either format of embeddings; what it asks comes in OpenAI's. */
function readAsked(asked: JsonObject): readonly [EmbeddingDialect, JsonObject] {
  if (asked.input !== undefined) return [dialects.embeddings, asked];
  const context = { strict: false, dropped: () => {} };
  const client = dialects['gemini-embeddings'];
  return [client, dialects.embeddings.encodeCall(client.decodeCall(asked, context), context)];
}

function contentVector(json: JsonObject): readonly Vector[] {
  const values = numbers(asObject(json.embedding)?.values);
  return [{ values, tokens: asNumber(asObject(json.usageMetadata)?.promptTokenCount) ?? 0 }];
}

/**
 * Texts, pictures and films by `:predict`.
 * Source: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api and
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/multimodal-embeddings-api
 */
export const embed: EndpointSpec = {
  path: predict,
  dialect: 'embeddings',
  request: (body, { model }: CallFacts) =>
    isMultimodal(bareOf(model)) ? multimodalBody(body) : textBody(body, inputsOf(body)),
  repair: (json, { facts, asked, newId, nowSeconds }) =>
    json.predictions === undefined
      ? wordAsCode(json)
      : written(asObjects(json.predictions).flatMap(vectorsOf), facts.model, { request: asked, newId, nowSeconds }),
};

/** The models that take one text at a time: those of the platform's own name. */
export const embedOneByOne: EndpointSpec = {
  path: (facts) => (isContent(bareOf(facts.model)) ? embedContent : predict)(facts),
  dialect: 'embeddings',
  flow: oneByOne,
};

export const takesOneText = (model: string): boolean => single(bareOf(model));
