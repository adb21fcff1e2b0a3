import { plugin, schema } from 'portcullis/sdk';
import { firstKey } from './bootstrap.ts';
import { keyIdentifier } from './identify.ts';
import { rotationJob } from './jobs.ts';
import { checkedPrefix } from './key-format.ts';
import { loadKey } from './loader.ts';
import { migrations } from './migrations.ts';
import { keyReactions } from './reactions.ts';
import { keyResource } from './resource.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  migrations,
  setup: (_, host) => ({ identify: keyIdentifier(host) }),
  control: (host) => {
    const maker = { prefix: checkedPrefix(host.env('API_KEY_PREFIX')), randomText: host.randomText };
    return {
      resources: [keyResource(maker, host)],
      reactions: keyReactions(maker),
      jobs: [rotationJob(host, maker)],
      loaders: { key: loadKey },
      bootstrap: (operation) => firstKey(operation, maker),
    };
  },
});
