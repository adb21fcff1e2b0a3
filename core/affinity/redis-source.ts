import { asArray, parseJson, type SharedRedis } from 'portcullis/sdk';
import type { AffinityRow } from './rows.ts';
import { type AffinityChanges, type AffinitySource, parts } from './source.ts';
import { rowBody, rowOf } from './wire.ts';

/** Of all commands that may wait at a time, others need some too. */
const askedAtOnce = 64;

/** Rows in the operator's Redis: one value for each id, with the rows of every scope. @param now epoch milliseconds */
export function redisAffinitySource(redis: SharedRedis, now: () => number): AffinitySource {
  const rowsOf = async (idHash: string): Promise<readonly AffinityRow[]> => {
    const value = await redis.get(idHash);
    if (value === undefined) return [];
    const seconds = now() / 1000;
    return asArray(parseJson(Buffer.from(value).toString('utf8')))
      .map(rowOf)
      .filter(({ expiresAt }) => expiresAt > seconds);
  };
  return {
    find: async (idHashes) => {
      const found: AffinityRow[] = [];
      for (const part of parts(idHashes, askedAtOnce)) found.push(...(await Promise.all(part.map(rowsOf))).flat());
      return found;
    },
    write: async (changes) => {
      const touched = new Set([...changes.rows, ...changes.forgotten].map(({ idHash }) => idHash));
      for (const idHash of touched) {
        const rows = changed(idHash, await rowsOf(idHash), changes);
        if (rows.length === 0) {
          await redis.delete(idHash);
          continue;
        }
        const last = Math.max(...rows.map(({ expiresAt }) => expiresAt));
        const text = JSON.stringify(rows.map(rowBody));
        if (!(await redis.set(idHash, Buffer.from(text), last * 1000 - now()))) throw new Error('Redis is away.');
      }
    },
  };
}

function changed(idHash: string, known: readonly AffinityRow[], { rows, forgotten }: AffinityChanges) {
  const fresh = rows.filter((row) => row.idHash === idHash);
  const replaced = new Set([...fresh, ...forgotten.filter((key) => key.idHash === idHash)].map(({ scope }) => scope));
  return [...known.filter(({ scope }) => !replaced.has(scope)), ...fresh];
}
