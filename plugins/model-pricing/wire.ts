import type { Json, JsonObject } from 'portcullis/sdk';
import type { LongContext, Pictures, Price, Rates, Variant, Variants } from './prices.ts';

/** Which count of a request's usage each rate multiplies. */
const requestCounts = {
  request_token: 'input_tokens',
  cache_write_input_token: 'cache_write_tokens',
  cache_write_1h_input_token: 'cache_write_1h_tokens',
  cache_read_input_token: 'cache_read_tokens',
  request_audio_token: 'audio_input_tokens',
  cache_read_audio_input_token: 'cache_read_audio_tokens',
  request_image_token: 'image_input_tokens',
  cache_read_image_input_token: 'cache_read_image_tokens',
} as const;
const responseCounts = {
  response_token: 'output_tokens',
  reasoning_token: 'reasoning_tokens',
  response_audio_token: 'audio_output_tokens',
  response_image_token: 'image_output_tokens',
} as const;

/** A price as the API shows it, in USD cents. */
export function wirePrice(price: Price): JsonObject {
  const { rates, perRequest, tiers, regions } = price;
  return {
    ...charges(price),
    ...(perRequest === undefined ? {} : { per_request: perRequest }),
    ...(tiers === undefined ? {} : { tiers: variants(tiers) }),
    ...(regions === undefined ? {} : { regions: variants(regions) }),
    calculate: { request: sum(rates, requestCounts), response: sum(rates, responseCounts) },
    currency: 'USD',
    effective_from: Number.isFinite(price.from) ? new Date(price.from).toISOString() : null,
  };
}

interface Charged {
  readonly rates: Rates;
  readonly units?: Rates;
  readonly image?: Pictures;
  readonly longContext?: LongContext;
}

function charges({ rates, units, image, longContext }: Charged): JsonObject {
  return {
    pay_as_you_go: {
      ...priced(rates),
      ...(units === undefined ? {} : { additional_units: priced(units) }),
      ...(image === undefined
        ? {}
        : { image: Object.fromEntries(Object.entries(image).map(([quality, sizes]) => [quality, priced(sizes)])) }),
    },
    ...(longContext === undefined
      ? {}
      : { long_context: { above_input_tokens: longContext.above, pay_as_you_go: priced(longContext.rates) } }),
  };
}

function variants(all: Variants): JsonObject {
  return Object.fromEntries(Object.entries(all).map(([name, variant]) => [name, shown(variant)]));
}

function shown(variant: Variant): JsonObject {
  if ('multiplier' in variant) return { multiplier: variant.multiplier };
  return { ...charges(variant), ...(variant.tiers === undefined ? {} : { tiers: variants(variant.tiers) }) };
}

function priced(rates: Rates): JsonObject {
  return Object.fromEntries(Object.entries(rates).map(([name, price]) => [name, { price }]));
}

function sum(rates: Rates, counts: Readonly<Record<string, string>>): JsonObject {
  const operands = Object.entries(counts)
    .filter(([rate]) => rates[rate] !== undefined)
    .map(
      ([rate, count]): Json => ({ operation: 'multiply', operands: [{ value: count }, { value: `rates.${rate}` }] }),
    );
  return { operation: 'sum', operands };
}
