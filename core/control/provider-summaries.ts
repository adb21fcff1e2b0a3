import { type ProviderSummary, snakeName } from 'portcullis/sdk';
import type { Units } from '../loader/load.ts';

/** What providers there are, as the control plane's plugins see them. */
export function providerSummaries({ providers }: Units): readonly ProviderSummary[] {
  return providers.units.map(({ manifest, definition }) => ({
    name: manifest.name,
    title: manifest.title,
    settings: Object.entries(definition.settings.properties).map(([name, schema]) => {
      const { description, 'x-secret': secret } = schema as { description?: string; 'x-secret'?: true };
      return {
        name: snakeName(name),
        secret: secret === true,
        ...(description === undefined ? {} : { description }),
      };
    }),
  }));
}
