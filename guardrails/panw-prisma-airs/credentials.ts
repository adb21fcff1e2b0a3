import { type Static, schema, secret } from 'portcullis/sdk';

export const credentials = schema.Object(
  { AIRS_API_KEY: secret({ description: 'The API key of Strata Cloud Manager, sent as x-pan-token.' }) },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
