import type { JsonObject, PricesEntry } from 'portcullis/sdk';
import type { Catalogue, Price } from './prices.ts';
import { readPrice } from './read-prices.ts';
import { demandPrice, refuse } from './read-rates.ts';

/** What an organisation has agreed on, as a catalogue of its own. */
export function catalogueOf(prices: PricesEntry['prices']): Catalogue {
  const byProvider = new Map<string, Map<string, Price[]>>();
  for (const { provider, model, from, price } of prices.toSorted((a, b) => a.from - b.from)) {
    const models = byProvider.get(provider) ?? new Map<string, Price[]>();
    byProvider.set(provider, models);
    models.set(model, [...(models.get(model) ?? []), { ...readPrice(price, 'price'), from }]);
  }
  return new Map(
    [...byProvider].map(([provider, models]) => [provider, { models, aliases: new Map<string, string>() }]),
  );
}

/**
 * The price of a body, checked as the catalogue's are: its moment stands beside it.
 * @throws GatewayError `invalid_config`, also where it has no price: the list price would be gone, and the cost unknown
 */
export function checkedPrice(price: JsonObject): JsonObject {
  if (price.effective_from !== undefined) refuse('price', 'must not hold effective_from, which stands beside price');
  demandPrice(readPrice(price, 'price'), 'price');
  return price;
}
