import { type Static, schema, secret } from 'portcullis/sdk';

export const credentials = schema.Object(
  { apiKey: secret({ description: 'From the account page of Patronus AI.' }) },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
