import type { Cost, MaybePromise, Outcome } from 'portcullis/sdk';
import type { CountedUsage } from '../ledger/finish-usage.ts';
import type { Exchange } from './exchange.ts';
import type { Runtime } from './runtime.ts';

const free: Cost = Object.freeze({ nanoUsd: 0, parts: Object.freeze({}), source: 'none' });

/** What a reply has cost. Undefined: there is usage, or a reply that must have cost something, and no price is known for it. */
export function costOf(
  runtime: Runtime,
  exchange: Exchange,
  outcome: Outcome,
  { usage }: CountedUsage,
  providerSlug: string | undefined,
): MaybePromise<Cost | undefined> {
  const { provider, model, cache } = outcome;
  if (cache === 'HIT' || cache === 'SEMANTIC HIT' || provider === undefined) return free;
  if (usage === undefined) return outcome.status >= 400 ? free : undefined;
  if (model === undefined) return undefined;
  const { access } = exchange.principal;
  return runtime.pipeline.price({
    provider,
    model,
    usage,
    at: exchange.startedAt,
    endpoint: exchange.endpoint,
    tier: outcome.tier?.(),
    region: outcome.region?.(),
    organisationId: access?.organisationId,
    workspaceId: access?.workspaceId,
    providerSlug,
  });
}
