import type { Ranges } from './code-points.ts';

/** A pattern after parsing: flags, escapes and classes are resolved, so that both engines are told exactly the same. */
export type Node =
  /** One code point out of a set. */
  | { readonly kind: 'set'; readonly ranges: Ranges }
  /** One code point out of a set that only RE2 can name. */
  | { readonly kind: 'opaque'; readonly re2: string }
  | { readonly kind: 'assertion'; readonly at: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  | { readonly kind: 'capture'; readonly of: Node }
  | {
      readonly kind: 'repeat';
      readonly of: Node;
      readonly least: number;
      readonly most: number;
      readonly lazy: boolean;
    };

export type Assertion = 'start' | 'end' | 'lineStart' | 'lineEnd' | 'word' | 'noWord';

export interface Parsed {
  readonly node: Node;
  /** The name of each capture, in order; undefined where it has none. */
  readonly captures: readonly (string | undefined)[];
}
