import { asBoolean, asObject, type CheckHost, check, GatewayError, schema } from 'portcullis/sdk';
import { apiVersion } from './api-version.ts';
import { azureAt } from './ask.ts';
import type { Credentials } from './credentials.ts';
import { readAtOnce } from './read-at-once.ts';

/** Source: https://learn.microsoft.com/rest/api/contentsafety/text-operations/detect-text-protected-material */
export default check({
  title: 'Azure protected material',
  description: 'Fails when the answer holds known lyrics, articles, recipes or other protected text.',
  config: schema.Object({ apiVersion: apiVersion('2024-09-01') }, { additionalProperties: false }),
  phases: ['afterRequest'],
  remote: { timeoutMs: 5000 },
  async run({ text }, { apiVersion }, host: CheckHost<Credentials>) {
    if (text.trim() === '') return { pass: true };
    const ask = await azureAt(host, 'contentSafety', 'contentsafety/text:detectProtectedMaterial', apiVersion);
    const replies = await Promise.all(readAtOnce(text).map((piece) => ask({ text: piece })));
    const found = replies.map((reply) => asBoolean(asObject(reply.protectedMaterialAnalysis)?.detected));
    if (found.includes(undefined))
      throw new GatewayError('check_failed', 'Azure answered without saying whether the text is protected.');
    const detected = found.includes(true);
    if (!detected) return { pass: true, data: { detected } };
    return { pass: false, why: 'There is protected material in the text.', data: { detected } };
  },
});
