import { createHash } from 'node:crypto';
import type { TargetContext } from 'portcullis/sdk';
import type { Leaf } from '../routing/plan.ts';
import { forwarded } from '../upstream/headers.ts';
import type { ResolvedSettings } from '../upstream/settings.ts';
import { allowedModel } from './allowed-models.ts';
import type { Exchange } from './exchange.ts';
import type { ResolvedPlan } from './plans.ts';
import type { Runtime } from './runtime.ts';
import type { TargetProvider } from './target-provider.ts';

/** Settings are worked out once for each target that owes nothing to its request. */
const known = new WeakMap<ResolvedSettings, string>();

/** Where a target goes and as whom, as a SHA-256 digest: credentials are part of it, and cannot be read from it. */
export function identityOf(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
  provider: TargetProvider,
  target: TargetContext,
): string {
  const model = allowedModel(exchange, provider, target);
  const settings = runtime.settings.settingsOf(leaf, provider, plan, exchange, model);
  const digest = known.get(settings) ?? digestOf(settings);
  known.set(settings, digest);
  // What a client may send along can change the answer, and who gets it.
  const sent = sorted(forwarded(leaf.forwardHeaders, exchange.headers, runtime.config.server.headerVendors));
  const facts = JSON.stringify([provider.unit.name, provider.slug ?? '', digest, sent]);
  return createHash('sha256').update(facts).digest('hex');
}

function digestOf({ base, settings, headers = {} }: ResolvedSettings): string {
  const facts = JSON.stringify([base, sorted(settings), sorted(headers)]);
  return createHash('sha256').update(facts).digest('hex');
}

function sorted(fields: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
