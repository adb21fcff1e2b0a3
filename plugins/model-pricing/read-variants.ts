import { asObject, type Json, type JsonObject } from 'portcullis/sdk';
import type { Variant, Variants } from './prices.ts';
import { amountOf, readCharged, refuse } from './read-rates.ts';

/** Prices by tier. @throws GatewayError `invalid_config` */
export function readTiers(json: Json, where: string): Variants {
  return variantsOf(json, where, (variant, at) => readCharged(variant, [], at));
}

/** Prices by region, each of which may have tiers of its own. @throws GatewayError `invalid_config` */
export function readRegions(json: Json, where: string): Variants {
  return variantsOf(json, where, (variant, at) => ({
    ...readCharged(variant, ['tiers'], at),
    ...(variant.tiers === undefined ? {} : { tiers: readTiers(variant.tiers, `${at}.tiers`) }),
  }));
}

function variantsOf(json: Json, where: string, own: (variant: JsonObject, at: string) => Variant): Variants {
  const variants = asObject(json) ?? refuse(where, 'must be an object by name');
  return Object.fromEntries(
    Object.entries(variants).map(([name, value]) => {
      const at = `${where}.${name}`;
      const variant = asObject(value) ?? refuse(at, 'must be an object');
      return [name, variant.multiplier === undefined ? own(variant, at) : multiplierOf(variant, at)];
    }),
  );
}

function multiplierOf(variant: JsonObject, at: string): Variant {
  if (Object.keys(variant).length > 1) refuse(at, 'must have either a multiplier alone or rates of its own');
  return { multiplier: amountOf(variant.multiplier, 'the multiplier', at) };
}
