import { plugin, schema } from 'portcullis/sdk';
import { bearerOf } from './carrier.ts';
import { identifier } from './identify.ts';
import { settingsFrom } from './settings.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  setup: (_, host) => {
    const settings = settingsFrom((name) => host.env(name));
    if (!settings.enabled) return { identify: () => undefined };
    const identify = identifier(host, settings);
    return {
      identify: (request) => {
        const bearer = bearerOf(request);
        return bearer === undefined ? undefined : identify(bearer);
      },
    };
  },
});
