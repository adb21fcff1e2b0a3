import { type Catalogue, historyOf, overlaid, type Price, type Tools } from './prices.ts';

/** Prices of one source, for all organisations. */
export interface PriceList {
  readonly source: 'operator' | 'catalogue';
  readonly catalogue: Catalogue;
}

/** What a model costs at a moment, and whose price that is. */
export interface Listed {
  readonly source: string;
  readonly price: Price;
  /** Where the name of the model says where it runs. */
  readonly region?: string;
}

export interface Finding {
  /** Undefined: no price is known. */
  readonly listed: Listed | undefined;
  /** Epoch milliseconds: when another price may hold. */
  readonly until: number;
}

export interface Listing {
  toolsOf(provider: string): Tools;
  /** @param agreed what the organisation has agreed on: it goes before all lists */
  find(provider: string, model: string, at: number, agreed?: Catalogue): Finding;
}

const noTools: Tools = new Map();

/**
 * Price lists, of which the first that has a price in force holds. A name in one may stand for a model in another: what none
 * has by itself is looked for in all of them together.
 */
export function createListing(lists: readonly PriceList[]): Listing {
  const all = lists.reduceRight<Catalogue>((below, { catalogue }) => overlaid(below, catalogue), new Map());
  return {
    toolsOf: (provider) => all.get(provider)?.tools ?? noTools,
    find(provider, model, at, agreed) {
      const own = agreed === undefined ? [] : [{ source: 'organisation', catalogue: agreed }];
      let until = Number.POSITIVE_INFINITY;
      for (const { source, catalogue } of [...own, ...lists, { source: undefined, catalogue: all }]) {
        const history = historyOf(catalogue, provider, model);
        const price = history?.prices.findLast(({ from }) => from <= at);
        const next = history?.prices.find(({ from }) => from > at);
        until = Math.min(until, next?.from ?? until);
        if (history === undefined || price === undefined) continue;
        const { region } = history;
        const whose = source ?? sourceOf(lists, history.prices);
        return { listed: { source: whose, price, ...(region === undefined ? {} : { region }) }, until };
      }
      return { listed: undefined, until };
    },
  };
}

function sourceOf(lists: readonly PriceList[], prices: readonly Price[]): string {
  const holds = ({ catalogue }: PriceList) =>
    [...catalogue.values()].some(({ models }) => [...models.values()].includes(prices));
  return lists.find(holds)?.source ?? 'none';
}
