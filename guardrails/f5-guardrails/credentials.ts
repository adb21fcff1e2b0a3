import { type Static, schema, secret, setting } from 'portcullis/sdk';

export const credentials = schema.Object(
  {
    apiKey: secret({ description: 'A token of the project, or a global one.' }),
    calypsoUrl: schema.Optional(
      setting({
        pattern: '^https?://',
        description: 'The base URL of your tenant. Default: https://us1.calypsoai.app',
      }),
    ),
  },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
