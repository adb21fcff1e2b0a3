import { type EndpointSpec, type Provider, provider, schema, secret, setting } from 'portcullis/sdk';
import { compileProvider, type ProviderUnit } from '../../../core/upstream/provider-unit.ts';

/** A provider for tests: `alpha` at https://alpha.example/v1 with a Bearer key, unless the definition says otherwise. */
export function unitOf(definition: Partial<Provider> = {}): ProviderUnit {
  const declared = provider({
    settings: schema.Object({
      apiKey: secret({ env: 'ALPHA_KEY' }),
      region: schema.Optional(setting({ pattern: '^[a-z0-9.-]+$', env: 'ALPHA_REGION' })),
      organization: schema.Optional(setting({ header: 'alpha-organization' })),
    }),
    base: 'https://alpha.example/v1',
    auth: { kind: 'bearer', from: 'apiKey' },
    endpoints: { chatComplete: { path: '/chat/completions', dialect: 'chat' } },
    ...definition,
  });
  return compileProvider(
    { name: 'alpha', kind: 'provider', version: '1.0.0', sdk: '^1.0.0', title: 'Alpha' },
    declared,
  );
}

export const chatAt = (spec: Partial<EndpointSpec> = {}): EndpointSpec => ({
  path: '/chat/completions',
  dialect: 'chat',
  ...spec,
});
