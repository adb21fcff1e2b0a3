import { plugin, schema } from 'portcullis/sdk';
import { cacheHooks } from './cache-hooks.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  setup: (_, host) => cacheHooks(host),
});
