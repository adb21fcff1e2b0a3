import { type Static, schema, secret, setting } from 'portcullis/sdk';

export const credentials = schema.Object(
  {
    apiKey: secret({ description: 'The token of the collector.' }),
    baseUrl: setting({
      pattern: '^https?://',
      description: 'The base URL of your cloud, such as https://api.crowdstrike.com/aidr/aiguard.',
    }),
  },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
