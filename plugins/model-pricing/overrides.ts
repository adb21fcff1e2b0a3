import type { JsonObject } from 'portcullis/sdk';
import type { Catalogue, Price } from './prices.ts';
import { readPrice } from './read-prices.ts';
import type { ModelPriceRecord } from './table.ts';

type Override = Pick<ModelPriceRecord, 'provider' | 'model' | 'effective_from' | 'price'>;

/** What an organisation has agreed on, as a catalogue of its own. */
export function catalogueOf(records: readonly Override[]): Catalogue {
  const byProvider = new Map<string, Map<string, Price[]>>();
  for (const { provider, model, effective_from: from, price } of records.toSorted(byStart)) {
    const models = byProvider.get(provider) ?? new Map<string, Price[]>();
    byProvider.set(provider, models);
    models.set(model, [...(models.get(model) ?? []), { ...readPrice(price, 'price'), from: Number(from) }]);
  }
  return new Map(
    [...byProvider].map(([provider, models]) => [provider, { models, aliases: new Map<string, string>() }]),
  );
}

function byStart(a: Override, b: Override): number {
  return Number(a.effective_from) - Number(b.effective_from);
}

/** The price of a body, checked as the catalogue's are: its moment stands beside it. */
export function checkedPrice(price: JsonObject): JsonObject {
  const { effective_from: _, ...rest } = price;
  readPrice(rest as JsonObject, 'price');
  return rest as JsonObject;
}
