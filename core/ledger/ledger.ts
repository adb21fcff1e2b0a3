import { type LedgerSettings, standardLedger } from './settings.ts';
import { TokenCounter } from './token-counter.ts';

/** What the calls of one gateway share for their counts. */
export class Ledger {
  readonly settings: LedgerSettings;
  readonly counter = new TokenCounter();

  constructor(settings: LedgerSettings = standardLedger) {
    this.settings = settings;
  }

  close(): Promise<void> {
    return this.counter.close();
  }
}
