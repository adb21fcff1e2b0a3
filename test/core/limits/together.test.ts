import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from 'portcullis/sdk';
import type { CountersOptions } from '../../../core/limits/counters.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { budget, claim, openCounters, organisation, stateOf } from './bed.ts';

let redis: RedisServer;
before(async () => {
  redis = await startRedis();
});
after(() => redis.close());

const backends: readonly [string, () => Partial<CountersOptions>][] = [
  ['in memory', () => ({})],
  ['in Redis', () => ({ redis: { url: redis.url, whenAway: 'closed' } })],
];
const clients = 200;
const callsOfClient = 5;

/** A window of each length that limits come in, with a limit that so many clients would go far beyond. */
const windows: readonly (readonly [string, number, (name: string) => Claim])[] = [
  ...(
    [
      ['second', 60_000],
      ['minute', 60_000],
      ['hour', 3_600_000],
      ['day', 86_400_000],
      ['week', 604_800_000],
    ] as const
  ).map(([unit, ms]) => {
    const start = Math.floor(Date.now() / ms) * ms;
    return [unit, 37, (name: string) => claim(name, 37 * 3, 3, { start, end: start + 2 * ms })] as const;
  }),
  ['budget', 41, (name: string) => budget(name, 41 * 1_000_000, 1_000_000)],
];

for (const [where, options] of backends) {
  describe(`${clients} clients at once, with counts ${where}`, () => {
    for (const [unit, most, windowOf] of windows) {
      it(`use up the limit of a ${unit} to the last request, and never go beyond it`, async (t) => {
        const { counters } = openCounters(t, options());
        const window = windowOf(`rate/${where}/${unit}`);
        const wide = claim(`${window.name}/wide`, 1_000_000);
        let [admitted, inFlight, mostInFlight] = [0, 0, 0];
        const client = async (number: number) => {
          for (let call = 0; call < callsOfClient; call += 1) {
            const reserved = await counters.reserve(organisation, [wide, window]);
            if (!reserved.granted) {
              assert.equal(reserved.index, 1);
              continue;
            }
            inFlight += 1;
            mostInFlight = Math.max(mostInFlight, inFlight);
            await sleep(number % 4);
            inFlight -= 1;
            // Every fifth fails upstream, and leaves its room to others.
            if ((number + call) % 5 === 0) {
              reserved.reservation.release();
            } else {
              admitted += 1;
              reserved.reservation.commit([1, window.amount]);
            }
          }
        };
        await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
        let last = await counters.reserve(organisation, [wide, window]);
        while (last.granted) {
          last.reservation.commit([1, window.amount]);
          admitted += 1;
          last = await counters.reserve(organisation, [wide, window]);
        }
        assert.equal(admitted, most);
        assert.ok(mostInFlight <= most);
        assert.deepEqual(await stateOf(counters, window), [most * window.amount, 0]);
        assert.deepEqual(await stateOf(counters, wide), [most, 0]);
      });
    }
  });
}
