import type { FeedbackRow, LogEntry, LogFilter, LogSinks, LogStore } from 'portcullis/sdk';
import { aggregateByHand, fits, isOn, type Kept, weightedMean } from '../../core/logs/by-hand.ts';

/** The smallest store that keeps the contract: every row in a list, every question answered by looking at all of them. */
export function memoryLogs(): LogStore & LogSinks {
  const entries: LogEntry[] = [];
  const given: FeedbackRow[] = [];
  const kept: Kept = {
    get rows() {
      return entries.map(({ row }) => row);
    },
    feedback: given,
  };
  const found = (filter: LogFilter) =>
    entries
      .filter(({ row }) => fits(row, filter, kept))
      .sort((a, b) => b.row.createdAt - a.row.createdAt || (a.row.id < b.row.id ? 1 : -1));
  return {
    write: (entry) => void entries.push(entry),
    feedback: (rows) => void given.push(...rows),
    find: async (organisationId, id) =>
      entries.find(({ row }) => row.organisationId === organisationId && row.id === id),
    list: async (filter, { limit, offset, bodies = false }) => {
      const all = found(filter);
      const page = all.slice(offset, offset + limit);
      return { total: all.length, entries: page.map((entry) => (bodies ? entry : { ...entry, bodies: undefined })) };
    },
    aggregate: async ({ measures, orderBy, limit, offset, ...asked }) => {
      const order = orderBy?.measure ?? 'requests';
      const groups = [...aggregateByHand({ ...asked, measures: [...measures, order] }, kept)];
      const sign = orderBy?.descending === false ? -1 : 1;
      groups.sort((a, b) => (Number(b.values[order]) - Number(a.values[order])) * sign);
      if (orderBy === undefined && asked.by[0] === 'bucket') {
        groups.sort((a, b) => Number(a.keys[0]) - Number(b.keys[0]));
      }
      const rows = groups.slice(offset, offset + limit).map(({ keys, values }) => ({
        keys,
        values: Object.fromEntries(measures.map((measure) => [measure, values[measure] ?? null])),
      }));
      return { total: groups.length, rows };
    },
    feedbackBy: async (filter, by, stepMs = 0) => {
      const groups = new Map<string, FeedbackRow[]>();
      for (const one of given) {
        if (one.createdAt < filter.from || one.createdAt >= filter.to) continue;
        const row = entries.find(
          ({ row: asked }) => isOn(one, asked) && fits({ ...asked, createdAt: filter.from }, filter, kept),
        )?.row;
        if (row === undefined) continue;
        const bucket = Math.floor(one.createdAt / stepMs) * stepMs;
        const key = JSON.stringify({ all: null, value: one.value, model: row.model, bucket }[by]);
        groups.set(key, [...(groups.get(key) ?? []), one]);
      }
      return [...groups].map(([key, group]) => ({
        key: JSON.parse(key) as string | number | null,
        total: group.length,
        weighted: weightedMean(group),
      }));
    },
    caughtUp: async () => {},
    updateFeedback: async ({ organisationId, workspaceId }, id, changes) => {
      const index = given.findIndex(
        (one) =>
          one.id === id &&
          one.organisationId === organisationId &&
          (workspaceId ?? one.workspaceId) === one.workspaceId,
      );
      const before = given[index];
      if (before === undefined) return false;
      given[index] = { ...before, ...changes };
      return true;
    },
    retention: { logDays: 90, metricDays: 365 },
    prune: async ({ logs }) => {
      const young = entries.filter(({ row }) => row.createdAt >= logs);
      const removed = entries.length - young.length;
      entries.splice(0, entries.length, ...young);
      return removed;
    },
  };
}
