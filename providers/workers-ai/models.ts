import type { JsonObject } from 'portcullis/sdk';

/** Makers whose models stand below `@hf/`; all the others are below `@cf/`. */
const hubMakers = /^(meta-llama|mistral|nexusflow|nousresearch|thebloke)\//;
const hubModels = new Set(['google/gemma-7b-it']);

/** The model's whole name: what stands before the first slash behind an @ is taken for the name of a saved provider, and left out. */
export function wholeName(model: string): string {
  if (model === '' || model.startsWith('@')) return model;
  return `${hubMakers.test(model) || hubModels.has(model) ? '@hf' : '@cf'}/${model}`;
}

/** The body with the model's whole name. */
export function named(body: JsonObject): JsonObject {
  return typeof body.model === 'string' ? { ...body, model: wholeName(body.model) } : body;
}
