import type { Meter } from '../limit/meter.ts';

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
 * What a target needs under a count beside what the request has set aside for those before it. Undefined: that is enough,
 * and is this target's now.
 */
export function missingRoom(
  held: Held,
  { name }: Meter,
  { room, estimate }: { readonly room: number; readonly estimate: number },
  path: string,
): Pick<Stake, 'reserved' | 'targets'> | undefined {
  const targets: string[] = [];
  let reserved = 0;
  let last: Stake | undefined;
  for (const { stakes } of held) {
    for (const stake of stakes) {
      if (stake.meter.name !== name) continue;
      reserved += stake.reserved;
      stake.target = undefined;
      targets.push(...stake.targets);
      last = stake;
    }
  }
  targets.push(path);
  if (room > reserved) return { reserved: room - reserved, targets };
  if (last === undefined) return undefined;
  last.estimate = estimate;
  last.target = path;
  last.targets = targets;
  return undefined;
}
