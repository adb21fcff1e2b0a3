import { plugin, schema } from 'portcullis/sdk';
import { loadCatalogue, loadOperatorPrices } from './load.ts';
import { lookup } from './lookup.ts';
import { overlaid } from './prices.ts';
import { modelPrices } from './resource.ts';
import { migrations } from './table.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  setup: () => ({}),
  control: async (host) => {
    const path = host.env('MODEL_PRICING_PATH');
    const signed = await loadCatalogue();
    const catalogue = path === undefined || path === '' ? signed : overlaid(signed, await loadOperatorPrices(path));
    return { resources: [modelPrices(catalogue)], actions: [lookup(catalogue)] };
  },
});
