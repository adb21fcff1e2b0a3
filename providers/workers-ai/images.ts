import {
  asNumber,
  asString,
  type CallFacts,
  type EndpointSpec,
  GatewayError,
  type JsonObject,
  type ReplyFacts,
  type TypedBytes,
} from 'portcullis/sdk';
import { inputOf, resultOf, runPath } from './run.ts';

/**
 * Source: https://developers.cloudflare.com/workers-ai/models/ (text-to-image). Some models answer with JSON, some with the
 * picture itself.
 */
export const imageGenerate: EndpointSpec = {
  path: runPath,
  dialect: 'images',
  params: { drop: ['response_format', 'quality', 'style', 'user', 'background', 'moderation', 'output_format'] },
  request: asked,
  repair: answered,
  wrap: pictured,
};

/** Newer models take a form: https://developers.cloudflare.com/workers-ai/models/flux-2-dev. */
export const imageForm: EndpointSpec = { ...imageGenerate, encoding: 'form' };

function asked(body: JsonObject, { model }: CallFacts): JsonObject {
  if ((asNumber(body.n) ?? 1) > 1) {
    throw new GatewayError('translation_unsupported', 'This provider makes one picture a request: n must be 1.', {
      param: 'n',
    });
  }
  const input = inputOf(body, ['n', 'size']);
  const [, width, height] = /^(\d+)x(\d+)$/.exec(asString(body.size) ?? '') ?? [];
  // The first of this family has one size alone, and refuses to be told another.
  if (width === undefined || height === undefined || model.includes('flux-1-schnell')) return input;
  return { width: Number(width), height: Number(height), ...input };
}

function answered(json: JsonObject, { nowSeconds }: ReplyFacts): JsonObject {
  const result = resultOf(json);
  const image = asString(result.image);
  return image === undefined ? result : { created: nowSeconds(), data: [{ b64_json: image }] };
}

function pictured({ bytes }: TypedBytes, { nowSeconds }: ReplyFacts): JsonObject {
  return { created: nowSeconds(), data: [{ b64_json: Buffer.from(bytes).toString('base64') }] };
}
