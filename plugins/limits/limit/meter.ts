import type { Claim, Period } from 'portcullis/sdk';

/** What a limit counts. Cost is in billionths of a US dollar. */
export type Measure = 'requests' | 'tokens' | 'cost';

export interface MeterFacts {
  readonly kind: 'rate' | 'budget';
  readonly measure: Measure;
  /** In the unit of the count. */
  readonly most: number;
  /** Of the count; unique in the organisation. */
  readonly name: string;
  /** As a refusal names it: `the API key "billing"`. */
  readonly whose: string;
  /** As a refusal states it: `10 requests per minute`. */
  readonly terms: string;
  readonly period: (now: number) => Period;
}

/** A clock that is set right by less stays in its period. */
const steppedMs = 1000;

/** One count that requests are held against, made once and used until its limit changes. */
export class Meter {
  readonly kind: MeterFacts['kind'];
  readonly measure: Measure;
  readonly most: number;
  readonly name: string;
  readonly whose: string;
  readonly terms: string;
  readonly #periodAt: MeterFacts['period'];
  #period: Period = { start: 0, end: 0 };
  /** From when and until when the period is known to run. */
  #from = 0;
  #until = 0;
  #single: Claim | undefined;

  constructor(facts: MeterFacts) {
    this.kind = facts.kind;
    this.measure = facts.measure;
    this.most = facts.most;
    this.name = facts.name;
    this.whose = facts.whose;
    this.terms = facts.terms;
    this.#periodAt = facts.period;
  }

  /** The one that runs; a clock that goes back a little stays in it. */
  period(now: number): Period {
    if (now < this.#until && now >= this.#from) return this.#period;
    this.#period = this.#periodAt(now);
    this.#from = this.#period.start - steppedMs;
    this.#until = this.#period.end ?? Number.POSITIVE_INFINITY;
    this.#single = undefined;
    return this.#period;
  }

  claim(now: number, amount: number): Claim {
    const { start, end } = this.period(now);
    if (amount !== 1) return this.#claim(start, end, amount);
    this.#single ??= this.#claim(start, end, 1);
    return this.#single;
  }

  #claim(start: number, end: number | undefined, amount: number): Claim {
    return { name: this.name, start, end, limit: this.most, amount, durable: this.kind === 'budget' };
  }
}

export const noMeters: readonly Meter[] = [];
