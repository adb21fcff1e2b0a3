import { plugin, schema } from 'portcullis/sdk';
import { priceLists, pricingHooks } from './lists.ts';
import { loaders } from './loader.ts';
import { lookup } from './lookup.ts';
import { overlaid } from './prices.ts';
import { modelPrices } from './resource.ts';
import { migrations } from './table.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  setup: (_, host) => pricingHooks(host),
  control: async (host) => {
    const lists = await priceLists(host);
    const catalogue = lists.map((list) => list.catalogue).reduceRight((below, above) => overlaid(below, above));
    return { resources: [modelPrices(catalogue)], actions: [lookup(catalogue)], loaders };
  },
});
