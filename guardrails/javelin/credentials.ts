import { type Static, schema, secret, setting } from 'portcullis/sdk';

export const credentials = schema.Object(
  {
    apiKey: secret({ description: 'The API key of Javelin.' }),
    application: setting({
      description: 'The application whose policy says which guardrails run.',
      pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$',
    }),
    domain: schema.Optional(
      setting({ description: 'The host of your Javelin, such as api.example.com; default api-dev.javelin.live.' }),
    ),
  },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
