import type { Hooks, Host, MaybePromise, Reservation, Reserved, TargetContext, Usage } from 'portcullis/sdk';
import type { Meter } from '../limit/meter.ts';
import { actualAmount } from './actual.ts';
import { metersFor, type Places } from './collect.ts';
import { estimatedUsage, proxiedUsage } from './estimate.ts';
import { costEstimator, type Unpriced } from './prices.ts';
import { addRateHeaders, noteStanding, type RateStandings } from './rate-headers.ts';
import { refusalOf } from './refusal.ts';
import { spends } from './spends.ts';
import { spentMarks } from './spent-marks.ts';
import { missingRoom, type Stake, supersede } from './stakes.ts';

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
    const all = metersFor(target, places);
    const meters = spends(target.request) ? all : all.filter(({ measure }) => measure === 'requests');
    if (meters.length === 0) return undefined;
    const amounts = amountsOf(target, meters);
    return amounts instanceof Promise
      ? amounts.then((known) => reserve(target, meters, known))
      : reserve(target, meters, amounts);
  };

  const usageOf = ({ request, body }: TargetContext): Usage =>
    request.endpoint === 'proxy'
      ? proxiedUsage(request, standardOutput)
      : estimatedUsage(request, body, standardOutput);

  const amountsOf = (target: TargetContext, meters: readonly Meter[]): MaybePromise<number[]> => {
    const amounts: number[] = [];
    let usage: Usage | undefined;
    let cost: MaybePromise<number> | undefined;
    let waiting: number[] | undefined;
    for (const meter of meters) {
      if (meter.measure === 'requests') {
        amounts.push(1);
        continue;
      }
      usage ??= usageOf(target);
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
    const stakes = stakesFor(target, meters, amounts);
    if (stakes.length === 0) return undefined;
    const claims = stakes.map(({ meter, reserved }) => meter.claim(now, reserved));
    const reserved = host.counters.reserve(organisationId, claims);
    return reserved instanceof Promise
      ? reserved.then((known) => settleInto(target, stakes, known, now))
      : settleInto(target, stakes, reserved, now);
  };

  const stakesFor = (
    { request, path }: TargetContext,
    meters: readonly Meter[],
    amounts: readonly number[],
  ): readonly Stake[] => {
    const { givenUp } = request;
    const held = states.get(request)?.held;
    const stakes: Stake[] = [];
    for (let index = 0; index < meters.length; index += 1) {
      const meter = meters[index] as Meter;
      const estimate = amounts[index] ?? 1;
      // What nobody can tell beforehand needs room all the same: where all is used up there is none.
      const room = Math.max(estimate, 1);
      const missing =
        held === undefined
          ? { reserved: room, targets: [path] }
          : missingRoom(held, meter, { room, estimate }, { path, givenUp });
      if (missing !== undefined) stakes.push({ ...missing, meter, estimate, target: path });
    }
    return stakes;
  };

  const settleInto = (target: TargetContext, stakes: readonly Stake[], reserved: Reserved, now: number): undefined => {
    const { request } = target;
    if (!reserved.granted) {
      const meter = stakes[reserved.index]?.meter;
      if (meter === undefined) throw new TypeError('the counters named a claim that was not made');
      refusals.add([meter.kind, meter.measure]);
      mark(request.principal.access?.organisationId ?? '', meter, reserved.state, now);
      throw refusalOf(meter, target, now);
    }
    const known = states.get(request);
    const state = known ?? { held: [], standings: { requests: undefined, tokens: undefined } };
    if (known !== undefined) supersede(known.held, stakes);
    state.held.push({ reservation: reserved.reservation, stakes });
    for (let index = 0; index < stakes.length; index += 1) {
      const { meter } = stakes[index] as Stake;
      const count = reserved.states[index];
      if (meter.kind === 'rate' && count !== undefined) noteStanding(state.standings, meter, count, now);
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
    again: (target) => {
      const held = states.get(target.request)?.held ?? [];
      const own = held.flatMap(({ stakes }) => stakes.filter((stake) => stake.target === target.path));
      const meters = own.map(({ meter }) => meter);
      return reserve(
        target,
        meters,
        own.map(({ estimate }) => estimate),
      );
    },
    afterRequest: ({ request }, outcome) => {
      const standings = states.get(request)?.standings;
      if (standings === undefined || outcome.status >= 400) return undefined;
      if (standings.requests === undefined && standings.tokens === undefined) return undefined;
      const headers = { ...outcome.headers };
      addRateHeaders(headers, standings, request.dialect, host.now());
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
