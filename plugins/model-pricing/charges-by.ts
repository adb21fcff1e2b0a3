import { type Charges, chargesOf } from './charges.ts';
import type { Multipliers } from './multipliers.ts';
import type { Price, Tools } from './prices.ts';
import { type Rated, ratedFor, ratedIn, regionIn, tierIn } from './variants.ts';

/** What a request is charged by, by its tier, its region and its tokens of input. */
export type ChargesBy = (tier: string | undefined, region: string | undefined, input: number) => Charges;

interface Served {
  readonly short: Charges;
  readonly long: Charges;
  /** Tokens of input; more are a long context. */
  readonly longAbove: number;
}

/** @param itsRegion where the name of the model says that it runs: it goes before what is asked */
export function chargesBy(
  price: Price,
  itsRegion: string | undefined,
  tools: Tools,
  multipliers: Multipliers,
): ChargesBy {
  const regions = new Map<string | undefined, (tier: string | undefined) => Served>();

  function inRegion(region: string | undefined) {
    const rated = ratedIn(price, region);
    const tiers = new Map<string | undefined, Served>();
    return (tier: string | undefined): Served => {
      const name = tierIn(rated, tier);
      const known = tiers.get(name);
      if (known !== undefined) return known;
      const made = servedAs(ratedFor(rated, name), tools, multipliers);
      tiers.set(name, made);
      return made;
    };
  }

  return (tier, region, input) => {
    const place = regionIn(price, itsRegion ?? region);
    let servedIn = regions.get(place);
    if (servedIn === undefined) {
      servedIn = inRegion(place);
      regions.set(place, servedIn);
    }
    const served = servedIn(tier);
    return input > served.longAbove ? served.long : served.short;
  };
}

function servedAs(rated: Rated, tools: Tools, multipliers: Multipliers): Served {
  const short = chargesOf(rated, false, tools, multipliers);
  return rated.longContext === undefined
    ? { short, long: short, longAbove: Number.POSITIVE_INFINITY }
    : { short, long: chargesOf(rated, true, tools, multipliers), longAbove: rated.longContext.above };
}
