import { asString, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.scenario.com/docs/authentication. Work is a job: `generate/custom/{model}`, `jobs/{id}`, `assets/{id}`.
 * The key travels with its secret, as Basic authentication (RFC 7617).
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'SCENARIO_API_KEY', description: 'The key; or key and secret with a colon between.' }),
    scenarioApiSecret: schema.Optional(secret({ env: 'SCENARIO_API_SECRET' })),
  }),
  base: 'https://api.cloud.scenario.com/v1',
  auth: {
    kind: 'signed',
    headers: (_request, { apiKey, scenarioApiSecret }) => {
      const pair = [asString(apiKey), asString(scenarioApiSecret)].filter((part) => part !== undefined).join(':');
      return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    },
  },
  endpoints: { proxy: { path: '' } },
});
