import { passingFault } from './passing-fault.ts';

export interface TurnBounds {
  /** Runs under way at once. */
  readonly running: number;
  /** Of these, of one organisation. */
  readonly runningEach: number;
  /** Memory that the programs under way may take together, in all and those of one organisation. */
  readonly memoryMb: number;
  readonly memoryEachMb: number;
  /** Runs that wait, in all and of one organisation. */
  readonly waiting: number;
  readonly waitingEach: number;
}

/** Whose run it is: runs of the same program share its memory. */
export interface TurnOf {
  readonly organisation: string;
  /** Tells programs apart: never two organisations have the same. */
  readonly key: string;
  readonly memoryMb: number;
}

interface Waiting {
  readonly of: TurnOf;
  readonly start: () => void;
}

interface Line {
  running: number;
  memoryMb: number;
  readonly waiting: Waiting[];
}

/**
 * Turns of a bounded number, handed out to organisations one after the other: who asks for much waits behind its own runs,
 * not others behind it.
 */
export class Turns {
  readonly #bounds: TurnBounds;
  readonly #lines = new Map<string, Line>();
  /** Runs under way by program. */
  readonly #programs = new Map<string, number>();
  #running = 0;
  #memoryMb = 0;
  #waiting = 0;
  /** The next one in the round waits for memory: small programs do not pass it by for ever. */
  #saving = false;

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Resolves when it is this run's turn; give it back with `leave`. Undefined: it is at once.
   * @throws GatewayError `check_failed` when too many wait already
   */
  enter(of: TurnOf): Promise<void> | undefined {
    const line = this.#lines.get(of.organisation) ?? { running: 0, memoryMb: 0, waiting: [] };
    const { waiting, waitingEach } = this.#bounds;
    const passes = !this.#saving || this.#programs.has(of.key);
    if (line.waiting.length === 0 && passes && this.#mayBegin(line, of) && this.#hasRoom(of)) {
      this.#lines.set(of.organisation, line);
      this.#begin(line, of);
      return undefined;
    }
    if (this.#waiting >= waiting || line.waiting.length >= waitingEach)
      throw passingFault('The sandbox is busy: too many runs wait for their turn.');
    this.#lines.set(of.organisation, line);
    this.#waiting += 1;
    const turn = new Promise<void>((start) => line.waiting.push({ of, start }));
    this.#next();
    return turn;
  }

  leave({ organisation, key, memoryMb }: TurnOf): void {
    const line = this.#lines.get(organisation);
    if (line === undefined) return;
    line.running -= 1;
    this.#running -= 1;
    const left = (this.#programs.get(key) ?? 1) - 1;
    if (left > 0) this.#programs.set(key, left);
    else {
      this.#programs.delete(key);
      line.memoryMb -= memoryMb;
      this.#memoryMb -= memoryMb;
    }
    if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(organisation);
    this.#next();
  }

  /** Whether its organisation may have one more run. A program that is too large for any bound may run alone. */
  #mayBegin(line: Line, of: TurnOf): boolean {
    const { running, runningEach, memoryEachMb } = this.#bounds;
    if (this.#running >= running || line.running >= runningEach) return false;
    return line.memoryMb === 0 || line.memoryMb + this.#addedMb(of) <= memoryEachMb;
  }

  #hasRoom(of: TurnOf): boolean {
    return this.#memoryMb === 0 || this.#memoryMb + this.#addedMb(of) <= this.#bounds.memoryMb;
  }

  #addedMb({ key, memoryMb }: TurnOf): number {
    return this.#programs.has(key) ? 0 : memoryMb;
  }

  #begin(line: Line, of: TurnOf): void {
    const addedMb = this.#addedMb(of);
    line.running += 1;
    line.memoryMb += addedMb;
    this.#running += 1;
    this.#memoryMb += addedMb;
    this.#programs.set(of.key, (this.#programs.get(of.key) ?? 0) + 1);
  }

  /** All that can begin by what has become free. */
  #next(): void {
    while (this.#waiting > 0 && this.#beginOne());
  }

  /** Who has been served goes to the end of the round. */
  #beginOne(): boolean {
    this.#saving = false;
    for (const [organisation, line] of this.#lines) {
      const [first] = line.waiting;
      if (first === undefined || !this.#mayBegin(line, first.of)) continue;
      this.#saving = !this.#hasRoom(first.of);
      if (this.#saving) return false;
      line.waiting.shift();
      this.#lines.delete(organisation);
      this.#lines.set(organisation, line);
      this.#begin(line, first.of);
      this.#waiting -= 1;
      first.start();
      return true;
    }
    return false;
  }
}
