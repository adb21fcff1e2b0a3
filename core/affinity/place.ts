import { createHash } from 'node:crypto';
import type { Exchange } from '../pipeline/exchange.ts';
import type { ResolvedPlan } from '../pipeline/plans.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import type { TargetProvider } from '../pipeline/target-provider.ts';
import type { Leaf } from '../routing/plan.ts';
import type { ProviderUnit } from '../upstream/provider-unit.ts';
import type { ResolvedSettings } from '../upstream/settings.ts';

/** Settings are worked out once for each target that owes nothing to its request. */
const known = new WeakMap<ResolvedSettings, string>();

const halfDigits = 32;

/**
 * The account that a target calls: 32 hex digits of a digest of provider unit and host, 32 of its credentials. Unlike the
 * target's identity it owes nothing to the model, the slug of the saved provider, or what else comes along with a request:
 * a follow-up has none of these in common with the request that made its object.
 * @throws GatewayError when the settings are incomplete
 */
export function placeOf(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
  provider: TargetProvider,
): string {
  const settings = runtime.settings.settingsOf(leaf, provider, plan, exchange);
  const place = known.get(settings) ?? placeOfSettings(provider.unit, settings);
  known.set(settings, place);
  return place;
}

/** Whether two places are the same provider at the same host, whatever the credentials. */
export function sharesHost(one: string, other: string): boolean {
  return one.slice(0, halfDigits) === other.slice(0, halfDigits);
}

function placeOfSettings({ name, fields }: ProviderUnit, { base, settings, headers = {} }: ResolvedSettings): string {
  // What has a native header of its own is sent by some clients on some paths only, such as the names of beta features.
  const passing = new Set(fields.filter(({ header, secret }) => header !== undefined && !secret).map((f) => f.name));
  const lasting = Object.entries(settings).filter(([field]) => !passing.has(field));
  return half([name, base]) + half([sorted(lasting), sorted(Object.entries(headers))]);
}

function half(facts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, halfDigits);
}

function sorted(fields: readonly (readonly [string, unknown])[]): readonly (readonly [string, unknown])[] {
  return fields.toSorted(([a], [b]) => (a < b ? -1 : 1));
}
