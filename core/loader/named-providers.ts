import { asObject, asString, type Json, type JsonObject } from 'portcullis/sdk';
import type { GatewayConfig } from '../config/gateway-config.ts';
import type { ProviderEntry } from './providers.ts';
import type { Registry } from './registry.ts';

/**
 * The providers that the operator's file names: those that are saved, and those of its routing configs. To be imported at
 * start, so that their faults are told then and no request waits for them.
 */
export function namedProviders(
  { providers, configs }: Pick<GatewayConfig, 'providers' | 'configs'>,
  registry: Registry<ProviderEntry>,
): ReadonlySet<ProviderEntry> {
  const names = [...Object.values(providers).map(({ provider }) => provider), ...namesIn(configs)];
  // What bears no name is a saved provider's slug, or is refused where it is used.
  return new Set(names.flatMap((name) => registry.get(name) ?? []));
}

/** Of `provider: name` and of `model: @name/model`, wherever they stand. */
function namesIn(value: Json | Readonly<Record<string, JsonObject>>): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return Object.entries(asObject(value) ?? {}).flatMap(([key, child]) => {
    const text = asString(child);
    if (text === undefined) return namesIn(child);
    if (key === 'provider') return [text.replace(/^@/, '')];
    return key === 'model' && text.startsWith('@') ? [text.slice(1).split('/')[0] ?? ''] : [];
  });
}
