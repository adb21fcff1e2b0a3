import { type LedgerSettings, mostDrains, standardLedger } from './settings.ts';
import { TokenCounter } from './token-counter.ts';
import { Turns } from './turns.ts';

/** Each puts what was kept of its reply together, and reads it on the loop that serves. */
const mostEstimates = 8;

/** What the calls of one gateway share for their counts. */
export class Ledger {
  readonly settings: LedgerSettings;
  readonly counter = new TokenCounter();
  readonly estimates = new Turns(mostEstimates);
  #drains = 0;

  constructor(settings: LedgerSettings = standardLedger) {
    this.settings = settings;
  }

  /** A place among the answers that are read on without their clients. False: there is none left. */
  takeDrain(): boolean {
    if (this.#drains >= mostDrains) return false;
    this.#drains += 1;
    return true;
  }

  giveDrain(): void {
    this.#drains -= 1;
  }

  close(): Promise<void> {
    return this.counter.close();
  }
}
