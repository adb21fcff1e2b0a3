import { plugin, schema } from 'portcullis/sdk';
import { deployments } from './resource.ts';
import { migrations } from './table.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  setup: () => ({}),
  control: (host) => ({ resources: [deployments(host)] }),
});
