import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CountState } from 'portcullis/sdk';
import type { World } from '../plugins/limits/world.ts';
import type { Reply } from '../support/gateway.ts';

export const clients = 200;

/** The same request from all clients at once. */
export function together<T>(ask: (client: number) => Promise<T>, count = clients): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, (_, client) => ask(client)));
}

/** How many replies have each status. */
export function statuses(replies: readonly Pick<Reply, 'status'>[]): Readonly<Record<number, number>> {
  const counted: Record<number, number> = {};
  for (const { status } of replies) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
}

export interface Counted {
  readonly name: string;
  readonly start: number;
  readonly durable: boolean;
}

type Counting = Pick<World, 'control'>;

export function countersOf({ control }: Counting) {
  const counters = control.gateway.control?.counters;
  assert.ok(counters !== undefined, 'the gateway counts');
  return counters;
}

export async function stateOf(world: Counting, count: Counted): Promise<CountState> {
  const [state] = await countersOf(world).read(world.control.organisationId, [count]);
  assert.ok(state !== undefined);
  return state;
}

/** Waits until nothing is set aside any more: replies are sent before what they have used is known. */
export async function settledState(world: Counting, count: Counted): Promise<number> {
  let state = await stateOf(world, count);
  for (let tries = 0; state.reserved !== 0; tries += 1) {
    assert.ok(tries < 500, `still set aside: ${JSON.stringify(state)}`);
    await sleep(20);
    state = await stateOf(world, count);
  }
  return state.used;
}

/** Waits until the count is that, and nothing is set aside. */
export async function untilUsed(world: Counting, count: Counted, used: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const state = await stateOf(world, count);
    if (state.used === used && state.reserved === 0) return;
    assert.ok(tries < 500, `${used} should be used: ${JSON.stringify(state)}`);
    await sleep(20);
  }
}
