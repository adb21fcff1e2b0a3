import { type CountState, type Host, refusedName } from 'portcullis/sdk';
import type { Meter } from '../limit/meter.ts';
import { isSpent } from './refusal.ts';

/** Marks that this process remembers to have set. */
const mostKnown = 10_000;
/** People set budgets back, and the mark with them, which nobody tells this process: it is set again after so long. */
const knownMs = 30_000;

/**
 * Remembers, as a count of its own, that a budget refuses: with room set aside before each request, what is left is often too
 * little for the next one and never quite nothing. Status and alerts read it.
 */
export function spentMarks(host: Pick<Host, 'counters' | 'log'>) {
  const known = new Map<string, number>();
  return (organisationId: string, meter: Meter, state: CountState, now: number): void => {
    if (meter.kind !== 'budget' || !isSpent(meter, state)) return;
    const { start, end } = meter.period(now);
    const name = refusedName(meter.name, meter.most);
    const id = `${organisationId}/${start}/${name}`;
    const setAt = known.get(id);
    if (setAt !== undefined && now < setAt + knownMs) return;
    if (known.size >= mostKnown) known.clear();
    known.set(id, now);
    void mark(organisationId, { name, start, end }).catch((error: unknown) => {
      known.delete(id);
      host.log.warn('limit_mark_failed', { error: error instanceof Error ? error.message : 'not an error' });
    });
  };

  async function mark(
    organisationId: string,
    count: { readonly name: string; readonly start: number; readonly end: number | undefined },
  ): Promise<void> {
    const claim = { ...count, limit: Number.MAX_SAFE_INTEGER, amount: 1, durable: true };
    const reserved = await host.counters.reserve(organisationId, [claim]);
    if (reserved.granted) reserved.reservation.commit([1]);
  }
}
