import type { ReplyFacts } from '../../contracts/provider.ts';
import { asArray, asNumber, asObject, asObjects, asString, compact, type Json, type JsonObject } from '../../json.ts';
import { wordAsCode } from './faults.ts';
import { unknownFields } from './unknown-fields.ts';

/** Models that make pictures by `:predict`; the others do by `:generateContent`. */
export const predictsPictures = (model: string): boolean =>
  /^(imagen|imagegeneration|imagetext|virtual-try-on)/i.test(model);

/** Fields of image requests that neither way of making pictures has a place for. */
export const pictureDrops = [
  'user',
  'response_format',
  'style',
  'background',
  'moderation',
  'quality',
  'partial_images',
] as const;

const known: ReadonlySet<string> = new Set([
  ...['model', 'prompt', 'n', 'size', 'output_format', 'output_compression', 'stream', 'labels'],
  ...['safety_settings', 'safetySettings', 'aspect_ratio', 'aspectRatio', 'image_size', 'imageSize'],
]);

const predictRatios = ['1:1', '3:4', '4:3', '9:16', '16:9'];
const contentRatios = [...predictRatios, '2:3', '3:2', '4:5', '5:4', '21:9'];

interface Shape {
  readonly aspectRatio?: Json | undefined;
  readonly imageSize?: Json | undefined;
}

/** `1536x1024` as the nearest ratio that there is, and as 2K or 4K where its longer side asks for it. */
function shapeOf(body: JsonObject, ratios: readonly string[]): Shape {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(asString(body.size) ?? '') ?? [];
  const asked = { aspectRatio: body.aspect_ratio ?? body.aspectRatio, imageSize: body.image_size ?? body.imageSize };
  const ratio = /^\d+:\d+$/.test(asString(body.size) ?? '') ? body.size : undefined;
  if (width === undefined || height === undefined || Number(height) === 0)
    return { ...asked, aspectRatio: asked.aspectRatio ?? ratio };
  const wanted = Math.log(Number(width) / Number(height));
  const distance = (name: string) => Math.abs(Math.log(ratioOf(name)) - wanted);
  const nearest = ratios.reduce((best, name) => (distance(name) < distance(best) ? name : best));
  const longer = Math.max(Number(width), Number(height));
  const size = longer >= 3840 ? '4K' : longer >= 2048 ? '2K' : undefined;
  return { aspectRatio: asked.aspectRatio ?? nearest, imageSize: asked.imageSize ?? size };
}

function ratioOf(name: string): number {
  const [width = '1', height = '1'] = name.split(':');
  return Number(width) / Number(height);
}

function mimeTypeOf(format: Json | undefined): string | undefined {
  const name = asString(format);
  return name === undefined ? undefined : `image/${name === 'jpg' ? 'jpeg' : name}`;
}

/**
 * The `:predict` body of an image request. Fields that are not OpenAI's go to `parameters`, in camel case.
 * Source: the types of https://github.com/googleapis/js-genai (`GenerateImagesConfig`).
 */
export function predictPictures(body: JsonObject): JsonObject {
  const { aspectRatio, imageSize } = shapeOf(body, predictRatios);
  const outputOptions = compact({
    mimeType: mimeTypeOf(body.output_format),
    compressionQuality: body.output_compression,
  });
  const parameters = compact({
    sampleCount: body.n ?? 1,
    aspectRatio,
    sampleImageSize: imageSize,
    outputOptions: Object.keys(outputOptions).length === 0 ? undefined : outputOptions,
    ...unknownFields(body, known),
  });
  return compact({ instances: [{ prompt: body.prompt ?? '' }], parameters, labels: body.labels });
}

/**
 * The `:generateContent` body of an image request. Fields that are not OpenAI's go to `generationConfig`, in camel case.
 * Source: the types of https://github.com/googleapis/js-genai (`GenerateContentConfig`, `ImageConfig`).
 */
