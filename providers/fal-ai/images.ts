import {
  asNumber,
  asObject,
  asObjects,
  asString,
  type CallFacts,
  compact,
  type Flow,
  GatewayError,
  type HeldFile,
  heldFiles,
  type Json,
  type JsonObject,
  omit,
  pathSegment,
  pictureSize,
  type ReplyFacts,
} from 'portcullis/sdk';

/** `fal-ai/flux/dev` is a path. */
export function modelPath({ model }: CallFacts): string {
  return model
    .split('/')
    .map((segment) => `/${pathSegment(segment, 'model')}`)
    .join('');
}

const read: ReadonlySet<string> = new Set(['model', 'n', 'size', 'response_format', 'user']);

/** What has another name there has it by either; the rest are inputs of the model. */
export function inputOf(body: JsonObject): JsonObject {
  return compact({
    num_images: body.n,
    image_size: sizeOf(body.size),
    sync_mode: body.response_format === 'b64_json' ? true : undefined,
    ...omit(body, read),
  });
}

/** Pixels, or one of the provider's names of sizes; `auto` leaves it to the model. */
function sizeOf(size: Json | undefined): Json | undefined {
  return pictureSize(size) ?? (size === 'auto' ? undefined : size);
}

/** `{ images: [{ url }] }`, or one `image`; with `sync_mode` the URL is a data URL. */
export function imagesReply(json: JsonObject, { nowSeconds }: ReplyFacts): JsonObject {
  const images = pictures(json);
  return images.length === 0 ? json : { created: nowSeconds(), data: images };
}

function pictures(json: JsonObject): readonly JsonObject[] {
  const one = asObject(json.image);
  return (one === undefined ? asObjects(json.images) : [one]).flatMap(({ url }) => {
    const text = asString(url);
    if (text === undefined) return [];
    const inline = /^data:[^,]*;base64,/.exec(text);
    return [inline === null ? { url: text } : { b64_json: text.slice(inline[0].length) }];
  });
}

/**
 * Pictures leave as data URLs in JSON: a form's `image` as `image_url`, a list `image[]` as `image_urls`, as the models have
 * the one or the other, and `mask` as `mask_url`.
 */
export const editFlow: Flow = async ({ facts, body, files }, tools) => {
  const input = { ...typed(inputOf(body)), ...urlsOf(await heldFiles(files, maxBytes)) };
  const reply = await tools.send({ method: 'POST', url: modelPath(facts), body: input });
  const data = pictures(reply.json);
  if (data.length === 0)
    throw new GatewayError('upstream_invalid', 'The reply of the model holds no picture: use the proxy for it.');
  return { status: reply.status, json: { created: tools.nowSeconds(), data } };
};

/** Inputs have types, and fields of a form are strings. */
function typed(input: JsonObject): JsonObject {
  const values = Object.entries(input).map(([name, value]) => [name, typedValue(value)] as const);
  return Object.fromEntries(values);
}

function typedValue(value: Json): Json {
  if (typeof value !== 'string') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  return /^-?\d+(\.\d+)?$/.test(value) ? (asNumber(Number(value)) ?? value) : value;
}

const maxBytes = 20 * 1024 * 1024;

function urlsOf(files: readonly HeldFile[]): JsonObject {
  const urls = Map.groupBy(files, ({ field }) => (field === 'image[]' ? 'image_urls' : `${field}_url`));
  const inputs = [...urls].map(([name, held]) => {
    const values = held.map(({ dataUrl }) => dataUrl);
    return [name, name === 'image_urls' ? values : (values[0] ?? null)] as const;
  });
  return Object.fromEntries(inputs);
}
