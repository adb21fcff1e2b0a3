import type { Json, JsonObject } from 'portcullis/sdk';
import type { SignedToken } from './jwt-signature.ts';

export const matchTypes = ['exact', 'contains', 'containsAll', 'regex'] as const;

export interface ClaimRule {
  readonly claim: string;
  readonly match: (typeof matchTypes)[number];
  readonly values: readonly string[];
  readonly patterns: readonly { test(text: string): boolean }[];
}

export interface ClaimRules {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  readonly required: readonly string[];
  readonly claims: readonly ClaimRule[];
  readonly inBoth: readonly string[];
}

/** Why the claims do not fit the rules; undefined when they do. Names claims and never says their values. */
export function claimFault({ header, claims }: SignedToken, rules: ClaimRules): string | undefined {
  const { issuers, audiences, required, inBoth } = rules;
  if (issuers.length > 0 && !issuers.includes(String(own(claims, 'iss'))))
    return 'The issuer of the token is not accepted.';
  if (audiences.length > 0 && !itemsOf('aud', own(claims, 'aud')).some((item) => audiences.includes(item)))
    return 'The token is meant for another audience.';
  const missing = required.filter((claim) => own(claims, claim) === undefined);
  if (missing.length > 0) return `The token lacks ${missing.join(', ')}.`;
  const wrong = rules.claims.filter((rule) => !fits(own(claims, rule.claim), rule));
  if (wrong.length > 0)
    return `These claims are missing or not what they must be: ${wrong.map(({ claim }) => claim).join(', ')}.`;
  const differing = inBoth.filter((name) => {
    const value = own(claims, name);
    return value === undefined || JSON.stringify(value) !== JSON.stringify(own(header, name));
  });
  if (differing.length > 0) return `The header and the claims of the token differ in ${differing.join(', ')}.`;
  return undefined;
}

/** The named claims that there are, under their names with the prefix. */
export function extracted(claims: JsonObject, names: readonly string[], prefix: string): JsonObject {
  const found = names.map((name) => [`${prefix}${name}`, own(claims, name)] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** Null counts as absent. */
function own(claims: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(claims, name) ? (claims[name] ?? undefined) : undefined;
}

function fits(value: Json | undefined, { claim, match, values, patterns }: ClaimRule): boolean {
  if (value === undefined) return false;
  const items = itemsOf(claim, value);
  // An item of a list is the whole item: `admin` is not held by `non-admin`.
  const isList = Array.isArray(value) || isScope(claim);
  const holds = (wanted: string) => (isList ? items.includes(wanted) : items.some((item) => item.includes(wanted)));
  switch (match) {
    case 'exact':
      return items.length === 1 && values.includes(items[0] ?? '');
    case 'contains':
      return values.some(holds);
    case 'containsAll':
      return values.every(holds);
    case 'regex':
      return patterns.some((pattern) => items.some((item) => pattern.test(item)));
  }
}

function itemsOf(claim: string, value: Json | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
  if (typeof value === 'string') return isScope(claim) ? value.split(' ').filter((item) => item !== '') : [value];
  return [JSON.stringify(value)];
}

/** RFC 8693 §4.2: scopes stand in one text, separated by spaces. */
function isScope(claim: string): boolean {
  return claim === 'scope' || claim === 'scp';
}
