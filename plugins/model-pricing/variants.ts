import { type Decimal, decimalOf, one, product } from './decimals.ts';
import type { LongContext, Pictures, Price, Rates, Variant, Variants } from './prices.ts';

/** A price as it holds in one tier and region. */
export interface Rated {
  readonly rates: Rates;
  /** What the rates of tokens are multiplied with. */
  readonly factor: Decimal;
  readonly units?: Rates;
  readonly image?: Pictures;
  readonly longContext?: LongContext;
  readonly perRequest?: readonly string[];
  readonly tiers?: Variants;
}

/** The price in a region. @param region as `regionIn` gives it */
export function ratedIn(price: Price, region: string | undefined): Rated {
  return applied({ ...price, factor: one }, variantIn(price.regions, region));
}

/** The price in one of its tiers. @param tier as `tierIn` gives it */
export function ratedFor(rated: Rated, tier: string | undefined): Rated {
  return applied(rated, variantIn(rated.tiers, tier));
}

/** The name by which the price knows a tier; undefined: it has no price of its own, the standard one holds. */
export function tierIn({ tiers }: Rated, tier: string | undefined): string | undefined {
  if (tiers === undefined || tier === undefined) return undefined;
  if (Object.hasOwn(tiers, tier)) return tier;
  const lower = tier.toLowerCase();
  return Object.hasOwn(tiers, lower) ? lower : undefined;
}

/** The name by which the price knows a region: its own, or the most that stands before a dash of it (`eu` of `eu-west-1`). */
export function regionIn({ regions }: Price, region: string | undefined): string | undefined {
  if (regions === undefined || region === undefined) return undefined;
  let area: string | undefined;
  for (const name of Object.keys(regions)) {
    const fits = region === name || region.startsWith(`${name}-`);
    if (fits && name.length > (area?.length ?? 0)) area = name;
  }
  return area;
}

function variantIn(variants: Variants | undefined, name: string | undefined): Variant | undefined {
  return name === undefined ? undefined : variants?.[name];
}

// Rates of its own stand alone: what a tier does not discount is charged as that tier's plain token, never as the standard one.
function applied(to: Rated, variant: Variant | undefined): Rated {
  if (variant === undefined) return to;
  if ('multiplier' in variant) return { ...to, factor: product(to.factor, decimalOf(variant.multiplier)) };
  const { longContext: _, ...others } = to;
  return { ...others, ...variant };
}
