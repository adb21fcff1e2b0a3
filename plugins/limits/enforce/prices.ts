import {
  asString,
  type Cost,
  type Endpoint,
  type Host,
  type JsonObject,
  type MaybePromise,
  type TargetContext,
  type Usage,
} from 'portcullis/sdk';
import type { Meter } from '../limit/meter.ts';
import { whole } from './actual.ts';
import { unpricedRefusal } from './refusal.ts';

export type Unpriced = 'allow' | 'deny';

/** Models without a price that have been told of in the log; the metric counts them all. */
const mostTold = 1000;

/** What providers do later, or on what they keep: nobody reads what comes of it, so its cost is unknown, whatever model is named. */
const unread: ReadonlySet<Endpoint> = new Set([
  'createBatch',
  'createFinetune',
  'uploadFile',
  'threads',
  'vectorStores',
  'conversations',
]);

/**
 * What a request may cost, in billionths of a US dollar, for the count that asks.
 * @throws GatewayError `budget_exhausted` where no price is known and that is not allowed
 */
export function costEstimator(host: Pick<Host, 'price' | 'log' | 'metrics' | 'now'>, unpriced: Unpriced) {
  const count = host.metrics.counter(
    'portcullis_limits_unpriced_total',
    'Requests under a cost limit whose model has no known price.',
    // No model: a name that does not exist would take its place among them.
    ['provider'],
  );
  const told = new Set<string>();
  const costOf = (cost: Cost | undefined, meter: Meter, target: TargetContext): number => {
    if (cost !== undefined) return whole(cost.nanoUsd);
    const model = unread.has(target.request.endpoint) ? '' : (asString(target.body.model) ?? '');
    count.add([target.provider]);
    if (unpriced === 'deny') throw unpricedRefusal(meter, target, model);
    const name = `${target.provider}/${model.slice(0, 100)}`;
    if (!told.has(name)) {
      if (told.size >= mostTold) told.clear();
      told.add(name);
      host.log.warn('unpriced_requests', { provider: target.provider, model: model.slice(0, 100) });
    }
    return 0;
  };
  return (target: TargetContext, usage: Usage, meter: Meter): MaybePromise<number> => {
    const { request, provider, providerSlug } = target;
    if (unread.has(request.endpoint)) return costOf(undefined, meter, target);
    const { organisationId, workspaceId } = request.principal.access ?? {};
    const model = asString(target.body.model) ?? '';
    const slash = model.startsWith('@') ? model.indexOf('/') : -1;
    const cost = host.price({
      provider,
      model: slash === -1 ? model : model.slice(slash + 1),
      usage,
      at: host.now(),
      endpoint: request.endpoint,
      tier: tierAsked(target.body),
      region: asString(target.body.inference_geo) ?? target.region?.(),
      organisationId,
      workspaceId,
      providerSlug,
    });
    return cost instanceof Promise ? cost.then((known) => costOf(known, meter, target)) : costOf(cost, meter, target);
  };
}

/** The tier that a request asks for, in whichever of the formats. A faster mode has prices of its own. */
function tierAsked({ speed, service_tier: tier, serviceTier }: JsonObject): string | undefined {
  return speed === 'fast' ? 'fast' : (asString(tier) ?? asString(serviceTier));
}
