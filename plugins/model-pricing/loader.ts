import type { Control, PricesEntry, Records } from 'portcullis/sdk';
import type { ModelPriceRecord } from './table.ts';

/** The prices that an organisation has agreed on, for the data plane. */
export const loaders: NonNullable<Control['loaders']> = {
  prices: async (reader, [organisationId = '']) => ({
    organisationId,
    prices: await agreedPrices(reader.records<ModelPriceRecord>('model_prices'), organisationId),
  }),
};

/** All of them: a list that was cut off would leave models at their list price without a word. */
export async function agreedPrices(
  stored: Pick<Records<ModelPriceRecord>, 'list'>,
  organisationId: string,
): Promise<PricesEntry['prices']> {
  const found: ModelPriceRecord[] = [];
  for (let page = 0; ; page += 1) {
    const { records, total } = await stored.list({ organisationId }, { page });
    found.push(...records);
    if (records.length === 0 || found.length >= total) break;
  }
  return found.map(({ provider, model, effective_from, price }) => ({
    provider,
    model,
    // Databases give large integers as texts.
    from: Number(effective_from),
    price,
  }));
}
