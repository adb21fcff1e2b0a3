import { asBoolean, asObject, asObjects, type CheckHost, check, compact, GatewayError, schema } from 'portcullis/sdk';
import { apiVersion } from './api-version.ts';
import { azureAt } from './ask.ts';
import type { Credentials } from './credentials.ts';

/** Source: https://learn.microsoft.com/rest/api/contentsafety/text-operations/shield-prompt */
export default check({
  title: 'Azure prompt shields',
  description: 'Fails when what users say, or what they bring, attacks the model.',
  config: schema.Object({ apiVersion: apiVersion('2024-09-01') }, { additionalProperties: false }),
  phases: ['beforeRequest'],
  remote: { timeoutMs: 5000 },
  async run({ texts }, { apiVersion }, host: CheckHost<Credentials>) {
    const filled = texts.filter(({ text }) => text.trim() !== '');
    const said = filled.filter(({ role, kind }) => role === 'user' && kind === 'text').map(({ text }) => text);
    const brought = filled.filter(({ role, kind }) => role !== 'user' || kind !== 'text').map(({ text }) => text);
    if (filled.length === 0) return { pass: true };
    const body = compact({
      userPrompt: said.length === 0 ? undefined : said.join('\n'),
      documents: brought.length === 0 ? undefined : [brought.join('\n')],
    });
    const ask = await azureAt(host, 'contentSafety', 'contentsafety/text:shieldPrompt', apiVersion);
    const reply = await ask(body);
    const prompt = said.length > 0 && attacks(asObject(reply.userPromptAnalysis)?.attackDetected);
    const document = brought.length > 0 && attacks(asObjects(reply.documentsAnalysis)[0]?.attackDetected);
    const data = { prompt, document };
    if (!prompt && !document) return { pass: true, data };
    return { pass: false, why: `Azure has detected an attack in the ${prompt ? 'prompt' : 'documents'}.`, data };
  },
});

function attacks(detected: unknown): boolean {
  const known = asBoolean(detected);
  if (known === undefined)
    throw new GatewayError('check_failed', 'Azure answered without saying whether there is an attack.');
  return known;
}
