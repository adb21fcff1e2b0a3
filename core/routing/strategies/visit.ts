import type { Node } from '../plan.ts';
import type { Budget } from '../query/budget.ts';
import type { QueryFacts } from '../query/field-path.ts';

/** What a walk needs to know of the request and the process. */
export interface WalkFacts extends QueryFacts {
  /** 0 up to, not including, 1. */
  random(): number;
  /** Epoch milliseconds. */
  now(): number;
  /** The caller has gone: no further target is tried. */
  cancelled?(): boolean;
  /** Whose breakers are meant, such as a workspace; configs of equal text share breakers within one scope. */
  readonly scope?: string;
}

/** One walk, as the strategies see it. */
export interface Visit<R> {
  readonly facts: WalkFacts;
  /** What conditions may still spend on patterns. */
  readonly budget: Budget;
  run(node: Node): Promise<R>;
  /** Every target below the node is behind an open breaker. */
  isOpen(node: Node): boolean;
  /** The outcome is given up for another target's. */
  discard(outcome: R): void;
}
