import type { Cost, PictureTool, PriceQuestion, Usage } from 'portcullis/sdk';
import type { Charges } from './charges.ts';
import { rounded, sumOf } from './cost.ts';
import type { Holder, Quote } from './quotes.ts';

/**
 * The models that tools for pictures use where a request names none, by provider.
 * Source: https://developers.openai.com/api/docs/guides/tools-image-generation
 */
const standardModels: ReadonlyMap<string, string> = new Map([['openai', 'gpt-image-2']]);

type QuoteOf = (provider: string, model: string, at: number, holder: Holder) => Quote;

/** The tool that has made pictures with a model of its own, and that has no price for each use of it. */
export function drawingTool({ images }: Usage, charges: Charges): PictureTool | undefined {
  const tool = images?.by;
  return tool === undefined || charges.tools.has(tool.tool) ? undefined : tool;
}

/**
 * What the pictures of a tool cost: what its model does for them, by its tokens where these are told, else by the piece.
 * Undefined: not known.
 */
export function drawingCost(
  { model: named, usage: told }: PictureTool,
  { provider, at, region, usage: { images } }: PriceQuestion,
  holder: Holder,
  quoteOf: QuoteOf,
): Cost | undefined {
  const model = named ?? standardModels.get(provider);
  if (model === undefined || images === undefined) return undefined;
  const { by: _, ...pictures } = images;
  const usage: Usage = { input: 0, output: 0, ...told, images: pictures };
  const quote = quoteOf(provider, model, at, holder);
  const charges = quote.charges?.(undefined, region, usage.input);
  if (charges === undefined || (told === undefined && charges.pictures === undefined)) return undefined;
  const sum = sumOf(charges, usage);
  return sum === undefined ? undefined : rounded(sum, charges.perNanoUsd, quote.source);
}

/** Pictures of a tool are one part of the cost, whatever they are charged by. */
export function withDrawing(cost: Cost, drawing: Cost): Cost {
  const { nanoUsd, parts, source } = cost;
  return {
    nanoUsd: nanoUsd + drawing.nanoUsd,
    parts: { ...parts, image: (parts.image ?? 0) + drawing.nanoUsd },
    source,
  };
}
