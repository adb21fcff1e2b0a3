import { schema } from 'portcullis/sdk';

/** A list of models. */
export function modelList(description: string, minItems: number) {
  return schema.Array(schema.String({ minLength: 1, maxLength: 256 }), {
    minItems,
    maxItems: 1000,
    description: `${description} A * stands for any characters; of @slug/model, the model alone will do.`,
  });
}

export type ModelTest = (model: string) => boolean;

/** Whether a model is in the list: as the request names it, or without the provider of `@slug/model`. */
export function inList(models: readonly string[]): ModelTest {
  const exact = new Set(models.filter((model) => !model.includes('*')));
  const globs = models.filter((model) => model.includes('*')).map((model) => model.split('*'));
  const listed: ModelTest = (model) => exact.has(model) || globs.some((parts) => fitsGlob(model, parts));
  return (model) => listed(model) || (model.startsWith('@') && listed(model.slice(model.indexOf('/') + 1)));
}

/** The parts between the stars, each as early as it goes: that is enough, and linear. */
function fitsGlob(model: string, parts: readonly string[]): boolean {
  const head = parts[0] ?? '';
  const tail = parts.at(-1) ?? '';
  if (!model.startsWith(head) || !model.endsWith(tail) || model.length < head.length + tail.length) return false;
  const end = model.length - tail.length;
  let at = head.length;
  for (const part of parts.slice(1, -1)) {
    const found = model.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
