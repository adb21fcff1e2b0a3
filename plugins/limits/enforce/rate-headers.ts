import type { CountState, DialectName } from 'portcullis/sdk';
import type { Meter } from '../limit/meter.ts';

/** The tightest rate limit of one measure, as it stands after a request was let in. */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch milliseconds. */
  readonly resetsAt: number;
}

/** By what is limited; both may be undefined. */
export interface RateStandings {
  requests: Standing | undefined;
  tokens: Standing | undefined;
}

/** Keeps the limit that leaves the least. */
export function noteStanding(standings: RateStandings, meter: Meter, state: CountState, now: number): void {
  const { measure, most } = meter;
  if (meter.kind !== 'rate' || measure === 'cost') return;
  const remaining = Math.max(0, most - state.used - state.reserved);
  const known = standings[measure];
  if (known !== undefined && known.remaining <= remaining) return;
  standings[measure] = { limit: most, remaining, resetsAt: meter.period(now).end ?? now };
}

/** Under the names that clients of the request's format read. */
export function addRateHeaders(
  headers: Record<string, string | readonly string[]>,
  standings: RateStandings,
  dialect: DialectName | undefined,
  now: number,
): void {
  for (const measure of measures) {
    const standing = standings[measure];
    if (standing === undefined) continue;
    const { limit, remaining, resetsAt } = standing;
    const own = names[measure];
    if (dialect === 'messages') {
      headers[own.messages.limit] = String(limit);
      headers[own.messages.remaining] = String(remaining);
      headers[own.messages.reset] = new Date(resetsAt).toISOString().replace('.000Z', 'Z');
    } else {
      headers[own.chat.limit] = String(limit);
      headers[own.chat.remaining] = String(remaining);
      headers[own.chat.reset] = duration(resetsAt - now);
    }
  }
}

const measures = ['requests', 'tokens'] as const;

const namesOf = (measure: string) => ({
  messages: {
    limit: `anthropic-ratelimit-${measure}-limit`,
    remaining: `anthropic-ratelimit-${measure}-remaining`,
    reset: `anthropic-ratelimit-${measure}-reset`,
  },
  chat: {
    limit: `x-ratelimit-limit-${measure}`,
    remaining: `x-ratelimit-remaining-${measure}`,
    reset: `x-ratelimit-reset-${measure}`,
  },
});
const names = { requests: namesOf('requests'), tokens: namesOf('tokens') };

/** `250ms`, `37s`, `6m0s`, `1h2m3s`: as clients of the chat format know it. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.ceil(ms))}ms`;
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  if (hours > 0) return `${hours}h${minutes}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}
