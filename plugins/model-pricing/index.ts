import { plugin, schema } from 'portcullis/sdk';
import { createListing } from './listing.ts';
import { priceLists, pricingHooks } from './lists.ts';
import { loaders } from './loader.ts';
import { lookup } from './lookup.ts';
import { reactions } from './reactions.ts';
import { modelPrices } from './resource.ts';
import { migrations } from './table.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  setup: (_, host) => pricingHooks(host),
  control: async (host) => {
    const listing = createListing(await priceLists(host));
    return { resources: [modelPrices(listing)], actions: [lookup(listing)], loaders, reactions };
  },
});
