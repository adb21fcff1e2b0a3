import { type Static, schema, secret } from 'portcullis/sdk';

export const credentials = schema.Object(
  { apiKey: secret({ description: "A key of Mistral's platform." }) },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
