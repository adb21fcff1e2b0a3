import { plugin, schema } from 'portcullis/sdk';
import { grantsResource } from './grants/resource.ts';
import { integrations } from './integrations/resource.ts';
import { loaders } from './loaders.ts';
import { migrations } from './migrations.ts';
import { modelsResource } from './models/resource.ts';
import { providers } from './providers/resource.ts';
import { reactions } from './reactions.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  control: (host) => ({
    resources: [integrations(host), modelsResource, grantsResource, providers(host)],
    reactions,
    loaders: loaders(host),
  }),
  setup: () => ({}),
});
