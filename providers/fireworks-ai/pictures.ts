import {
  asArray,
  asObject,
  asString,
  type CallFacts,
  compact,
  type Endpoints,
  type Flow,
  fileDataUrl,
  GatewayError,
  type JsonObject,
  type ModelFamily,
  omit,
  pathSegment,
  pictureSize,
  type ReplyFacts,
  type TypedBytes,
} from 'portcullis/sdk';

/** Names of models are whole: `accounts/fireworks/models/flux-1-schnell-fp8`. */
const modelPath = (model: string) =>
  model
    .split('/')
    .map((segment) => pathSegment(segment, 'model'))
    .join('/');

const isFlux = (model: string) => /(?:^|\/)flux/i.test(model);

/**
 * https://docs.fireworks.ai/api-reference/generate-a-new-image-from-a-text-prompt for FLUX; the older Stable Diffusion
 * models have an address and sizes in pixels.
 */
export const pictures: Endpoints = {
  imageGenerate: {
    path: ({ model }) =>
      isFlux(model) ? `/workflows/${modelPath(model)}/text_to_image` : `/image_generation/${modelPath(model)}`,
    dialect: 'images',
    accept: 'image/jpeg',
    params: { drop: ['response_format'] },
    request: pictureAsked,
    repair: picturesOf,
    wrap: pictureOf,
  },
};

function taskPath({ model }: CallFacts): string {
  return `/workflows/${modelPath(model)}`;
}

/** Models that answer with the id of a task, and change a picture as well as make one. */
export const kontext: ModelFamily = {
  name: 'flux-kontext',
  fits: (model) => /(?:^|\/)flux-kontext/i.test(model),
  endpoints: {
    imageGenerate: { path: taskPath, dialect: 'images', flow: task },
    imageEdit: { path: taskPath, dialect: 'images', flow: task },
  },
};

const ratios: ReadonlySet<string> = new Set('1:1 21:9 16:9 3:2 5:4 4:5 2:3 9:16 9:21 4:3 3:4'.split(' '));
const apart: ReadonlySet<string> = new Set(['model', 'size', 'n', 'image', 'image[]', 'response_format']);

function pictureAsked(body: JsonObject, { model }: CallFacts): JsonObject {
  const pixels = pictureSize(body.size);
  const sized = isFlux(model) ? ratioOf(pixels, body) : (pixels ?? compact({ size: body.size }));
  return compact({ ...sized, samples: isFlux(model) ? undefined : body.n, ...omit(body, apart) });
}

/** A ratio that is not on offer leaves as the size, which the provider then refuses. */
function ratioOf(pixels: ReturnType<typeof pictureSize>, { size }: JsonObject): JsonObject {
  if (pixels === undefined) return compact({ size: size === 'auto' ? undefined : size });
  const divisor = greatest(pixels.width, pixels.height);
  const ratio = `${pixels.width / divisor}:${pixels.height / divisor}`;
  return ratios.has(ratio) ? { aspect_ratio: ratio } : compact({ size });
}

function greatest(a: number, b: number): number {
  return b === 0 ? Math.max(a, 1) : greatest(b, a % b);
}

function pictureOf({ bytes }: TypedBytes, { nowSeconds }: ReplyFacts): JsonObject {
  return { created: nowSeconds(), data: [{ b64_json: Buffer.from(bytes).toString('base64') }] };
}

/** More than one picture comes in JSON, as data URLs. */
function picturesOf(json: JsonObject, { nowSeconds }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.base64)) return json;
  const { base64, ...rest } = json;
  const data = asArray(base64).map((url) => ({ b64_json: asString(url)?.replace(/^data:[^,]*,/, '') ?? '' }));
  return { created: nowSeconds(), ...rest, data };
}

const pollMs = 500;

/**
 * Asks until the picture is there; the deadline of the request ends it. The picture comes as a URL, whatever
 * `response_format` asks for: it stands on hosts that no document names.
 */
async function task(call: Parameters<Flow>[0], tools: Parameters<Flow>[1]): ReturnType<Flow> {
  const url = taskPath(call.facts);
  const input_image = await inputOf(call);
  const sized = ratioOf(pictureSize(call.body.size), call.body);
  const body = compact({ ...sized, input_image, ...omit(call.body, apart) });
  const { json } = await tools.send({ method: 'POST', url, body });
  const id = asString(json.request_id);
  if (id === undefined) throw new GatewayError('upstream_invalid', 'The provider answered without the id of a task.');
  for (;;) {
    const { json: state } = await tools.send({ method: 'POST', url: `${url}/get_result`, body: { id } });
    const sample = asString(asObject(state.result)?.sample);
    if (state.status === 'Ready' && sample !== undefined)
      return { status: 200, json: { created: tools.nowSeconds(), data: [{ url: sample }] } };
    if (failures.has(asString(state.status) ?? ''))
      throw new GatewayError('upstream_error', `The provider made no picture: ${asString(state.status)}.`);
    await tools.pause(pollMs);
  }
}

const failures: ReadonlySet<string> = new Set([
  'Error',
  'Failed',
  'Request Moderated',
  'Content Moderated',
  'Task not found',
]);

async function inputOf({ body, files: [file] }: Parameters<Flow>[0]): Promise<string | undefined> {
  if (file !== undefined) return fileDataUrl(file);
  return asString(body.input_image) ?? asString(body.image);
}
