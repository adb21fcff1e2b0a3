import { type Static, schema, secret } from 'portcullis/sdk';

export const credentials = schema.Object(
  { apiKey: secret({ description: 'The API key of the Lasso dashboard.' }) },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
