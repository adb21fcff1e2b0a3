import { type Static, schema, secret, setting } from 'portcullis/sdk';

export const credentials = schema.Object(
  {
    apiKey: secret({ description: 'The API key of Lakera Guard.' }),
    apiBase: schema.Optional(
      setting({ description: 'The API of your region or of your own deployment; default https://api.lakera.ai.' }),
    ),
  },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
