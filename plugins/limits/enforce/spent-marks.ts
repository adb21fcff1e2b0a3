import { type CountState, type Host, refusedName } from 'portcullis/sdk';
import { isSpent } from '../limit/is-spent.ts';
import type { Meter } from '../limit/meter.ts';

/** Marks that this process remembers to have set. */
const mostKnown = 10_000;
/** For so long a mark is set only where it is gone; then once more, for alerts that may have been forgotten since. */
const knownMs = 30_000;

interface Known {
  setAt: number;
  underWay: boolean;
}

/**
 * Remembers, as a count of its own, that a budget refuses: with room set aside before each request, what is left is often too
 * little for the next one and never quite nothing. Status and alerts read it. People set budgets back, and the mark with them,
 * in whatever process.
 */
export function spentMarks(host: Pick<Host, 'counters' | 'log'>) {
  const marks = new Map<string, Known>();
  return (organisationId: string, meter: Meter, state: CountState, now: number): void => {
    if (meter.kind !== 'budget' || !isSpent(meter, state)) return;
    const { start, end } = meter.period(now);
    const name = refusedName(meter.name, meter.most);
    const id = `${organisationId}/${start}/${name}`;
    const known = marks.get(id) ?? { setAt: Number.NEGATIVE_INFINITY, underWay: false };
    if (known.underWay) return;
    if (marks.size >= mostKnown) marks.clear();
    marks.set(id, known);
    known.underWay = true;
    const isRecent = now < known.setAt + knownMs;
    void mark(organisationId, { name, start, end, limit: isRecent ? 1 : Number.MAX_SAFE_INTEGER })
      .then(
        () => {
          if (!isRecent) known.setAt = now;
        },
        (error: unknown) => {
          host.log.warn('limit_mark_failed', { error: error instanceof Error ? error.message : 'not an error' });
        },
      )
      .finally(() => {
        known.underWay = false;
      });
  };

  async function mark(
    organisationId: string,
    count: { readonly name: string; readonly start: number; readonly end: number | undefined; readonly limit: number },
  ): Promise<void> {
    const reserved = await host.counters.reserve(organisationId, [{ ...count, amount: 1, durable: true }]);
    if (reserved.granted) reserved.reservation.commit([1]);
  }
}