export function contentPictures(body: JsonObject): JsonObject {
  const shape = compact({ ...shapeOf(body, contentRatios) });
  const generationConfig = compact({
    responseModalities: ['TEXT', 'IMAGE'],
    candidateCount: body.n === 1 ? undefined : body.n,
    imageConfig: Object.keys(shape).length === 0 ? undefined : shape,
    ...unknownFields(body, known),
  });
  return compact({
    contents: [{ role: 'user', parts: [{ text: body.prompt ?? '' }] }],
    generationConfig,
    safetySettings: body.safety_settings ?? body.safetySettings,
    labels: body.labels,
  });
}

/** The reply to either of them in OpenAI's form; errors in the way of the other endpoints. For `repair`. */
export function picturesReply(json: JsonObject, reply: Pick<ReplyFacts, 'nowSeconds'>): JsonObject {
  if (json.error !== undefined) return wordAsCode(json);
  const predictions = asObjects(json.predictions);
  const made = predictions.length > 0 ? predictions.flatMap(predicted) : generated(json);
  if (made.length === 0) return { error: nothingMade(json) };
  return compact({ created: reply.nowSeconds(), data: made, usage: usageOf(asObject(json.usageMetadata)) });
}

function predicted(prediction: JsonObject): readonly JsonObject[] {
  const { bytesBase64Encoded: b64_json, gcsUri: url, prompt: revised_prompt } = prediction;
  if (b64_json === undefined && url === undefined) return [];
  return [compact(b64_json === undefined ? { url, revised_prompt } : { b64_json, revised_prompt })];
}

function generated(json: JsonObject): readonly JsonObject[] {
  return partsOf(json).flatMap((part) => {
    const data = part.thought === true ? undefined : asObject(part.inlineData)?.data;
    return data === undefined ? [] : [{ b64_json: data }];
  });
}

const partsOf = (json: JsonObject) =>
  asObjects(json.candidates).flatMap((candidate) => asObjects(asObject(candidate.content)?.parts));

/** Why a reply holds no picture. */
function nothingMade(json: JsonObject): JsonObject {
  const filtered = asObjects(json.predictions).flatMap(({ raiFilteredReason }) => asString(raiFilteredReason) ?? []);
  const reasons = asObjects(json.candidates).flatMap(
    (candidate) => asString(candidate.finishMessage) ?? asString(candidate.finishReason) ?? [],
  );
  const blocked = asString(asObject(json.promptFeedback)?.blockReason);
  const text = partsOf(json)
    .map((part) => asString(part.text) ?? '')
    .join('');
  const why = filtered[0] ?? blocked ?? (text === '' ? reasons[0] : text);
  const message = `No picture was made${why === undefined ? '.' : `: ${why}`}`;
  return {
    message,
    type: 'invalid_request_error',
    code: filtered.length > 0 || blocked ? 'content_filter' : 'no_image',
  };
}

function usageOf(meta: JsonObject | undefined): JsonObject | undefined {
  if (meta === undefined) return undefined;
  const input = asNumber(meta.promptTokenCount) ?? 0;
  const thoughts = asNumber(meta.thoughtsTokenCount) ?? 0;
  const output = (asNumber(meta.candidatesTokenCount) ?? 0) + thoughts;
  const pictures = asArray(meta.promptTokensDetails).reduce<number>((sum, detail) => {
    const { modality, tokenCount } = asObject(detail) ?? {};
    return modality === 'IMAGE' ? sum + (asNumber(tokenCount) ?? 0) : sum;
  }, 0);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: asNumber(meta.totalTokenCount) ?? input + output,
    input_tokens_details: { text_tokens: input - pictures, image_tokens: pictures },
    // Thinking is text, which costs less than what is drawn.
    ...(thoughts === 0 ? {} : { output_tokens_details: { text_tokens: thoughts, image_tokens: output - thoughts } }),
  };
}
