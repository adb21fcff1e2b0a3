import { asNumber, type CheckHost, callJson, check, GatewayError, schema } from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

/** Asks a service. Where it may call stands in plugin.json: permissions.net. */
export const score = check({
  title: 'Score',
  description: 'Fails texts that the service scores above a threshold.',
  config: schema.Object(
    {
      threshold: schema.Number({ minimum: 0, maximum: 1, default: 0.5, description: 'The highest score that passes.' }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  remote: { timeoutMs: 5000 },
  run: async ({ text }, { threshold }, host: CheckHost<Credentials>) => {
    const reply = await callJson(host, {
      vendor: 'The service',
      url: 'https://api.example.com/v1/score',
      headers: { authorization: `Bearer ${host.credentials.apiKey}` },
      body: { text },
    });
    const given = asNumber(reply.score);
    // What cannot be decided is thrown, never passed.
    if (given === undefined) throw new GatewayError('check_failed', 'The service answered without a score.');
    return { pass: given <= threshold, why: `The score is ${given}; allowed ${threshold}.`, data: { score: given } };
  },
});
