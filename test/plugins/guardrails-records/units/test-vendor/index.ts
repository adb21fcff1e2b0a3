import { check, guardrail, type JsonObject, schema, secret, setting } from 'portcullis/sdk';

/** Says with what credentials it was run. */
export default guardrail({
  credentials: schema.Object(
    { apiKey: secret(), region: schema.Optional(setting({ pattern: '^[a-z]{2}$' })) },
    { additionalProperties: false },
  ),
  checks: {
    scan: check({
      title: 'Tells its credentials',
      config: schema.Object({ level: schema.Optional(schema.Integer()) }, { additionalProperties: false }),
      phases: ['beforeRequest'],
      run: (_, __, { credentials }) => ({ pass: true, data: credentials as JsonObject }),
    }),
  },
});
