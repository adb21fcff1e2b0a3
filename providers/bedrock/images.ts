import {
  asArray,
  asObject,
  asObjects,
  asString,
  type CallFacts,
  compact,
  type Endpoints,
  type Flow,
  type FormFile,
  fileDataUrl,
  GatewayError,
  type Json,
  type JsonArray,
  type JsonObject,
  pictureSize,
  type ReplyFacts,
} from 'portcullis/sdk';
import { named } from './errors.ts';
import { askedModel, familyOf, ofModel } from './names.ts';

const invoke = ofModel('invoke');

/** Fields of the client's format that these requests say otherwise, or that the models do not have. */
const known = new Set([
  ...['model', 'prompt', 'n', 'size', 'quality', 'style', 'response_format', 'user', 'negative_prompt', 'seed'],
  ...['cfg_scale', 'background', 'moderation', 'output_compression', 'stream', 'partial_images', 'image', 'mask'],
]);

function rest(body: JsonObject, also: readonly string[] = []): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !known.has(key) && !also.includes(key)));
}

/** A request for a picture in the words of the model's family. */
export function generation(body: JsonObject, facts: CallFacts): JsonObject {
  const model = askedModel(facts);
  if (familyOf(model) === 'stability')
    return /xl-v\d|diffusion-xl/.test(model) ? firstStability(body) : stability(body);
  const textToImageParams = { text: body.prompt, negativeText: body.negative_prompt, style: body.style };
  return painted('TEXT_IMAGE', { textToImageParams: compact(textToImageParams) }, body);
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-image.html, and Nova Canvas alike. */
function painted(taskType: string, params: JsonObject, body: JsonObject): JsonObject {
  const own = rest(body, ['imageGenerationConfig']);
  const config = compact({
    numberOfImages: numberIn(body.n),
    ...pictureSize(body.size),
    quality: qualityOf(asString(body.quality)),
    cfgScale: numberIn(body.cfg_scale),
    seed: numberIn(body.seed),
    ...asObject(body.imageGenerationConfig),
  });
  const imageGenerationConfig = Object.keys(config).length === 0 ? undefined : config;
  return compact({ taskType, ...params, ...own, imageGenerationConfig });
}

/** Fields of a form are texts. */
function numberIn(value: Json | undefined): number | undefined {
  const number = value === undefined || value === null || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function qualityOf(quality: string | undefined): string | undefined {
  if (quality === undefined || quality === 'auto') return undefined;
  return ['hd', 'high', 'premium'].includes(quality) ? 'premium' : 'standard';
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-diffusion-3-5-large.html */
function stability(body: JsonObject): JsonObject {
  checkCount(body);
  const { prompt, negative_prompt } = body;
  return compact({
    prompt,
    negative_prompt,
    seed: numberIn(body.seed),
    aspect_ratio: aspectOf(body.size),
    ...rest(body),
  });
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-diffusion-1-0-text-image.html */
function firstStability(body: JsonObject): JsonObject {
  checkCount(body);
  const negative = asString(body.negative_prompt);
  const prompts = [
    { text: body.prompt ?? '', weight: 1 },
    ...(negative === undefined ? [] : [{ text: negative, weight: -1 }]),
  ];
  const size = pictureSize(body.size);
  const numbers = { cfg_scale: numberIn(body.cfg_scale), seed: numberIn(body.seed) };
  return compact({ text_prompts: prompts, ...size, style_preset: body.style, ...numbers, ...rest(body) });
}

function checkCount({ n }: JsonObject): void {
  if (n === undefined || n === null || Number(n) === 1) return;
  throw new GatewayError('translation_unsupported', 'n must be 1: the model makes one picture a call.', { param: 'n' });
}

const aspects = ['21:9', '16:9', '3:2', '5:4', '1:1', '4:5', '2:3', '9:16', '9:21'];

/** The nearest of the shapes on offer. */
function aspectOf(size: Json | undefined): string | undefined {
  const wanted = pictureSize(size);
  if (wanted === undefined) return undefined;
  const distance = (aspect: string) => {
    const [width = 1, height = 1] = aspect.split(':').map(Number);
    return Math.abs(Math.log(width / height / (wanted.width / wanted.height)));
  };
  return aspects.toSorted((a, b) => distance(a) - distance(b))[0];
}

const base64Of = async (file: FormFile | undefined): Promise<string | undefined> =>
  file === undefined ? undefined : (await fileDataUrl(file)).replace(/^[^,]*,/, '');

const inText = (value: Json | undefined): string | undefined => asString(value)?.replace(/^data:[^,]*,/, '');

/** Pictures made from pictures: parts of them anew under a mask, or all of them in another way. */
const edit: Flow = async ({ facts, body, files }, tools) => {
  const pictures = await Promise.all(files.filter(({ field }) => /^image(\[\])?$/.test(field)).map(base64Of));
  const image = pictures[0] ?? inText(body.image);
  const mask = (await base64Of(files.find(({ field }) => field === 'mask'))) ?? inText(body.mask);
  if (image === undefined) throw new GatewayError('bad_request', 'The request needs image.', { param: 'image' });
  const asked = edited(body, { image, mask, all: pictures.flatMap((picture) => picture ?? []) }, facts);
  const { json } = await tools.send({ method: 'POST', url: invoke(facts), body: asked });
  return { status: 200, json: picturesOf(json, tools.nowSeconds()) };
};

interface Pictures {
  readonly image: string;
  readonly mask: string | undefined;
  readonly all: readonly string[];
}

export function edited(body: JsonObject, { image, mask, all }: Pictures, facts: CallFacts): JsonObject {
  const model = askedModel(facts);
  if (familyOf(model) === 'stability') {
    const { aspect_ratio: _, ...fields } = stability(body);
    const mode = /\.sd3/.test(model) ? 'image-to-image' : undefined;
    return compact({ mode, ...fields, image, mask });
  }
  const text = asString(body.prompt);
  const negativeText = asString(body.negative_prompt);
  const maskPrompt = asString(body.mask_prompt);
  const own = Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'mask_prompt'));
  if (mask === undefined && maskPrompt === undefined) {
    const images = all.length === 0 ? [image] : all;
    return painted('IMAGE_VARIATION', { imageVariationParams: compact({ text, negativeText, images }) }, own);
  }
  const inPaintingParams = compact({ text, negativeText, image, maskImage: mask, maskPrompt });
  return painted('INPAINTING', { inPaintingParams }, own);
}

/** Pictures of any family in the client's form; those that a filter has kept back are none. */
export function picturesOf(json: JsonObject, created: number): JsonObject {
  const artifacts = asObjects(json.artifacts);
  const filtered = asArray(json.finish_reasons).find((reason) => typeof reason === 'string');
  const kept = [
    ...((Array.isArray(json.images) ? json.images : []) as JsonArray),
    ...artifacts.filter(({ finishReason }) => finishReason !== 'CONTENT_FILTERED').map(({ base64 }) => base64 ?? null),
  ];
  const data = kept.flatMap((picture) =>
    typeof picture === 'string' && picture !== '' ? [{ b64_json: picture }] : [],
  );
  if (data.length > 0) return { created, data };
  const why = asString(json.error) ?? asString(filtered) ?? 'The provider has kept back every picture.';
  return { error: { message: why, type: 'invalid_request_error', code: 'content_filter', param: null } };
}

function repair(json: JsonObject, reply: ReplyFacts): JsonObject {
  const answers = json.images !== undefined || json.artifacts !== undefined;
  return answers ? picturesOf(json, reply.nowSeconds()) : named(json, reply);
}

export const images: Endpoints = {
  imageGenerate: { path: invoke, dialect: 'images', request: generation, repair },
  imageEdit: { path: invoke, dialect: 'images', flow: edit },
  imageVariation: { path: invoke, dialect: 'images', flow: edit },
};
