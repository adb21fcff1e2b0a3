import { GatewayError } from 'portcullis/sdk';

export interface JwtSettings {
  readonly enabled: boolean;
  /** Organisations whose tokens are taken; empty: any. */
  readonly organisations: readonly string[];
  /** Of tokens that name no scopes. */
  readonly defaultScopes: readonly string[];
}

const switches: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  '1': true,
  off: false,
  false: false,
  '0': false,
};

/** @throws GatewayError `invalid_config` when JWT_ENABLED is neither on nor off: who may call must not depend on a typing error */
export function settingsFrom(env: (name: string) => string | undefined): JwtSettings {
  const given = env('JWT_ENABLED')?.trim() || 'OFF';
  const enabled = switches[given.toLowerCase()];
  if (enabled === undefined) {
    throw new GatewayError('invalid_config', 'The environment variable JWT_ENABLED must be ON or OFF.', {
      param: 'JWT_ENABLED',
    });
  }
  return {
    enabled,
    organisations: words(env('ORGANISATIONS_TO_SYNC')),
    defaultScopes: words(env('JWT_LOCAL_AUTH_DEFAULT_SCOPES')),
  };
}

function words(text = ''): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}
