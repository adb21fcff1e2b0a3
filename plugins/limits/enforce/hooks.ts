import type { Hooks, Host, MaybePromise, Reservation, Reserved, TargetContext } from 'portcullis/sdk';
import type { Meter } from '../limit/meter.ts';
import { actualAmount, type Stake } from './actual.ts';
import { metersFor, type Places } from './collect.ts';
import { estimatedUsage } from './estimate.ts';
import { costEstimator, type Unpriced } from './prices.ts';
import { noteStanding, type RateStandings, rateHeaders } from './rate-headers.ts';
import { refusalOf } from './refusal.ts';
import { spentMarks } from './spent-marks.ts';

export interface EnforcementSettings {
  readonly unpriced: Unpriced;
  /** Tokens that a request is expected to make the model write, where it does not bound them. */
  readonly standardOutput: number;
}

/** What a request has set aside, for as long as it runs. */
interface State {
  readonly held: { readonly reservation: Reservation; readonly stakes: readonly Stake[] }[];
  readonly standings: RateStandings;
}

/** Holds each target of each request against the limits of everybody whom it concerns. */
export function enforcement(host: Host, { unpriced, standardOutput }: EnforcementSettings): Hooks {
  const states = host.slot<State>();
  const costOf = costEstimator(host, unpriced);
  const mark = spentMarks(host);
  const refusals = host.metrics.counter('portcullis_limit_refusals_total', 'Requests that a limit refused.', [
    'kind',
    'measure',
  ]);

  const admit = (target: TargetContext, places: Places): MaybePromise<undefined> => {
    const meters = metersFor(target, places);
    if (meters.length === 0) return undefined;
    const state = states.get(target.request);
    const fresh = state === undefined ? meters : meters.filter((meter) => !keeps(state, meter, target.path));
    if (fresh.length === 0) return undefined;
    const amounts = amountsOf(target, fresh);
    return amounts instanceof Promise
      ? amounts.then((known) => reserve(target, fresh, known))
      : reserve(target, fresh, amounts);
  };

  const amountsOf = (target: TargetContext, meters: readonly Meter[]): MaybePromise<number[]> => {
    const amounts: number[] = [];
    let usage: ReturnType<typeof estimatedUsage> | undefined;
    let cost: MaybePromise<number> | undefined;
    let waiting: number[] | undefined;
    for (const meter of meters) {
      if (meter.measure === 'requests') {
        amounts.push(1);
        continue;
      }
      usage ??= estimatedUsage(target.request.endpoint, target.body, standardOutput);
      if (meter.measure === 'tokens') {
        amounts.push(usage.input + usage.output);
        continue;
      }
      cost ??= costOf(target, usage, meter);
      if (cost instanceof Promise) {
        waiting ??= [];
        waiting.push(amounts.length);
      }
      amounts.push(cost instanceof Promise ? 0 : cost);
    }
    if (!(cost instanceof Promise) || waiting === undefined) return amounts;
    const places = waiting;
    return cost.then((known) => {
      for (const index of places) amounts[index] = known;
      return amounts;
    });
  };

  const reserve = (target: TargetContext, meters: readonly Meter[], amounts: readonly number[]) => {
    const now = host.now();
    const organisationId = target.request.principal.access?.organisationId ?? '';
    const claims = meters.map((meter, index) => meter.claim(now, amounts[index] ?? 1));
    const reserved = host.counters.reserve(organisationId, claims);
    return reserved instanceof Promise
      ? reserved.then((known) => settleInto(target, meters, amounts, known, now))
      : settleInto(target, meters, amounts, reserved, now);
  };

  const settleInto = (
    target: TargetContext,
    meters: readonly Meter[],
    amounts: readonly number[],
    reserved: Reserved,
    now: number,
  ): undefined => {
    const { request, path } = target;
    if (!reserved.granted) {
      const meter = meters[reserved.index];
      if (meter === undefined) throw new TypeError('the counters named a claim that was not made');
      refusals.add([meter.kind, meter.measure]);
      mark(request.principal.access?.organisationId ?? '', meter, reserved.state, now);
      throw refusalOf(meter, target, now);
    }
    const known = states.get(request);
    const state = known ?? { held: [], standings: { requests: undefined, tokens: undefined } };
    const stakes = meters.map((meter, index) => ({ meter, estimate: amounts[index] ?? 1, target: path }));
    state.held.push({ reservation: reserved.reservation, stakes });
    for (const [index, count] of reserved.states.entries()) {
      const meter = meters[index];
      if (meter?.kind === 'rate') noteStanding(state.standings, meter, count, now);
    }
    if (known === undefined) states.set(request, state);
    return undefined;
  };

  return {
    beforeRequest: (target) => {
      const { principal, dry } = target.request;
      const { access } = principal;
      // Callers of the operator's file belong to no organisation, and nobody limits them; nobody pays for a question.
      if (access === undefined || dry === true) return undefined;
      const { organisationId, workspaceId = '' } = access;
      const workspace = host.directory('workspace', organisationId, workspaceId);
      const policies = host.directory('limitPolicies', organisationId);
      const provider =
        target.providerSlug === undefined
          ? undefined
          : host.directory('provider', organisationId, workspaceId, target.providerSlug);
      if (!(workspace instanceof Promise || policies instanceof Promise || provider instanceof Promise))
        return admit(target, { workspace, policies, provider });
      return Promise.all([workspace, policies, provider]).then(([first, second, third]) =>
        admit(target, { workspace: first, policies: second, provider: third }),
      );
    },
    afterRequest: ({ request }, outcome) => {
      const standings = states.get(request)?.standings;
      if (standings === undefined || outcome.status >= 400) return undefined;
      if (standings.requests === undefined && standings.tokens === undefined) return undefined;
      const headers = { ...outcome.headers, ...rateHeaders(standings, request.dialect, host.now()) };
      return { ...outcome, headers };
    },
    settle: (request, record) => {
      const state = states.get(request);
      if (state === undefined) return undefined;
      for (const { reservation, stakes } of state.held) {
        const amounts = stakes.map((stake) => actualAmount(stake, record));
        if (amounts.every((amount) => amount === 0)) reservation.release();
        else reservation.commit(amounts);
      }
      return undefined;
    },
    explain: (target) => explained(host, target),
  };
}

/** Whether the request holds room under the count already: then it is this target's too. */
function keeps({ held }: State, { name }: Meter, path: string): boolean {
  for (const { stakes } of held) {
    for (const stake of stakes) {
      if (stake.meter.name !== name) continue;
      stake.target = path;
      return true;
    }
  }
  return false;
}

async function explained(host: Host, target: TargetContext): Promise<readonly string[]> {
  const { access } = target.request.principal;
  if (access === undefined) return [];
  const { organisationId, workspaceId = '' } = access;
  const slug = target.providerSlug;
  const meters = metersFor(target, {
    workspace: await host.directory('workspace', organisationId, workspaceId),
    policies: await host.directory('limitPolicies', organisationId),
    provider: slug === undefined ? undefined : await host.directory('provider', organisationId, workspaceId, slug),
  });
  return meters.map(
    ({ kind, whose, terms }) => `${kind === 'rate' ? 'rate limit' : 'usage limit'} of ${whose}: ${terms}`,
  );
}
