import {
  asString,
  type CallFacts,
  compact,
  GatewayError,
  type Json,
  type JsonObject,
  omit,
  pathSegment,
  pictureSize,
} from 'portcullis/sdk';

/** `stable-diffusion-xl-1024-v1-0`, `stable-diffusion-v1-6`; not the models of v2beta, such as `stable-diffusion-3.5-large`. */
export function isVersionOne(model: string): boolean {
  return /^stable-diffusion-(xl|v1|512|768)-/.test(model);
}

/** `sd3`, `sd3.5-large-turbo`: variants of one service, which gets their name in a field. */
const isDiffusion3 = (model: string) => /^sd3/.test(model);

const generators: ReadonlySet<string> = new Set(['core', 'ultra', 'sd3']);

/** The last part of a service's path; `stable-image-core` is another name of `core`. */
function serviceOf(model: string): string {
  if (isDiffusion3(model)) return 'sd3';
  return pathSegment(model.replace(/^stable-image-/, ''), 'model');
}

export function generatePath({ model }: CallFacts): string {
  return `/v2beta/stable-image/generate/${serviceOf(model)}`;
}

/** Models that generate take a picture to begin with, too. */
export function editPath(facts: CallFacts): string {
  const service = serviceOf(facts.model);
  return generators.has(service) ? generatePath(facts) : `/v2beta/stable-image/edit/${service}`;
}

const read: ReadonlySet<string> = new Set(['model', 'size', 'n']);

export function generateRequest(body: JsonObject, { model }: CallFacts): JsonObject {
  checkCount(body);
  return compact({
    ...omit(body, read),
    model: isDiffusion3(model) ? (model === 'sd3' ? undefined : model) : undefined,
    aspect_ratio: body.aspect_ratio ?? aspectOf(body.size),
  });
}

/** The size of an edit is that of its picture. */
export function editRequest(body: JsonObject, { model }: CallFacts): JsonObject {
  checkCount(body);
  const rest = omit(body, read);
  if (!isDiffusion3(model)) return rest;
  return compact({ mode: 'image-to-image', ...rest, model: model === 'sd3' ? undefined : model });
}

/** A service gives one picture a call. */
function checkCount({ n }: JsonObject): void {
  if (n === undefined || n === null || Number(n) === 1) return;
  throw new GatewayError('translation_unsupported', 'n is 1 here: the provider makes one picture a call.', {
    param: 'n',
  });
}

const aspects: readonly (readonly [name: string, ratio: number])[] = [
  ['21:9', 21 / 9],
  ['16:9', 16 / 9],
  ['3:2', 3 / 2],
  ['5:4', 5 / 4],
  ['1:1', 1],
  ['4:5', 4 / 5],
  ['2:3', 2 / 3],
  ['9:16', 9 / 16],
  ['9:21', 9 / 21],
];

/** The nearest of the shapes on offer; `auto` leaves it to the provider. */
function aspectOf(size: Json | undefined): string | undefined {
  const measured = pictureSize(size);
  if (measured === undefined) return undefined;
  const wanted = measured.width / measured.height;
  const distance = (ratio: number) => Math.abs(Math.log(ratio / wanted));
  return aspects.toSorted(([, a], [, b]) => distance(a) - distance(b))[0]?.[0];
}

const readByVersionOne: ReadonlySet<string> = new Set(['model', 'size', 'prompt', 'negative_prompt']);

/** Prompts with weights, the unwanted with a negative one; what is named as the provider names it wins. */
export function versionOneRequest(body: JsonObject): JsonObject {
  const unwanted = asString(body.negative_prompt);
  const prompts = [
    { text: asString(body.prompt) ?? '', weight: 1 },
    ...(unwanted === undefined ? [] : [{ text: unwanted, weight: -1 }]),
  ];
  const measured = pictureSize(body.size);
  return compact({
    text_prompts: prompts,
    height: measured?.height,
    width: measured?.width,
    ...omit(body, readByVersionOne),
  });
}
