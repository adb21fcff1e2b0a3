import { asNumber, asObject, asObjects, asString, compact, type JsonObject } from '../../json.ts';
import type { Usage } from '../neutral.ts';
import { present } from '../present.ts';

/**
 * What a response says about the pictures that its tool has made: `{ count, quality, size, model, usage }`, `usage` being
 * the tool's own counts, where it has told any. Quality and size are left out where they are open, or differ.
 */
export function picturesIn(response: JsonObject): JsonObject | undefined {
  const made = asObjects(response.output).filter(
    ({ type, result }) => type === 'image_generation_call' && typeof result === 'string' && result !== '',
  );
  if (made.length === 0) return undefined;
  const asked = asObjects(response.tools).find(({ type }) => type === 'image_generation') ?? {};
  return compact({
    count: made.length,
    quality: sameIn(made, 'quality', asked),
    size: sameIn(made, 'size', asked),
    model: asString(asked.model),
    usage: asObject(asObject(response.tool_usage)?.image_gen),
  });
}

function sameIn(made: readonly JsonObject[], name: 'quality' | 'size', asked: JsonObject): string | undefined {
  const [first, ...others] = made.map((picture) => asString(picture[name]) ?? asString(asked[name]));
  return first === 'auto' || others.some((other) => other !== first) ? undefined : first;
}

/** @param given as `picturesIn` gives it */
export function readPictures(given: JsonObject | undefined, tool: string): Usage['images'] {
  const count = asNumber(given?.count);
  if (given === undefined || count === undefined) return undefined;
  const by = present({ tool, model: asString(given.model), usage: toolUsage(asObject(given.usage)) });
  return present({ count, quality: asString(given.quality), size: asString(given.size), by });
}

/** Counts of 0 say that nothing was recorded. */
function toolUsage(counts: JsonObject | undefined): Usage | undefined {
  const output = asNumber(counts?.output_tokens);
  if (counts === undefined || output === undefined || output === 0) return undefined;
  const [read, written] = [asObject(counts.input_tokens_details), asObject(counts.output_tokens_details)];
  return present<Usage>({
    input: asNumber(counts.input_tokens) ?? 0,
    output,
    cacheRead: asNumber(counts.cached_tokens),
    cacheReadImage: asNumber(asObject(counts.cached_tokens_details)?.cached_image_tokens),
    imageInput: asNumber(read?.image_tokens),
    imageOutput: asNumber(written?.image_tokens),
  });
}
