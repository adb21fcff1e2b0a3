import type { Hooks, Host } from 'portcullis/sdk';
import type { PriceList } from './listing.ts';
import { loadCatalogue, loadOperatorPrices } from './load.ts';
import { createPricing } from './pricing.ts';

/** The prices that hold for everyone: the operator's own first, where there are any. @throws GatewayError `invalid_config` */
export async function priceLists(host: Pick<Host, 'env'>): Promise<readonly PriceList[]> {
  const signed: PriceList = { source: 'catalogue', catalogue: await loadCatalogue() };
  const path = host.env('MODEL_PRICING_PATH');
  return path === undefined || path === ''
    ? [signed]
    : [{ source: 'operator', catalogue: await loadOperatorPrices(path) }, signed];
}

/** What the plugin does in the data plane. */
export async function pricingHooks(host: Host): Promise<Hooks> {
  return { price: createPricing(host, await priceLists(host)) };
}
