import { type Provider, type ProviderSummary, snakeName } from 'portcullis/sdk';
import type { Units } from '../loader/load.ts';
import { servedDefinition } from '../loader/providers.ts';

/** What providers there are, as the control plane's plugins see them. Reading the settings of one imports its code. */
export function providerSummaries({ providers }: Units): readonly ProviderSummary[] {
  return providers.units.map((entry) => ({
    name: entry.manifest.name,
    title: entry.manifest.title,
    get settings() {
      return settingsOf(servedDefinition(entry));
    },
  }));
}

function settingsOf({ settings }: Provider): ProviderSummary['settings'] {
  return Object.entries(settings.properties).map(([name, schema]) => {
    const { description, 'x-secret': secret } = schema as { description?: string; 'x-secret'?: true };
    return {
      name: snakeName(name),
      secret: secret === true,
      ...(description === undefined ? {} : { description }),
    };
  });
}
