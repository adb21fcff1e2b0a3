import { asObjects, asString, type CallFacts, compact, type JsonObject, omit, type ReplyFacts } from 'portcullis/sdk';

const read: ReadonlySet<string> = new Set(['model', 'size']);

/** The third model takes a shape, the fourth one of the sizes that it makes. */
export function generateRequest(body: JsonObject, { model }: CallFacts): JsonObject {
  const rest = omit(body, read);
  const ratio = rest.resolution === undefined ? ratioOf(asString(body.size)) : undefined;
  if (!model.includes('v4'))
    return compact({ ...rest, aspect_ratio: rest.aspect_ratio ?? nearest(ratio, shapes)?.replace(':', 'x') });
  const { prompt, num_images: count, ...options } = rest;
  return compact({
    ...options,
    text_prompt: options.text_prompt ?? (options.json_prompt === undefined ? prompt : undefined),
    resolution: options.resolution ?? nearest(ratio, sizes),
    num_images: Number(count ?? 1) === 1 ? undefined : count,
  });
}

const model: ReadonlySet<string> = new Set(['model']);

export function editRequest(body: JsonObject): JsonObject {
  return omit(body, model);
}

/** Shapes have names there: `ASPECT_16_9`. */
export function legacyRequest(body: JsonObject): JsonObject {
  const { size: _, ...rest } = body;
  if (rest.image_request !== undefined) return rest;
  const ratio = rest.resolution === undefined ? ratioOf(asString(body.size)) : undefined;
  const shape = nearest(ratio, shapes)?.replace(':', '_');
  return {
    image_request: compact({ ...rest, aspect_ratio: rest.aspect_ratio ?? (shape && `ASPECT_${shape}`) }),
  };
}

const shapes = ['3:1', '16:9', '16:10', '3:2', '4:3', '1:1', '3:4', '2:3', '10:16', '9:16', '1:3'] as const;
const sizes = [
  ...['2048x2048', '1440x2880', '2880x1440', '1664x2496', '2496x1664', '1792x2240', '2240x1792', '1440x2560'],
  ...['2560x1440', '1600x2560', '2560x1600', '1728x2304', '2304x1728'],
] as const;

/** Width by height of `1024x768`; `auto` leaves it to the provider. */
function ratioOf(size: string | undefined): number | undefined {
  const found = /^([1-9]\d{0,4})[x:]([1-9]\d{0,4})$/i.exec(size ?? '');
  return found === null ? undefined : Number(found[1]) / Number(found[2]);
}

function nearest(ratio: number | undefined, offered: readonly string[]): string | undefined {
  if (ratio === undefined) return undefined;
  const distance = (name: string) => Math.abs(Math.log((ratioOf(name) ?? 1) / ratio));
  return offered.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** `{ created: ISO 8601, data: [{ url, prompt, seed, is_image_safe }] }`; what is not safe has no URL. */
export function repaired(json: JsonObject, { nowSeconds }: ReplyFacts): JsonObject {
  if (!Array.isArray(json.data)) return json;
  const data = asObjects(json.data).flatMap(({ url, prompt, seed }) =>
    typeof url === 'string' && url !== '' ? [compact({ url, revised_prompt: prompt, seed })] : [],
  );
  if (data.length === 0) {
    const message = 'The picture was withheld by the safety check (is_image_safe: false).';
    return { error: { message, type: 'invalid_request_error', code: 'content_filtered' } };
  }
  const createdMs = Date.parse(asString(json.created) ?? '');
  return { created: Number.isNaN(createdMs) ? nowSeconds() : Math.floor(createdMs / 1000), data };
}
