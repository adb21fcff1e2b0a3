import type {
  Cost,
  IntegratedModel,
  JsonObject,
  Manifest,
  PriceQuestion,
  PricesEntry,
  ProviderEntry,
} from 'portcullis/sdk';
import { createTestHost, type TestHost } from 'portcullis/sdk/testing';
import type { Catalogue } from '../../../plugins/model-pricing/prices.ts';
import { createPricing } from '../../../plugins/model-pricing/pricing.ts';
import { readProvider } from '../../../plugins/model-pricing/read-prices.ts';
import { textOf } from '../../repo/tree.ts';

export const manifest = JSON.parse(textOf('plugins/model-pricing/plugin.json')) as Manifest;

/** A question with a moment that people can read. */
export type WrittenQuestion = Omit<PriceQuestion, 'at'> & { readonly at: string };

/** Whose prices there are beside the catalogue. */
export interface Settings {
  readonly organisation?: readonly {
    readonly provider: string;
    readonly model: string;
    readonly from: string;
    readonly price: JsonObject;
  }[];
  readonly models?: readonly IntegratedModel[];
  readonly multiplier?: JsonObject;
  readonly providerSettings?: JsonObject;
  readonly operator?: Readonly<Record<string, JsonObject>>;
}

export const caller = { organisationId: 'acme', workspaceId: 'team', providerSlug: 'saved' };

/** A pricing of its own, with the host that it works with. */
export function pricingWith(catalogue: Catalogue, settings: Settings = {}) {
  const { organisation, operator = {} } = settings;
  const host: TestHost = createTestHost({
    manifest,
    directory: {
      ...(organisation === undefined ? {} : { prices: { [caller.organisationId]: pricesOf(organisation) } }),
      provider: { [Object.values(caller).join('/')]: entryOf(settings) },
    },
  });
  const own = new Map(Object.entries(operator).map(([name, prices]) => [name, readProvider(prices, name)]));
  const price = createPricing(host, [
    { source: 'operator', catalogue: own },
    { source: 'catalogue', catalogue },
  ]);
  return { host, price };
}

/** The cost that a pricing of its own gives for the question of a caller who belongs to an organisation. */
export async function asked(
  catalogue: Catalogue,
  question: WrittenQuestion,
  settings: Settings = {},
): Promise<Cost | undefined> {
  const known = Object.keys(settings).length === 0 ? {} : caller;
  return pricingWith(catalogue, settings).price({ ...question, ...known, at: Date.parse(question.at) });
}

export function pricesOf(prices: NonNullable<Settings['organisation']>): PricesEntry {
  return {
    organisationId: caller.organisationId,
    prices: prices.map(({ from, ...price }) => ({ ...price, from: Date.parse(from) })),
  };
}

export function entryOf({ models = [], multiplier, providerSettings = {} }: Settings): ProviderEntry {
  return {
    organisationId: caller.organisationId,
    id: 'p1',
    slug: caller.providerSlug,
    name: 'Saved',
    workspaceId: caller.workspaceId,
    integrationId: 'i1',
    integrationSlug: 'integration',
    status: 'active',
    provider: 'openai',
    settings: providerSettings,
    allowAllModels: true,
    models,
    ...(multiplier === undefined ? {} : { pricingMultiplier: multiplier }),
  };
}
