import {
  asArray,
  asString,
  compact,
  type EndpointSpec,
  type Json,
  type JsonObject,
  omit,
  pictureSize,
  provider,
  type ReplyFacts,
  schema,
  secret,
} from 'portcullis/sdk';

const generate: EndpointSpec = {
  path: '/{model}',
  dialect: 'images',
  params: { rename: { n: 'samples' } },
  request: withDimensions,
  accept: '*/*',
  wrap: ({ bytes }, { nowSeconds }) => ({
    created: nowSeconds(),
    data: [{ b64_json: Buffer.from(bytes).toString('base64') }],
  }),
  repair: repaired,
};

/**
 * Source: https://docs.segmind.com/api-reference and the page of each model, such as
 * https://www.segmind.com/models/sdxl1.0-txt2img/api: the model is the path, and its page names its parameters. A picture comes as
 * bytes, or in JSON as base64 (`base64`) or as a URL.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'SEGMIND_API_KEY' }) }),
  base: 'https://api.segmind.com/v1',
  auth: { kind: 'header', name: 'x-api-key', from: 'apiKey' },
  endpoints: { imageGenerate: generate, proxy: { path: '' } },
});

const read: ReadonlySet<string> = new Set(['model', 'size', 'response_format']);

/** Pixels have fields of their own; models that know `size` take words there, which stay. */
function withDimensions(body: JsonObject): JsonObject {
  const pixels = pictureSize(body.size);
  return compact({
    ...omit(body, read),
    size: pixels === undefined ? body.size : undefined,
    img_width: body.img_width ?? pixels?.width,
    img_height: body.img_height ?? pixels?.height,
    base64: body.base64 ?? (body.response_format === 'b64_json' ? true : undefined),
  });
}

/** `{ image: base64 or URL }`, lists of the same, and `{ output }` of newer models. */
function repaired(json: JsonObject, { nowSeconds }: ReplyFacts): JsonObject {
  if (Array.isArray(json.data)) return json.created === undefined ? { created: nowSeconds(), ...json } : json;
  const found = json.image ?? json.images ?? json.output ?? json.image_url;
  const data = (Array.isArray(found) ? asArray(found) : [found]).flatMap(pictureOf);
  return data.length === 0 ? json : { created: nowSeconds(), data };
}

function pictureOf(value: Json | undefined): readonly JsonObject[] {
  const text = asString(value);
  if (!text) return [];
  if (/^https?:\/\//.test(text)) return [{ url: text }];
  return [{ b64_json: text.replace(/^data:[^,]*,/, '') }];
}
