import type { Cost, Usage } from 'portcullis/sdk';
import type { Charges } from './charges.ts';
import { kinds, type Part, parts, tokenKinds } from './kinds.ts';
import { count, tokenCounts } from './token-counts.ts';

/** What a usage costs, before rounding. */
export interface Sum {
  readonly amounts: Readonly<Partial<Record<Part, bigint>>>;
  /** Tools that were used, and have no price. */
  readonly unpriced: readonly string[];
}

/** Units of documents: beside tokens they only say in another way how much was asked. */
const measures: ReadonlySet<string> = new Set(['input_characters', 'audio_seconds', 'ocr_pages', 'search_units']);

/** Undefined: something was used that nobody knows the price of; which is not the same as free. */
export function sumOf(charges: Charges, usage: Usage): Sum | undefined {
  const amounts: Partial<Record<Part, bigint>> = {};
  const add = (part: Part, amount: bigint) => {
    amounts[part] = (amounts[part] ?? 0n) + amount;
  };
  const { tokens, pictures, tools, request } = charges;
  if (tokens !== undefined) {
    const counts = tokenCounts(usage);
    for (const kind of tokenKinds) {
      const tokensOfKind = counts[kind];
      if (tokensOfKind === 0) continue;
      const amount = tokens[kind];
      if (amount === undefined) return undefined;
      add(kinds[kind].part, amount * BigInt(tokensOfKind));
    }
  }
  const { images } = usage;
  // Pictures that are counted in tokens are paid for with these, and those of a tool apart.
  if (
    images !== undefined &&
    images.by === undefined &&
    pictures !== undefined &&
    (tokens === undefined || usage.output === 0)
  ) {
    const amount = pictureOf(pictures, images.quality, images.size);
    if (amount === undefined) return undefined;
    add('image', amount * BigInt(count(images.count)));
  }
  const used = usage.serverTools;
  const unpriced: string[] = [];
  for (const tool in used) {
    const uses = count(used[tool]);
    if (uses === 0) continue;
    const charge = tools.get(tool);
    if (charge !== undefined) add('tools', charge.each * BigInt(uses) + charge.once);
    else if (!measures.has(tool)) unpriced.push(tool);
    // The only measure of what was asked, and it has no price.
    else if (usage.input + usage.output === 0) return undefined;
  }
  if (request !== undefined && !request.tools.some((tool) => count(used?.[tool]) > 0)) add('request', request.amount);
  // Where only what is made has a price, and nothing was counted, nobody knows what was made.
  if (tokens === undefined && Object.keys(amounts).length === 0) return undefined;
  return { amounts, unpriced };
}

function pictureOf(
  pictures: NonNullable<Charges['pictures']>,
  quality: string | undefined,
  size: string | undefined,
): bigint | undefined {
  const sizes = pictures.get(quality ?? 'default') ?? pictures.get('default');
  return sizes?.get(size ?? 'default') ?? sizes?.get('default');
}

/**
 * The cost in whole nano-USD, the half rounded up, once: the parts are what the sum grew by with each, so they add up to it.
 */
export function rounded({ amounts }: Sum, perNanoUsd: bigint, source: string): Cost {
  const shares: Record<string, number> = {};
  let sum = 0n;
  let nanoUsd = 0;
  for (const part of parts) {
    const amount = amounts[part];
    if (amount === undefined) continue;
    sum += amount;
    const total = Number((2n * sum + perNanoUsd) / (2n * perNanoUsd));
    shares[part] = total - nanoUsd;
    nanoUsd = total;
  }
  return { nanoUsd, parts: shares, source };
}
