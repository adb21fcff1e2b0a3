import { asString, type CallFacts, pathSegment, type Settings } from 'portcullis/sdk';

/** Where the request may run, in front of the model's id. */
const geography = /^(us|us-gov|eu|apac|ap|jp|au|ca|sa|me|af|il|mx|global)\.(?=[a-z0-9-]+\.)/;
const telling = /^arn:[^/]*:(?:foundation-model|inference-profile)\/(.+)$/;

/** The foundation model of an id or ARN; undefined where an ARN does not tell it. */
export function foundationModel(model: string): string | undefined {
  if (!model.startsWith('arn:')) return model.replace(geography, '');
  return telling.exec(model)?.[1]?.replace(geography, '');
}

/** The foundation model that is asked, as far as id and settings tell it. */
export function askedModel({ model, settings }: { readonly model: string; readonly settings: Settings }): string {
  return foundationModel(model) ?? foundationModel(asString(settings.awsBedrockModel) ?? '') ?? '';
}

export type Family = 'claude' | 'nova' | 'titan' | 'cohere' | 'stability' | 'gpt-oss' | 'other';

const families: readonly (readonly [RegExp, Family])[] = [
  [/^anthropic\./, 'claude'],
  [/^amazon\.nova/, 'nova'],
  [/^amazon\.titan/, 'titan'],
  [/^cohere\./, 'cohere'],
  [/^stability\./, 'stability'],
  [/^openai\./, 'gpt-oss'],
];

export function familyOf(model: string): Family {
  return families.find(([pattern]) => pattern.test(model))?.[1] ?? 'other';
}

/** A path of the runtime for the model that is asked: an id, or an ARN in one segment. */
export function ofModel(method: string) {
  return ({ model }: CallFacts) => `/model/${pathSegment(model, 'model')}/${method}`;
}
