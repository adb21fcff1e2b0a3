import type { JsonObject } from 'portcullis/sdk';

/** The members that tell of a config's content. Clients parse `config`, so it is text. */
export function shownConfig(config: string, versionId: string): JsonObject {
  return { config, format: 'json', type: 'ORG_CONFIG', version_id: versionId };
}
