import { type CallFacts, pathSegment } from 'portcullis/sdk';

export const host = 'https://generativelanguage.googleapis.com';

/** Models may be named with their collection: `models/gemini-2.5-flash`, `tunedModels/my-model`. */
export function ofModel(method: string) {
  return ({ model }: Pick<CallFacts, 'model'>) => `/${modelName(model)}:${method}`;
}

export function modelName(model: string): string {
  const [, collection = 'models', name = model] = /^(models|tunedModels)\/(.+)$/.exec(model) ?? [];
  return `${collection}/${pathSegment(name, 'model')}`;
}

/** Ids come and go without the collection that they are of here: `files/abc` as `abc`. */
export const bareId = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

export const named = (collection: string, id: string): string => `${collection}/${pathSegment(bareId(id), 'id')}`;
