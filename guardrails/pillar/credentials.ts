import { type Static, schema, secret } from 'portcullis/sdk';

export const credentials = schema.Object(
  { apiKey: secret({ description: 'From the Pillar dashboard.' }) },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
