import { GatewayError, snakeName } from 'portcullis/sdk';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { nearest } from '../config/nearest.ts';
import type { ProviderEntry } from './providers.ts';
import type { Registry } from './registry.ts';

/**
 * Checks what the operator's file saves against the providers that are there: a setting that no provider reads would
 * silently do nothing.
 * @throws GatewayError `invalid_config`, a line for each fault
 */
export function checkSavedProviders(saved: GatewayConfig['providers'], registry: Registry<ProviderEntry>): void {
  const faults = Object.entries(saved).flatMap(([slug, { provider, settings }]) => {
    const at = `providers.${slug}`;
    const entry = registry.get(provider);
    if (entry === undefined) return [{ param: `${at}.provider`, why: registry.unknown(provider).message }];
    const known = Object.keys(entry.settings).map(snakeName);
    return Object.keys(settings).flatMap((name) => {
      if (known.includes(name)) return [];
      const close = nearest(name, known);
      const hint = close === undefined ? ` Its settings: ${known.join(', ') || 'none'}.` : ` Did you mean ${close}?`;
      return [{ param: `${at}.${name}`, why: `the provider ${provider} has no setting of this name.${hint}` }];
    });
  });
  const [first] = faults;
  if (first === undefined) return;
  throw new GatewayError('invalid_config', faults.map(({ param, why }) => `${param}: ${why}`).join('\n'), {
    param: first.param,
  });
}
