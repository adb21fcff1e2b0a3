import { asObject, isoMoment, type Json } from 'portcullis/sdk';
import type { Price, ProviderPrices } from './prices.ts';
import { readAliases, readNames, readTools } from './read-names.ts';
import { readCharged, refuse } from './read-rates.ts';
import { readRegions, readTiers } from './read-variants.ts';

/**
 * The prices of one provider as a file has them.
 * @param where the file, for messages
 * @throws GatewayError `invalid_config`
 */
export function readProvider(json: Json | undefined, where: string): ProviderPrices {
  const file = asObject(json) ?? refuse(where, 'must hold an object with models');
  const models = Object.entries(asObject(file.models) ?? refuse(where, 'must have models')).map(
    ([model, history]) => [model, readHistory(history, `${where}: ${model}`)] as const,
  );
  return {
    models: new Map(models),
    aliases: readAliases(file.aliases, `${where}: aliases`),
    tools: readTools(file.tools, `${where}: tools`),
    names: readNames(file.names, `${where}: names`),
  };
}

function readHistory(json: Json, where: string): readonly Price[] {
  if (!Array.isArray(json) || json.length === 0) return refuse(where, 'must be a list of at least one price');
  const prices = json.map((entry: Json, index) => readPrice(entry, `${where}[${index}]`));
  for (const [index, { from }] of prices.entries()) {
    if (index > 0 && from <= (prices[index - 1]?.from ?? 0)) {
      refuse(`${where}[${index}]`, 'must start later than the price before it');
    }
  }
  return prices;
}

const beside = ['effective_from', 'per_request', 'tiers', 'regions'];

/** One price. @throws GatewayError `invalid_config` naming what is wrong */
export function readPrice(json: Json, where: string): Price {
  const entry = asObject(json) ?? refuse(where, 'must be an object');
  const charged = readCharged(entry, beside, where);
  const { effective_from: from, per_request: each, tiers, regions } = entry;
  return {
    from: momentOf(from, where),
    ...charged,
    ...(each === undefined ? {} : { perRequest: unitNames(each, charged.units ?? {}, where) }),
    ...(tiers === undefined ? {} : { tiers: readTiers(tiers, `${where}.tiers`) }),
    ...(regions === undefined ? {} : { regions: readRegions(regions, `${where}.regions`) }),
  };
}

function unitNames(json: Json, units: Readonly<Record<string, number>>, where: string): readonly string[] {
  const names = Array.isArray(json) ? json : [];
  const known = names.filter((name: Json) => typeof name === 'string' && Object.hasOwn(units, name)) as string[];
  return known.length > 0 && known.length === names.length
    ? known
    : refuse(where, 'must have a per_request that lists names of its additional_units');
}

function momentOf(value: Json | undefined, where: string): number {
  if (value === null || value === undefined) return Number.NEGATIVE_INFINITY;
  const day = typeof value === 'string' ? isoMoment(value) : undefined;
  return day ?? refuse(where, 'must have an effective_from that is a day, such as 2026-01-31');
}
