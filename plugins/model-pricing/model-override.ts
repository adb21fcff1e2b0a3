import {
  asObject,
  asObjects,
  asString,
  type IntegratedModel,
  type Json,
  type JsonObject,
  type ProviderEntry,
} from 'portcullis/sdk';
import { tokenKinds } from './kinds.ts';
import type { Price } from './prices.ts';
import { readPrice } from './read-prices.ts';

// What the API knows under other names, as far as prices are concerned.
const sameRates: Readonly<Record<string, string>> = {
  request_text_token: 'request_token',
  response_text_token: 'response_token',
  cache_read_text_input_token: 'cache_read_input_token',
  cached_text_input_token: 'cache_read_input_token',
  cache_write_text_input_token: 'cache_write_input_token',
  cached_image_input_token: 'cache_read_image_input_token',
};
const ratesAmongUnits: Readonly<Record<string, string>> = {
  cache_write_1h: 'cache_write_1h_input_token',
  thinking_token: 'reasoning_token',
  image_token: 'response_image_token',
};
const members: ReadonlySet<string> = new Set([
  ...tokenKinds,
  'additional_units',
  'image',
  'long_context',
  'per_request',
  'tiers',
  'regions',
]);

/** The model of an integration, among those that it lists. */
export function integratedModel(entry: ProviderEntry | undefined, model: string): IntegratedModel | undefined {
  return entry?.models.find(({ slug }) => slug === model);
}

/** The model that is priced: the base of a custom one, and the one that a deployment stands for. */
export function pricedModel(entry: ProviderEntry | undefined, model: string): string {
  const base = integratedModel(entry, model)?.base;
  if (base !== undefined) return base;
  const deployments = asObjects(entry?.settings.deployments);
  // In the order in which a call finds its deployment.
  const deployment =
    deployments.find(({ alias }) => alias === model) ??
    deployments.find((one) => one.is_default === true) ??
    deployments.find((one) => one.deployment_id === model);
  return asString(deployment?.model) ?? asString(deployment?.alias) ?? model;
}

/**
 * The price that an integration sets for a model: `{ type: 'static', pay_as_you_go: { request_token: { price }, ... } }`.
 * Names that are no prices are left out.
 * @throws GatewayError `invalid_config`
 */
export function overrideOf(pricing: JsonObject, where = 'pricing_config'): Price {
  const given = flat(asObject(pricing.pay_as_you_go) ?? {});
  const units = asObject(given.additional_units) ?? {};
  const rates: Record<string, JsonObject[string]> = {};
  for (const [from, to] of Object.entries(sameRates)) if (given[from] !== undefined) rates[to] = given[from];
  for (const [from, to] of Object.entries(ratesAmongUnits)) if (units[from] !== undefined) rates[to] = units[from];
  for (const [name, value] of Object.entries(given)) if (members.has(name)) rates[name] = value;
  if (given.additional_units !== undefined) {
    rates.additional_units = Object.fromEntries(
      Object.entries(units).filter(([name]) => !Object.hasOwn(ratesAmongUnits, name)),
    );
  }
  return readPrice(rates, `${where}.pay_as_you_go`);
}

/** `{ price: 1 }` as 1 wherever it stands; what is null or empty is not there. */
function flat(object: JsonObject): JsonObject {
  const kept: Record<string, JsonObject[string]> = {};
  for (const [name, value] of Object.entries(object)) {
    const inner = asObject(value);
    const price = inner !== undefined && 'price' in inner ? inner.price : inner === undefined ? value : flat(inner);
    if (price !== null && price !== undefined && !isEmpty(price)) kept[name] = price;
  }
  return kept;
}

function isEmpty(value: Json): boolean {
  const object = asObject(value);
  return object !== undefined && Object.keys(object).length === 0;
}
