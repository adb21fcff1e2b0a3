import { namesFor } from './names.ts';

/** What a unit costs, by the names of the API. USD cents. */
export type Rates = Readonly<Record<string, number>>;

/** Pictures by the piece: cents by quality and size. */
export type Pictures = Readonly<Record<string, Rates>>;

/** The rates for requests with more input tokens than `above`. */
export interface LongContext {
  readonly above: number;
  readonly rates: Rates;
}

/** How a price differs in a tier or a region: each rate of a token multiplied, or rates of its own. */
export type Variant =
  | { readonly multiplier: number }
  | {
      readonly rates: Rates;
      readonly units?: Rates;
      readonly image?: Pictures;
      readonly longContext?: LongContext;
      /** Of a region alone. */
      readonly tiers?: Variants;
    };

export type Variants = Readonly<Record<string, Variant>>;

/** The price of a model from a moment on. */
export interface Price {
  /** Epoch milliseconds; minus infinity where it is not known since when. */
  readonly from: number;
  /** Cents per token. */
  readonly rates: Rates;
  /** Cents per call, search or token of other kinds. */
  readonly units?: Rates;
  /** Units of which each request is charged one: that which its usage counts, else the first. */
  readonly perRequest?: readonly string[];
  /** Cents per picture, by quality and size. */
  readonly image?: Pictures;
  readonly longContext?: LongContext;
  /** By the tier that the provider says it served with. */
  readonly tiers?: Variants;
  /** By region, or what stands before a dash of its name. */
  readonly regions?: Variants;
}

/** Which units a use of a server tool is charged as: every use, and a request that used it at all. None: it is free. */
export interface ToolUnits {
  readonly each?: string;
  readonly once?: string;
}

/** By the provider's own name of the tool; units need no entry to be counted under their own name. */
export type Tools = ReadonlyMap<string, ToolUnits>;

/** Names of models that stand for others: `model` and `region` are groups of the pattern. */
export interface NameRule {
  readonly pattern: RegExp;
  /** The provider in whose list the name is; absent: this one. */
  readonly provider?: string;
}

export interface ProviderPrices {
  /** Oldest first. */
  readonly models: ReadonlyMap<string, readonly Price[]>;
  /** Another name -> name of the model. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly tools?: Tools;
  readonly names?: readonly NameRule[];
}

/** By name of the provider unit. */
export type Catalogue = ReadonlyMap<string, ProviderPrices>;

/** The prices of a model over time. */
export interface History {
  /** Oldest first. */
  readonly prices: readonly Price[];
  /** Where the name of the model says where it runs. */
  readonly region?: string;
}

/**
 * The price in force at a moment; from the very moment on that it starts. Undefined: not known, which is not the same as
 * free.
 */
export function priceOf(catalogue: Catalogue, provider: string, model: string, at: number): Price | undefined {
  return historyOf(catalogue, provider, model)?.prices.findLast(({ from }) => from <= at);
}

// A name may stand for one in another list, and that for one there; never further.
const deepest = 2;

/** The prices of a model by its own name, else by the names that it may be listed under. */
export function historyOf(catalogue: Catalogue, provider: string, model: string, depth = 0): History | undefined {
  const list = catalogue.get(provider);
  if (list === undefined) return undefined;
  for (const name of namesFor(model)) {
    const prices = list.models.get(name) ?? list.models.get(list.aliases.get(name) ?? '');
    if (prices !== undefined) return { prices };
  }
  if (depth === deepest) return undefined;
  for (const { pattern, provider: other = provider } of list.names ?? []) {
    const { model: name, region } = pattern.exec(model)?.groups ?? {};
    const found = name === undefined ? undefined : historyOf(catalogue, other, name, depth + 1);
    if (found !== undefined) return region === undefined ? found : { ...found, region };
  }
  return undefined;
}

/** One over the other: a model that stands above has its prices from there alone. */
export function overlaid(below: Catalogue, above: Catalogue): Catalogue {
  const merged = new Map(below);
  for (const [provider, list] of above) {
    const under = below.get(provider);
    merged.set(provider, {
      models: new Map([...(under?.models ?? []), ...list.models]),
      aliases: new Map([...(under?.aliases ?? []), ...list.aliases]),
      tools: new Map([...(under?.tools ?? []), ...(list.tools ?? [])]),
      names: [...(list.names ?? []), ...(under?.names ?? [])],
    });
  }
  return merged;
}
