import { asObject, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';
import { type Price, type ProviderPrices, type Rates, rateNames } from './prices.ts';

const beside = new Set(['effective_from', 'additional_units', 'image', 'long_context']);
const names: ReadonlySet<string> = new Set(rateNames);

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
  const aliases = Object.entries(asObject(file.aliases) ?? {}).map(([alias, model]) => {
    if (typeof model !== 'string') return refuse(where, `has the alias ${alias}, which must be the name of a model`);
    return [alias, model] as const;
  });
  return { models: new Map(models), aliases: new Map(aliases) };
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

/** One price. @throws GatewayError `invalid_config` naming what is wrong */
export function readPrice(json: Json, where: string): Price {
  const entry = asObject(json) ?? refuse(where, 'must be an object');
  const unknown = Object.keys(entry).find((name) => !names.has(name) && !beside.has(name));
  if (unknown !== undefined) refuse(where, `has the unknown member ${unknown}`);
  const rates = ratesOf(entry, names, where);
  const units = asObject(entry.additional_units);
  const image = asObject(entry.image);
  const long = asObject(entry.long_context);
  return {
    from: momentOf(entry.effective_from, where),
    rates,
    ...(units === undefined ? {} : { units: ratesOf(units, undefined, `${where}.additional_units`) }),
    ...(image === undefined ? {} : { image: imageOf(image, `${where}.image`) }),
    ...(long === undefined ? {} : { longContext: longOf(long, `${where}.long_context`) }),
  };
}

function longOf(long: JsonObject, where: string) {
  const { above_input_tokens: above, ...rates } = long;
  if (typeof above !== 'number' || !Number.isSafeInteger(above) || above < 1) {
    return refuse(where, 'must have above_input_tokens, an integer of at least 1');
  }
  return { above, rates: ratesOf(rates as JsonObject, names, where) };
}

function imageOf(image: JsonObject, where: string): Readonly<Record<string, Rates>> {
  return Object.fromEntries(
    Object.entries(image).map(([quality, sizes]) => {
      const rates = asObject(sizes) ?? refuse(where, `has the quality ${quality}, which must hold a price a size`);
      return [quality, ratesOf(rates, undefined, `${where}.${quality}`)];
    }),
  );
}

/** @param only the names that count; undefined: all */
function ratesOf(object: JsonObject, only: ReadonlySet<string> | undefined, where: string): Rates {
  return Object.fromEntries(
    Object.entries(object)
      .filter(([name]) => only === undefined || only.has(name))
      .map(([name, value]) => {
        if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return [name, value];
        return refuse(where, `has the price ${name}, which must be a number of at least 0`);
      }),
  );
}

function momentOf(value: Json | undefined, where: string): number {
  if (value === null || value === undefined) return Number.NEGATIVE_INFINITY;
  const day =
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(day) ? refuse(where, 'must have an effective_from that is a day, such as 2026-01-31') : day;
}

function refuse(where: string, why: string): never {
  throw new GatewayError('invalid_config', `${where} ${why}.`, { param: 'MODEL_PRICING_PATH' });
}
