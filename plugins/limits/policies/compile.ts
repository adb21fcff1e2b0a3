import type { LimitPoliciesEntry, LimitPolicyEntry, RateLimits } from 'portcullis/sdk';
import type { Meter } from '../limit/meter.ts';
import { budgetMeter, rateMeter } from '../limit/meters.ts';
import { conditionOf } from './conditions.ts';
import type { Subject } from './dimensions.ts';
import { groupWordsReader, valueKeyReader } from './value-key.ts';

/** A policy, ready to be asked. */
export interface ReadyPolicy {
  /** The count of the group that a request belongs to; undefined: the policy is not about it. */
  meterOf(subject: Subject): Meter | undefined;
}

/** Groups of one policy whose meters are kept: a flood of new ones begins anew. */
const mostGroups = 5000;

const compiled = new WeakMap<LimitPoliciesEntry, ReadonlyMap<string, readonly ReadyPolicy[]>>();
const everywhere = '';
const none: readonly ReadyPolicy[] = [];

/** The policies that hold in a workspace, those of the organisation first. The entry stays the same object until one changes. */
export function policiesIn(entry: LimitPoliciesEntry, workspaceId: string): readonly ReadyPolicy[] {
  const known = compiled.get(entry);
  const places = known ?? byWorkspace(entry);
  if (known === undefined) compiled.set(entry, places);
  return places.get(workspaceId) ?? places.get(everywhere) ?? none;
}

function byWorkspace({ policies }: LimitPoliciesEntry): ReadonlyMap<string, readonly ReadyPolicy[]> {
  const shared = policies.filter(({ workspaceId }) => workspaceId === undefined).map(readyPolicy);
  const places = new Map<string, ReadyPolicy[]>([[everywhere, shared]]);
  for (const policy of policies) {
    const { workspaceId } = policy;
    if (workspaceId === undefined) continue;
    const there = places.get(workspaceId) ?? [...shared];
    there.push(readyPolicy(policy));
    places.set(workspaceId, there);
  }
  return places;
}

function readyPolicy({ id, kind, name, conditions, groupBy, limit }: LimitPolicyEntry): ReadyPolicy {
  const ready = conditions.map(conditionOf);
  const keyOf = valueKeyReader(groupBy);
  const wordsOf = groupWordsReader(groupBy);
  const owner = { owner: 'policy', id, whose: `the policy "${name ?? id}"` } as const;
  const meters = new Map<string, Meter>();
  return {
    meterOf: (subject) => {
      for (const condition of ready) if (!condition.fits(subject)) return undefined;
      const valueKey = keyOf(subject);
      const known = meters.get(valueKey);
      if (known !== undefined) return known;
      const group = { valueKey, words: wordsOf(subject) };
      const made = kind === 'rate' ? rateMeter(owner, limit as RateLimits, group) : budgetMeter(owner, limit, group);
      if (meters.size >= mostGroups) meters.clear();
      meters.set(valueKey, made);
      return made;
    },
  };
}
