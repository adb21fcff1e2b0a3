import { type Static, schema, secret, setting } from 'portcullis/sdk';

export const credentials = schema.Object(
  {
    apiKey: secret({ description: 'A service token that is valid for AI Guard or Redact.' }),
    domain: setting({
      pattern: '^([a-z0-9-]+\\.)+pangea\\.cloud$',
      description: 'Cloud and region of the Pangea project: aws.us.pangea.cloud.',
    }),
  },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
