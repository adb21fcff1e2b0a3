import { asNumber, asObject, type JsonObject } from 'portcullis/sdk';
import { type Decimal, decimalOf, one } from './decimals.ts';
import { kinds, type TokenKind } from './kinds.ts';

/** What an integration's prices are multiplied with. */
export interface Multipliers {
  /** Of a kind of token, by its own name or its group's; undefined: neither is named. */
  named(kind: TokenKind): Decimal | undefined;
  readonly picture: Decimal;
  unit(name: string): Decimal;
  /** What holds for all that is not named. */
  readonly others: Decimal;
}

export const unmultiplied: Multipliers = { named: () => undefined, picture: one, unit: () => one, others: one };

// The API knows text apart; where only the text of a kind is named, it is the kind's.
const texts: { readonly [kind in TokenKind]?: string } = {
  request_token: 'request_text_token',
  response_token: 'response_text_token',
  cache_read_input_token: 'cache_read_text_input_token',
  cache_write_input_token: 'cache_write_text_input_token',
};

/** @param multiplier as the API takes it: numbers from 0 by name; null is as if it were not there */
export function multipliersOf(multiplier: JsonObject | undefined): Multipliers {
  if (multiplier === undefined) return unmultiplied;
  const factor = (object: JsonObject | undefined, name: string | undefined): Decimal | undefined => {
    const value = name === undefined ? undefined : asNumber(object?.[name]);
    return value === undefined ? undefined : decimalOf(value);
  };
  const others = factor(multiplier, 'default') ?? one;
  const image = asObject(multiplier.image);
  const units = asObject(multiplier.additional_units);
  return {
    named: (kind) =>
      factor(multiplier, kinds[kind].multiplier ?? kind) ??
      factor(multiplier, texts[kind]) ??
      factor(multiplier, kinds[kind].group),
    picture: factor(image, 'default') ?? others,
    unit: (name) => factor(units, name) ?? others,
    others,
  };
}
