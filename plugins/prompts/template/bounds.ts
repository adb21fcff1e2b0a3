import { GatewayError } from 'portcullis/sdk';

/** What one template, and one rendering, may ask for. A hostile template meets these, never the end of memory. */
export const bounds = {
  textCharacters: 256_000,
  tags: 2_000,
  sectionDepth: 32,
  partials: 100,
  partialDepth: 10,
  partialNameCharacters: 50,
  valueDepth: 100,
  outputCharacters: 4_194_304,
  steps: 1_000_000,
} as const;

/** @throws GatewayError `bad_request` when a text is longer than a template may be */
export function checkLength(text: string, param: string): void {
  if (text.length <= bounds.textCharacters) return;
  throw new GatewayError('bad_request', `A template has at most ${bounds.textCharacters} characters.`, { param });
}

/** @throws GatewayError `bad_request` */
export function checkTags(count: number, param: string): void {
  if (count <= bounds.tags) return;
  throw new GatewayError('bad_request', `A template has at most ${bounds.tags} tags.`, { param });
}

/** Whether the value nests at most so many levels of objects and arrays that it can be walked and written safely. */
export function isShallow(value: unknown, levels: number = bounds.valueDepth): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.every((member) => isShallow(member, levels - 1));
}
