import { asObject, asObjects, asString, type CallFacts, GatewayError, type JsonObject } from 'portcullis/sdk';
import { wholeName } from './models.ts';

/** The path that runs a model; its slashes are slashes of the path: `/run/@cf/meta/llama-3.1-8b-instruct`. */
export function runPath({ model }: Pick<CallFacts, 'model'>): string {
  const segments = wholeName(model).split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new GatewayError('bad_request', 'The model must be named as in the catalogue: @cf/vendor/name.', {
      param: 'model',
    });
  }
  return `/run/${segments.map((segment) => encodeURIComponent(segment).replaceAll('%40', '@')).join('/')}`;
}

/** The result of a reply without what is around it; errors in the form that all formats know. */
export function resultOf(json: JsonObject): JsonObject {
  const [error] = asObjects(json.errors);
  if (json.success === false || error !== undefined) {
    const message = asString(error?.message) ?? 'The provider answered with an error.';
    return { error: { message, type: null, code: error?.code ?? null } };
  }
  return asObject(json.result) ?? json;
}

/** The body without the model, which is in the path, and without what the models refuse. */
export function inputOf(body: JsonObject, refused: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'model' && !refused.includes(key)));
}
