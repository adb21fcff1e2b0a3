type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

/** The object without the fields that are undefined, so that absent stays absent. */
export function present<T extends object>(fields: Loose<T>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
