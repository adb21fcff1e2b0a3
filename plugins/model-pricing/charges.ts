import { type Decimal, decimalOf, product, unitsAt } from './decimals.ts';
import { kinds, type TokenKind, tokenKinds } from './kinds.ts';
import type { Multipliers } from './multipliers.ts';
import type { Rates, Tools } from './prices.ts';
import type { Rated } from './variants.ts';

/** What a tool costs in each use, and once in a request that used it. */
export interface ToolCharge {
  readonly each: bigint;
  readonly once: bigint;
}

/** What a request costs whose usage counts none of `tools`. */
export interface RequestCharge {
  readonly tools: readonly string[];
  readonly amount: bigint;
}

/** A price worked out for charging: whole numbers, of which `perNanoUsd` make a billionth of a dollar. */
export interface Charges {
  readonly perNanoUsd: bigint;
  /** Undefined: tokens are not charged, what is made is. A kind without an amount: nobody knows what it costs. */
  readonly tokens: Readonly<Record<TokenKind, bigint | undefined>> | undefined;
  /** By the provider's name of the tool, and by the names of units. */
  readonly tools: ReadonlyMap<string, ToolCharge>;
  readonly request: RequestCharge | undefined;
  /** By quality and size. */
  readonly pictures: ReadonlyMap<string, ReadonlyMap<string, bigint>> | undefined;
}

// A cent is ten million nano-USD.
const nanoUsdOfCent: Decimal = { units: 1n, places: -7 };

/** @param long whether the rates for long contexts hold */
export function chargesOf(rated: Rated, long: boolean, tools: Tools, multipliers: Multipliers): Charges {
  const rates = long ? { ...rated.rates, ...rated.longContext?.rates } : rated.rates;
  const tokens = tokenAmounts(rates, rated.factor, multipliers);
  const units = amounts(rated.units ?? {}, (name) => multipliers.unit(name));
  const pictures = Object.entries(rated.image ?? {}).map(
    ([quality, sizes]) => [quality, amounts(sizes, () => multipliers.picture)] as const,
  );
  const all = [...tokens.values(), ...units.values(), ...pictures.flatMap(([, sizes]) => [...sizes.values()])];
  const places = Math.max(0, ...all.map((amount) => amount.places));
  const whole = (amount: Decimal | undefined) => (amount === undefined ? undefined : unitsAt(amount, places));
  const wholes = (decimals: ReadonlyMap<string, Decimal>) =>
    new Map([...decimals].map(([name, amount]) => [name, unitsAt(amount, places)]));
  return {
    perNanoUsd: 10n ** BigInt(places),
    tokens:
      tokens.size === 0
        ? undefined
        : (Object.fromEntries(tokenKinds.map((kind) => [kind, whole(tokens.get(kind))])) as Charges['tokens']),
    tools: toolCharges(wholes(units), tools),
    request: rated.perRequest === undefined ? undefined : requestCharge(rated.perRequest, wholes(units), tools),
    pictures: pictures.length === 0 ? undefined : new Map(pictures.map(([quality, sizes]) => [quality, wholes(sizes)])),
  };
}

/**
 * Nano-USD of a token of each kind. One without a rate is charged as the kind that it is part of, with that kind's
 * multiplier, unless the multipliers name it.
 */
function tokenAmounts(rates: Rates, factor: Decimal, multipliers: Multipliers): ReadonlyMap<TokenKind, Decimal> {
  const cents = (kind: TokenKind): number | undefined => {
    const parent = kinds[kind].else;
    return rates[kind] ?? (parent === undefined ? undefined : cents(parent));
  };
  const multiplier = (kind: TokenKind): Decimal => {
    const named = multipliers.named(kind);
    const parent = kinds[kind].else;
    if (named !== undefined) return named;
    return rates[kind] === undefined && parent !== undefined ? multiplier(parent) : multipliers.others;
  };
  const found = new Map<TokenKind, Decimal>();
  for (const kind of tokenKinds) {
    const rate = cents(kind);
    if (rate === undefined) continue;
    found.set(kind, product(product(inNanoUsd(rate), factor), multiplier(kind)));
  }
  return found;
}

function amounts(cents: Rates, multiplier: (name: string) => Decimal): ReadonlyMap<string, Decimal> {
  return new Map(Object.entries(cents).map(([name, price]) => [name, product(inNanoUsd(price), multiplier(name))]));
}

function inNanoUsd(cents: number): Decimal {
  return product(decimalOf(cents), nanoUsdOfCent);
}

function toolCharges(units: ReadonlyMap<string, bigint>, tools: Tools): ReadonlyMap<string, ToolCharge> {
  const charges = new Map<string, ToolCharge>();
  for (const [unit, each] of units) charges.set(unit, { each, once: 0n });
  for (const [tool, { each, once }] of tools) {
    const perUse = each === undefined ? undefined : units.get(each);
    const perRequest = once === undefined ? undefined : units.get(once);
    const free = each === undefined && once === undefined;
    if (free || perUse !== undefined || perRequest !== undefined) {
      charges.set(tool, { each: perUse ?? 0n, once: perRequest ?? 0n });
    }
  }
  return charges;
}

function requestCharge(names: readonly string[], units: ReadonlyMap<string, bigint>, tools: Tools): RequestCharge {
  const [first = ''] = names;
  const counted = [...tools].flatMap(([tool, { each }]) => (each !== undefined && names.includes(each) ? [tool] : []));
  return { tools: [...names, ...counted], amount: units.get(first) ?? 0n };
}
