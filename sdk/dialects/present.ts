type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

/** The object without the fields that are undefined, so that absent stays absent. */
export function present<T extends object>(fields: Loose<T>): T {
  const kept: { [key: string]: unknown } = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) kept[key] = value;
  }
  return kept as T;
}
