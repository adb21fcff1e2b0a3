import { type Static, schema, secret, setting } from 'portcullis/sdk';

export const credentials = schema.Object(
  {
    apiDomain: setting({
      pattern: '^[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?$',
      description: 'The host of your region or your own installation, such as eu.prompt.security.',
    }),
    apiKey: secret({ description: 'The application id of the Prompt Security portal, sent as APP-ID.' }),
  },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
