import { type Static, schema, secret, setting } from 'portcullis/sdk';

export const credentials = schema.Object(
  {
    apiKey: secret({ description: 'The API key of Akto.' }),
    apiDomain: setting({ description: 'The host of your guardrails service, such as 1000000-guardrails.akto.io.' }),
  },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
