import type { GivenUpReply } from 'portcullis/sdk';
import type { Meter } from '../limit/meter.ts';
import { amountIn } from './actual.ts';

/** What was set aside under one count, and for which target. */
export interface Stake {
  readonly meter: Meter;
  /** What is held for it. */
  readonly reserved: number;
  /** What the target was expected to come to. */
  estimate: number;
  /** JSON path of the last target that it was needed for; undefined: a later one has a stake of its own. */
  target: string | undefined;
  /** JSON paths of all targets that it was needed for. */
  targets: readonly string[];
}

/** What a request has set aside, one group for each target that needed more. */
export type Held = readonly { readonly stakes: readonly Stake[] }[];

/**
 * What a target needs under a count beside what the request has set aside: that is also spent on replies that were given
 * up since. Undefined: it is enough, and is this target's now.
 */
export function missingRoom(
  held: Held,
  { name, measure }: Meter,
  { room, estimate }: { readonly room: number; readonly estimate: number },
  { path, givenUp = [] }: { readonly path: string; readonly givenUp: readonly GivenUpReply[] | undefined },
): Pick<Stake, 'reserved' | 'targets'> | undefined {
  const targets: string[] = [];
  let reserved = 0;
  let last: Stake | undefined;
  for (const stake of stakesUnder(held, name)) {
    reserved += stake.reserved;
    targets.push(...stake.targets);
    last = stake;
  }
  let needed = room;
  for (const one of measure === 'requests' ? [] : givenUp) {
    if (targets.includes(one.target)) needed += amountIn(one, measure) ?? last?.estimate ?? 0;
  }
  if (!targets.includes(path)) targets.push(path);
  if (needed > reserved) return { reserved: needed - reserved, targets };
  if (last === undefined) return undefined;
  last.estimate = estimate;
  last.target = path;
  last.targets = targets;
  return undefined;
}

/** Leaves what comes of the request under the counts of new stakes to these. */
export function supersede(held: Held, stakes: readonly Stake[]): void {
  for (const { meter } of stakes) for (const older of stakesUnder(held, meter.name)) older.target = undefined;
}

function* stakesUnder(held: Held, name: string): Generator<Stake> {
  for (const { stakes } of held) for (const stake of stakes) if (stake.meter.name === name) yield stake;
}
