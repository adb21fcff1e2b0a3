import { type Static, schema, secret } from 'portcullis/sdk';

export const credentials = schema.Object(
  { apiKey: secret({ description: 'An app token of Acuvity: it says where its Apex is.' }) },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
