import { type Static, schema, secret, setting } from 'portcullis/sdk';

export const credentials = schema.Object(
  {
    apiKey: secret({ description: 'The API key of Portkey.' }),
    baseURL: schema.Optional(
      setting({
        description: 'Where the hosted checks are; default https://api.portkey.ai/v1/execute-guardrails.',
      }),
    ),
  },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
