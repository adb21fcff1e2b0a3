export type Bound = string | number | bigint | boolean | null | Uint8Array;

/**
 * Lets through what both dialects store alike. MySQL's driver would splice an object into the statement, and a Date
 * would become a number in one dialect and a text in the other.
 * @throws TypeError that names the place, never the value
 */
export function checkedBindings(bindings: readonly unknown[] | undefined): Bound[] {
  return (bindings ?? []).map((value, index) => {
    if (value === undefined || value === null) return null;
    const fault = faultOf(value);
    if (fault === undefined) return value as Bound;
    throw new TypeError(`Binding ${index + 1} of a query is ${fault}.`);
  });
}

function faultOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return undefined;
    case 'number':
      if (!Number.isFinite(value)) return 'not a finite number';
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'an integer beyond 2^53; store it as text';
      return undefined;
    case 'object':
      if (value instanceof Uint8Array) return undefined;
      if (value instanceof Date) return 'a Date; give epoch milliseconds';
      return 'an object or a list; give JSON as text';
    default:
      return `a ${typeof value}`;
  }
}
