import type { Json } from '../json.ts';

/** Whether a list holds the very same items as another: what nothing was changed in keeps its bytes. */
export function areSameItems(items: readonly Json[], others: readonly Json[]): boolean {
  return items.length === others.length && items.every((item, at) => item === others[at]);
}
