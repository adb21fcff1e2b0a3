import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim, Reserved } from 'portcullis/sdk';
import { type CountersOptions, createCounters, type LiveCounters } from '../../../core/limits/counters.ts';
import { type LoggedEvent, recordingLog } from '../../support/recording-log.ts';
import { patientMs } from '../../support/redis.ts';

export const organisation = '0b9d7c1e-2f4a-4a53-8a3e-6f2d1c0b9a87';

const hourMs = 3_600_000;

/** A claim of one request against a window of this hour. */
export function claim(name: string, limit: number, amount = 1, rest: Partial<Claim> = {}): Claim {
  const start = Math.floor(Date.now() / hourMs) * hourMs;
  return { name, start, end: start + 2 * hourMs, limit, amount, durable: false, ...rest };
}

export function budget(name: string, limit: number, amount: number, rest: Partial<Claim> = {}): Claim {
  return claim(name, limit, amount, { start: 1_700_000_000_000, end: undefined, durable: true, ...rest });
}

export interface Bed {
  readonly counters: LiveCounters;
  readonly logged: readonly LoggedEvent[];
  /** States of the breaker, in the order in which they were logged. */
  breaker(): readonly unknown[];
}

/** Counters that end with the test. Their patience with Redis is great, unless the test says otherwise. */
export function openCounters(t: Pick<TestContext, 'after'>, { redis, ...options }: Partial<CountersOptions> = {}): Bed {
  const { log, logged } = recordingLog();
  const shared = redis === undefined ? {} : { redis: { commandTimeoutMs: patientMs, ...redis } };
  const counters = createCounters({ now: Date.now, log, ...options, ...shared });
  t.after(() => counters.close());
  return {
    counters,
    logged,
    breaker: () => logged.filter(({ event }) => event === 'limits_breaker').map(({ fields }) => fields.state),
  };
}

export type Granted = Reserved & { readonly granted: true };

/** @throws AssertionError unless there was room */
export async function granted(reserved: Reserved | Promise<Reserved>): Promise<Granted> {
  const answer = await reserved;
  assert.ok(answer.granted, 'there was no room');
  return answer;
}

/** What has been used, and what is reserved, of one count. */
export async function stateOf(counters: LiveCounters, { name, start, durable }: Claim): Promise<readonly number[]> {
  const [state] = await counters.read(organisation, [{ name, start, durable }]);
  return [state?.used ?? -1, state?.reserved ?? -1];
}

/** Polls, and fails when it takes unreasonably long. */
export async function until(what: string, probe: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await probe()); tries += 1) {
    assert.ok(tries < 3_000, `${what}: never came`);
    await sleep(10);
  }
}
