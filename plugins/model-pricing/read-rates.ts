import { asObject, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';
import { tokenKinds } from './kinds.ts';
import type { LongContext, Pictures, Rates } from './prices.ts';

/** What charges a request, the same in a price and in its tiers and regions. */
export interface Charged {
  readonly rates: Rates;
  readonly units?: Rates;
  readonly image?: Pictures;
  readonly longContext?: LongContext;
}

const names: ReadonlySet<string> = new Set(tokenKinds);
const beside = ['additional_units', 'image', 'long_context'];

/**
 * @param others the members that the caller reads itself
 * @throws GatewayError `invalid_config` naming what is wrong
 */
export function readCharged(entry: JsonObject, others: readonly string[], where: string): Charged {
  const unknown = Object.keys(entry).find(
    (name) => !names.has(name) && !beside.includes(name) && !others.includes(name),
  );
  if (unknown !== undefined) refuse(where, `has the unknown member ${unknown}`);
  const units = asObject(entry.additional_units);
  const image = asObject(entry.image);
  const long = asObject(entry.long_context);
  return {
    rates: ratesOf(entry, names, where),
    ...(units === undefined ? {} : { units: ratesOf(units, undefined, `${where}.additional_units`) }),
    ...(image === undefined ? {} : { image: picturesOf(image, `${where}.image`) }),
    ...(long === undefined ? {} : { longContext: longContextOf(long, `${where}.long_context`) }),
  };
}

function longContextOf(long: JsonObject, where: string): LongContext {
  const { above_input_tokens: above, ...rates } = long;
  if (typeof above !== 'number' || !Number.isSafeInteger(above) || above < 1) {
    return refuse(where, 'must have above_input_tokens, an integer of at least 1');
  }
  const unknown = Object.keys(rates).find((name) => !names.has(name));
  if (unknown !== undefined) refuse(where, `has the unknown member ${unknown}`);
  return { above, rates: ratesOf(rates as JsonObject, names, where) };
}

function picturesOf(image: JsonObject, where: string): Pictures {
  return Object.fromEntries(
    Object.entries(image).map(([quality, sizes]) => {
      const rates =
        asObject(sizes) ??
        refuse(where, `has the quality ${quality}, which must hold a price a size, such as { "1024x1024": 4 }`);
      return [quality, ratesOf(rates, undefined, `${where}.${quality}`)];
    }),
  );
}

/** @param only the names that count; undefined: all */
function ratesOf(object: JsonObject, only: ReadonlySet<string> | undefined, where: string): Rates {
  return Object.fromEntries(
    Object.entries(object)
      .filter(([name]) => only === undefined || only.has(name))
      .map(([name, value]) => [name, amountOf(value, `the price ${name}`, where)]),
  );
}

/** @throws GatewayError `invalid_config` for one by which nothing would ever be charged */
export function demandPrice({ rates, units = {}, image = {} }: Charged, where: string): void {
  if ([rates, units, ...Object.values(image)].every((prices) => Object.keys(prices).length === 0))
    refuse(where, 'must have a price, such as request_token, additional_units or image');
}

/** A number from 0. @throws GatewayError `invalid_config` */
export function amountOf(value: Json | undefined, what: string, where: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  return refuse(where, `has ${what}, which must be a number of at least 0`);
}

/** @throws GatewayError `invalid_config` */
export function refuse(where: string, why: string): never {
  throw new GatewayError('invalid_config', `${where} ${why}.`, { param: 'MODEL_PRICING_PATH' });
}
