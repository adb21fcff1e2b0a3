import { asArray, asString, type JsonObject } from 'portcullis/sdk';
import { type Dimension, dimensionOf, type Subject } from './dimensions.ts';

/** What a condition looks for: one of these values, or any. */
interface Wanted {
  readonly any: boolean;
  readonly exact: ReadonlySet<string>;
  /** Of models: `@slug/` for `@slug/*`. */
  readonly beginnings: readonly string[];
}

/** A condition, ready to be asked. */
export interface Condition {
  fits(subject: Subject): boolean;
}

/** `*` fits whatever is there; a request that has nothing in that respect fits no condition. */
export function conditionOf({ key, value, excludes }: JsonObject): Condition {
  const dimension = dimensionOf(String(key));
  const wanted = wantedIn(value, String(key));
  const unwanted = wantedIn(excludes, String(key));
  return {
    fits: (subject) => {
      const found = dimension?.read(subject);
      if (dimension === undefined || found === undefined) return false;
      return names(dimension, wanted, found, subject) && !names(dimension, unwanted, found, subject);
    },
  };
}

function names({ alias }: Dimension, wanted: Wanted, found: string, subject: Subject): boolean {
  if (holds(wanted, found)) return true;
  const other = alias?.(subject);
  return other !== undefined && holds(wanted, other);
}

function holds({ any, exact, beginnings }: Wanted, found: string): boolean {
  return any || exact.has(found) || beginnings.some((beginning) => found.startsWith(beginning));
}

function wantedIn(value: unknown, key: string): Wanted {
  const values = valuesOf(value);
  return {
    any: values.includes('*'),
    exact: new Set(values),
    beginnings: key === 'model' ? values.filter((one) => one.endsWith('/*')).map((one) => one.slice(0, -1)) : [],
  };
}

/** A text or a list of texts, as a list. */
export function valuesOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? asArray(value) : [value]).flatMap((one) => asString(one) ?? []);
}
