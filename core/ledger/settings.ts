/** What becomes of an answer whose client has left. */
export const onDisconnectChoices = ['count', 'drain'] as const;

export interface LedgerSettings {
  /** Whether streams are asked for their token counts where the client has not asked. */
  readonly askUsage: boolean;
  /** `count`: the provider's answer is given up, and what came of it is counted; `drain`: it is read to its end. */
  readonly onDisconnect: (typeof onDisconnectChoices)[number];
}

export const standardLedger: LedgerSettings = { askUsage: true, onDisconnect: 'count' };

/** Bounds of what is read for the sake of its counts alone. */
export const drainMs = 30_000;
export const drainBytes = 8 * 1024 * 1024;
/** Answers at a time; clients that leave when there are so many are treated as with `count`. */
export const mostDrains = 256;
