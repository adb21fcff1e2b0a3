import type { GatewayError } from 'portcullis/sdk';
import { EndedByForce } from './ended-by-force.ts';

const maxStrikes = 5;
const pauseMs = 30_000;
const maxPrograms = 1000;

/** The death of a process that nobody had told to end: the keys of the programs that ran in it. The same object for all of its runs. */
export type Death = ReadonlySet<string>;

interface Count {
  strikes: number;
  /** Of these, the last that brought down the process. */
  deaths: number;
  /** The last that it was blamed for: all of its runs tell of it. */
  death: Death | undefined;
  /** When the next run may try again; undefined: always. */
  closedUntil: number | undefined;
}

/** Counts what a program does to the sandbox: after five runs in a row that had to be ended by force, it pauses for 30 s. */
export class Strikes {
  readonly #now: () => number;
  readonly #counts = new Map<string, Count>();
  /** Programs of which a run has ended by itself. */
  readonly #finished = new Set<string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many programs pause. */
  get paused(): number {
    return [...this.#counts.values()].filter(({ closedUntil }) => closedUntil !== undefined).length;
  }

  /** @throws GatewayError `check_failed` while the program pauses; after that, one run at a time may try */
  admit(key: string, name: string): void {
    const count = this.#counts.get(key);
    if (count?.closedUntil === undefined) return;
    const leftMs = count.closedUntil - this.#now();
    if (leftMs > 0) throw refusal(name, count, Math.ceil(leftMs / 1000));
    // The one that tries: those behind it wait for its end, or for another pause.
    count.closedUntil = this.#now() + pauseMs;
  }

  /** The run ended by itself, whatever it said. */
  forgive(key: string): void {
    this.#counts.delete(key);
    if (this.#finished.has(key)) return;
    this.#finished.add(key);
    dropOldest(this.#finished);
  }

  strike(key: string): void {
    const count = this.#countOf(key);
    count.deaths = 0;
    this.#add(count);
  }

  /**
   * A run was lost with its process. Where it is sure who is to blame, nobody else is struck: the one program that ran there,
   * or the one of which no run has ever ended by itself. Else it may be any of them.
   * @throws GatewayError `check_failed` when it was this one, again and again
   */
  lost(key: string, name: string, death: Death): void {
    const suspects = death.size === 1 ? [...death] : [...death].filter((each) => !this.#finished.has(each));
    const [culprit] = suspects.length === 1 ? suspects : [];
    if (culprit === undefined) this.strike(key);
    if (culprit !== key) return;
    const count = this.#countOf(key);
    if (count.death !== death) {
      count.deaths += 1;
      count.death = death;
      this.#add(count);
    }
    this.admit(key, name);
  }

  #countOf(key: string): Count {
    const count = this.#counts.get(key) ?? { strikes: 0, deaths: 0, death: undefined, closedUntil: undefined };
    this.#counts.delete(key);
    this.#counts.set(key, count);
    dropOldest(this.#counts);
    return count;
  }

  #add(count: Count): void {
    count.strikes += 1;
    if (count.strikes >= maxStrikes) count.closedUntil = this.#now() + pauseMs;
  }
}

/** Who brings down the process whenever it runs is told so: that another try may get past it is no help. */
function refusal(name: string, { strikes, deaths }: Count, seconds: number): GatewayError {
  const text = `${name} is not run for another ${seconds} s: `;
  if (deaths >= maxStrikes)
    return new EndedByForce('check_failed', `${text}it brought down the sandbox's process ${deaths} times in a row.`);
  const headers = { 'retry-after': String(seconds) };
  return new EndedByForce('check_failed', `${text}its last ${strikes} runs had to be ended by force.`, { headers });
}

function dropOldest(known: Set<string> | Map<string, Count>): void {
  for (const oldest of known.keys()) {
    if (known.size <= maxPrograms) return;
    known.delete(oldest);
  }
}
