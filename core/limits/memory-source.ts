import { type CounterSource, type CountKey, keyText, mostUsed } from './counter-source.ts';

interface Kept extends CountKey {
  readonly used: number;
  readonly changedAt: number;
}

/** For a process without a store: durable counts then last as long as the process. @param now epoch milliseconds */
export function memoryCounterSource(now: () => number): CounterSource {
  const kept = new Map<string, Kept>();
  const batches = new Map<string, number>();
  const used = (count: CountKey) => kept.get(keyText(count))?.used ?? 0;
  const put = ({ organisationId, name, start }: CountKey, amount: number) => {
    const key = keyText({ organisationId, name, start });
    const changedAt = Math.max(now(), kept.get(key)?.changedAt ?? 0);
    kept.set(key, { organisationId, name, start, used: Math.min(amount, mostUsed), changedAt });
  };
  return {
    load: async (counts) => counts.map(used),
    add: async ({ writer, number, deltas }) => {
      if ((batches.get(writer) ?? 0) >= number) return;
      batches.set(writer, number);
      for (const delta of deltas) put(delta, used(delta) + delta.amount);
    },
    set: async (count, amount) => put(count, amount),
    list: async (organisationId, prefix, start, limit, offset) => {
      const found = [...kept.values()]
        .filter((count) => count.organisationId === organisationId && count.name.startsWith(prefix))
        .filter((count) => start === undefined || count.start === start)
        .sort((one, other) => other.changedAt - one.changedAt);
      return { total: found.length, counts: found.slice(offset, offset + limit) };
    },
    changedSince: async (at, limit) =>
      [...kept.values()]
        .filter(({ changedAt }) => changedAt >= at)
        .sort((one, other) => one.changedAt - other.changedAt)
        .slice(0, limit),
  };
}
