import type { JsonObject, PricesEntry, ProviderEntry } from 'portcullis/sdk';
import { type ChargesBy, chargesBy } from './charges-by.ts';
import { createListing, type PriceList } from './listing.ts';
import { integratedModel, overrideOf, pricedModel } from './model-override.ts';
import { multipliersOf } from './multipliers.ts';
import { catalogueOf } from './overrides.ts';
import type { Catalogue, Tools } from './prices.ts';

/** The price of a model while nothing changes, worked out for charging. */
export interface Quote {
  readonly source: string;
  /** Epoch milliseconds: in force from the one up to but not including the other. */
  readonly from: number;
  readonly until: number;
  /** The organisation's prices that it was made with. */
  readonly prices: PricesEntry | undefined;
  /** Undefined: no price is known. */
  readonly charges: ChargesBy | undefined;
}

/** The prices of one organisation at one saved provider; undefined: callers without them. */
export interface Holder {
  readonly prices: PricesEntry | undefined;
  readonly entry: ProviderEntry | undefined;
}

export interface QuoteOptions {
  /** The first that has a price holds. */
  readonly lists: readonly PriceList[];
  /** Called once for each override that is no price. */
  readonly onFault: (entry: ProviderEntry, model: string, error: unknown) => void;
}

// Names of models come from callers: what is remembered must not grow with them.
const mostNames = 2000;

/** Finds prices, and remembers them as long as the entries of the directory stay the same objects. */
export function createQuotes({ lists, onFault }: QuoteOptions) {
  const listing = createListing(lists);
  const remembered = new WeakMap<object, Map<string, Map<string, Quote>>>();
  const agreed = new WeakMap<PricesEntry, Catalogue>();

  function agreedIn(prices: PricesEntry): Catalogue {
    const known = agreed.get(prices);
    if (known !== undefined) return known;
    const made = catalogueOf(prices.prices);
    agreed.set(prices, made);
    return made;
  }

  function find(provider: string, model: string, at: number, { prices, entry }: Holder): Quote {
    const tools = listing.toolsOf(provider);
    const own = integratedModel(entry, model)?.pricing;
    if (own !== undefined && entry !== undefined) {
      const charges = overridden(own, tools, entry, model);
      return {
        source: 'integration',
        from: Number.NEGATIVE_INFINITY,
        until: Number.POSITIVE_INFINITY,
        prices,
        charges,
      };
    }
    const name = pricedModel(entry, model);
    const { listed, until } = listing.find(provider, name, at, prices === undefined ? undefined : agreedIn(prices));
    if (listed === undefined)
      return { source: 'none', from: Number.NEGATIVE_INFINITY, until, prices, charges: undefined };
    const { source, price, region } = listed;
    const charges = chargesBy(price, region, tools, multipliersOf(entry?.pricingMultiplier));
    return { source, from: price.from, until, prices, charges };
  }

  function overridden(pricing: JsonObject, tools: Tools, entry: ProviderEntry, model: string): Quote['charges'] {
    try {
      return chargesBy(overrideOf(pricing), undefined, tools, multipliersOf(entry.pricingMultiplier));
    } catch (error) {
      // Falling back to the list price would charge what nobody has set.
      onFault(entry, model, error);
      return undefined;
    }
  }

  return (provider: string, model: string, at: number, holder: Holder): Quote => {
    const owner = holder.entry ?? holder.prices ?? lists;
    const providers = remembered.get(owner) ?? new Map<string, Map<string, Quote>>();
    if (providers.size === 0) remembered.set(owner, providers);
    const names = providers.get(provider) ?? new Map<string, Quote>();
    if (names.size === 0 || names.size > mostNames) {
      names.clear();
      providers.set(provider, names);
    }
    const known = names.get(model);
    if (known !== undefined && known.prices === holder.prices && known.from <= at && at < known.until) return known;
    const found = find(provider, model, at, holder);
    names.set(model, found);
    return found;
  };
}
