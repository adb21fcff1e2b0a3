import { type Static, schema, secret, setting } from 'portcullis/sdk';

export const credentials = schema.Object(
  {
    zscalerApiKey: secret({ description: 'The application key for detection as a service of Zscaler AI Guard.' }),
    cloud: schema.Optional(
      setting({ description: 'The Zscaler cloud of the tenant; default us1.', pattern: '^[a-z0-9][a-z0-9-]{0,31}$' }),
    ),
  },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
