import { configFault } from '../fault.ts';

/** Bounds on what conditions may cost. RE2 is linear in text times program, but both factors are the caller's. */
export const queryLimits = {
  conditions: 1000,
  /** Operators and keys in all queries of one config. */
  terms: 20_000,
  /** Levels of `$and` and `$or`. */
  depth: 16,
  patternLength: 1000,
  /** Instructions of all patterns of one config. */
  programSize: 50_000,
  /** Characters times instructions that one request may spend on patterns. */
  matchWork: 50_000_000,
} as const;

/** What is left for one compilation, or for the evaluation of one request. */
export class Budget {
  #left: number;
  readonly #message: string;

  constructor(amount: number, message: string) {
    this.#left = amount;
    this.#message = message;
  }

  /** @throws GatewayError once more is spent than there was */
  spend(amount: number, param: string): void {
    this.#left -= amount;
    if (this.#left < 0) throw configFault(param, this.#message);
  }
}

export interface CompileBudget {
  readonly terms: Budget;
  readonly programSize: Budget;
}

export function compileBudget(): CompileBudget {
  return {
    terms: new Budget(
      queryLimits.terms,
      `The queries of a config may hold ${queryLimits.terms} keys and operators at most.`,
    ),
    programSize: new Budget(
      queryLimits.programSize,
      'The $regex patterns of this config are too large together: shorten them, or their {n,m} counts.',
    ),
  };
}

export function matchBudget(): Budget {
  return new Budget(
    queryLimits.matchWork,
    'The $regex conditions of this config are too costly for a text as long as this one.',
  );
}
