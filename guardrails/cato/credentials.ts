import { type Static, schema, secret, setting } from 'portcullis/sdk';

export const credentials = schema.Object(
  {
    apiKey: secret({ description: 'The API key of the guard in Cato AI Security.' }),
    apiBase: schema.Optional(
      setting({ description: 'The API of your region; default https://api.aisec.catonetworks.com.' }),
    ),
  },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
