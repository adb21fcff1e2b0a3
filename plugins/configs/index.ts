import { plugin, schema } from 'portcullis/sdk';
import { loadConfig } from './loader.ts';
import { configs } from './resource.ts';
import { migrations } from './table.ts';
import { dropVersions } from './versions.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  setup: () => ({}),
  control: (host) => ({
    resources: [configs(host)],
    loaders: { config: loadConfig },
    reactions: { 'configs.removed': dropVersions },
  }),
});
