import type { BreakerRule, Leaf, Plan } from './plan.ts';

/** Failures are counted over the last 60 s, in six parts, so that an old burst is forgotten and a slow drip never adds up. */
const windowMs = 60_000;
const partMs = 10_000;

interface Part {
  readonly start: number;
  total: number;
  failed: number;
}

/** One call that a breaker has let through; settle it once. */
export interface Permit {
  /** The call ended with this status. */
  settle(status: number): void;
  /** The call ended without saying anything about the target. */
  release(): void;
}

/**
 * The breaker of one target: closed, then open once failures reach the threshold or their share reaches the percentage,
 * half-open for one probe after the cooldown, and closed again by a success. A failed probe starts another cooldown.
 */
export class Breaker {
  readonly #rule: BreakerRule;
  readonly #now: () => number;
  #parts: Part[] = [];
  #openedAt: number | undefined;
  #probeAt: number | undefined;
  /** Counts openings and closings: a call that began in an earlier state says nothing about this one. */
  #era = 0;

  constructor(rule: BreakerRule, now: () => number) {
    this.#rule = rule;
    this.#now = now;
  }

  /** Whether the target should be passed over now. */
  get open(): boolean {
    if (this.#openedAt === undefined) return false;
    const now = this.#now();
    if (now - this.#openedAt < this.#rule.cooldownMs) return true;
    // A probe that never came back must not keep the target out for ever.
    return this.#probeAt !== undefined && now - this.#probeAt < this.#rule.cooldownMs;
  }

  /** Half open: its time is over, and the next call says what becomes of it. */
  get state(): 'closed' | 'open' | 'halfOpen' {
    if (this.#openedAt === undefined) return 'closed';
    return this.open ? 'open' : 'halfOpen';
  }

  enter(): Permit {
    const era = this.#era;
    const probe = this.#openedAt !== undefined && !this.open;
    const probeAt = this.#now();
    if (probe) this.#probeAt = probeAt;
    let settled = false;
    const once = (act: () => void) => {
      if (settled) return;
      settled = true;
      if (probe && this.#probeAt === probeAt) this.#probeAt = undefined;
      act();
    };
    return {
      settle: (status) => once(() => this.#record(this.#isFailure(status), era, probe)),
      release: () => once(() => {}),
    };
  }

  #isFailure(status: number): boolean {
    return this.#rule.failureStatusCodes?.includes(status) ?? status > 500;
  }

  #record(failed: boolean, era: number, probe: boolean): void {
    if (era !== this.#era) return;
    if (this.#openedAt === undefined) {
      this.#count(failed);
      if (failed && this.#exceeded()) this.#change(this.#now());
    } else if (!failed) {
      this.#change(undefined);
    } else if (probe) {
      this.#change(this.#now());
    }
  }

  #change(openedAt: number | undefined): void {
    this.#openedAt = openedAt;
    this.#probeAt = undefined;
    this.#parts = [];
    this.#era += 1;
  }

  #count(failed: boolean): void {
    const now = this.#now();
    const start = now - (now % partMs);
    let part = this.#parts.at(-1);
    if (part?.start !== start) {
      part = { start, total: 0, failed: 0 };
      this.#parts = [...this.#parts.filter((kept) => kept.start > now - windowMs), part];
    }
    part.total += 1;
    if (failed) part.failed += 1;
  }

  #exceeded(): boolean {
    const since = this.#now() - windowMs;
    let total = 0;
    let failures = 0;
    for (const part of this.#parts) {
      if (part.start <= since) continue;
      total += part.total;
      failures += part.failed;
    }
    const { failureThreshold, failurePercentage, minimumRequests } = this.#rule;
    if (failureThreshold !== undefined && failures >= failureThreshold) return true;
    return failurePercentage !== undefined && total >= minimumRequests && failures * 100 >= failurePercentage * total;
  }
}

/** The breakers of one process. */
export interface Breakers {
  /** The breaker of a target, or undefined when its strategy has none. `scope` keeps tenants with equal configs apart. */
  of(plan: Plan, leaf: Leaf, scope?: string): Breaker | undefined;
  /** How many are in which state. */
  counts(): Readonly<Record<'closed' | 'open' | 'halfOpen', number>>;
}

/**
 * Keeps the state of breakers by config and target path, so that a plan compiled anew finds its breakers again. Of more
 * than `maxConfigs` configs the one unused for longest is forgotten, and starts closed.
 */
export function createBreakers(now: () => number, maxConfigs = 1000): Breakers {
  const configs = new Map<string, Map<string, Breaker>>();
  return {
    of(plan, leaf, scope = '') {
      if (leaf.breaker === undefined) return undefined;
      const key = `${plan.id} ${scope}`;
      const targets = configs.get(key) ?? new Map<string, Breaker>();
      configs.delete(key);
      configs.set(key, targets);
      for (const oldest of configs.keys()) {
        if (configs.size <= maxConfigs) break;
        configs.delete(oldest);
      }
      const breaker = targets.get(leaf.path) ?? new Breaker(leaf.breaker, now);
      targets.set(leaf.path, breaker);
      return breaker;
    },
    counts() {
      const counts = { closed: 0, open: 0, halfOpen: 0 };
      for (const targets of configs.values()) for (const { state } of targets.values()) counts[state] += 1;
      return counts;
    },
  };
}
