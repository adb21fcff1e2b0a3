/** What a unit costs, by the names of the API. USD cents. */
export type Rates = Readonly<Record<string, number>>;

export const rateNames = [
  'request_token',
  'response_token',
  'cache_write_input_token',
  'cache_read_input_token',
  'request_audio_token',
  'response_audio_token',
  'cache_read_audio_input_token',
] as const;

/** The price of a model from a moment on. */
export interface Price {
  /** Epoch milliseconds; minus infinity where it is not known since when. */
  readonly from: number;
  /** Cents per token. */
  readonly rates: Rates;
  /** Cents per call, search or token of other kinds. */
  readonly units?: Rates;
  /** Cents per picture, by quality and size. */
  readonly image?: Readonly<Record<string, Rates>>;
  /** The rates for requests with more input tokens than this. */
  readonly longContext?: { readonly above: number; readonly rates: Rates };
}

export interface ProviderPrices {
  /** Oldest first. */
  readonly models: ReadonlyMap<string, readonly Price[]>;
  /** Another name -> name of the model. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** By name of the provider unit. */
export type Catalogue = ReadonlyMap<string, ProviderPrices>;

/**
 * The price in force at a moment; from the very moment on that it starts. A dated name (`-2024-08-06`, `-20240620`) that has
 * no price of its own costs what the name without the date does. Undefined: not known, which is not the same as free.
 */
export function priceOf(catalogue: Catalogue, provider: string, model: string, at: number): Price | undefined {
  const prices = catalogue.get(provider);
  const undated = model.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, '');
  const history = prices && (historyOf(prices, model) ?? historyOf(prices, undated));
  return history?.findLast(({ from }) => from <= at);
}

function historyOf({ models, aliases }: ProviderPrices, name: string): readonly Price[] | undefined {
  return models.get(name) ?? models.get(aliases.get(name) ?? '');
}

/** One over the other: a model that stands above has its prices from there alone. */
export function overlaid(below: Catalogue, above: Catalogue): Catalogue {
  const merged = new Map(below);
  for (const [provider, { models, aliases }] of above) {
    const under = below.get(provider);
    merged.set(provider, {
      models: new Map([...(under?.models ?? []), ...models]),
      aliases: new Map([...(under?.aliases ?? []), ...aliases]),
    });
  }
  return merged;
}
