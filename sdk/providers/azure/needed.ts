import type { Settings } from '../../contracts/provider.ts';
import { GatewayError } from '../../errors.ts';
import { asString } from '../../json.ts';
import { snakeName } from '../../schema.ts';

/** A setting that an auth mode needs. @throws GatewayError `missing_credentials` */
export function needed(settings: Settings, name: string, provider: string): string {
  const value = asString(settings[name]);
  if (value !== undefined) return value;
  const param = snakeName(name);
  throw new GatewayError('missing_credentials', `The provider ${provider} needs ${param} for this auth mode.`, {
    param,
  });
}
