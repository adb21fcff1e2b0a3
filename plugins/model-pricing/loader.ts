import type { Control, PricesEntry } from 'portcullis/sdk';
import type { ModelPriceRecord } from './table.ts';

/** The prices that an organisation has agreed on, for the data plane. */
export const loaders: NonNullable<Control['loaders']> = {
  prices: async (reader, [organisationId = '']) => {
    const stored = reader.records<ModelPriceRecord>('model_prices');
    const records: ModelPriceRecord[] = [];
    // A list that was cut off would leave models at their list price without a word.
    for (let page = 0; ; page += 1) {
      const { records: more, total } = await stored.list({ organisationId }, { page });
      records.push(...more);
      if (more.length === 0 || records.length >= total) return { organisationId, prices: agreedPrices(records) };
    }
  },
};

export function agreedPrices(records: readonly ModelPriceRecord[]): PricesEntry['prices'] {
  return records.map(({ provider, model, effective_from, price }) => ({
    provider,
    model,
    // Databases give large integers as texts.
    from: Number(effective_from),
    price,
  }));
}
