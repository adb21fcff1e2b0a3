import { type Static, schema, secret } from 'portcullis/sdk';

/** Stored encrypted; in the sandbox the key is a handle that works in a header of a call and nowhere else. */
export const credentials = schema.Object(
  { apiKey: secret({ description: 'The API key of the service.' }) },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
