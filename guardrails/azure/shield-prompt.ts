import { asBoolean, asObject, asObjects, type CheckHost, check, compact, GatewayError, schema } from 'portcullis/sdk';
import { apiVersion } from './api-version.ts';
import { azureAt } from './ask.ts';
import type { Credentials } from './credentials.ts';
import { readAtOnce } from './read-at-once.ts';

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
    const prompts = said.length === 0 ? [] : readAtOnce(said.join('\n'));
    const documents = brought.length === 0 ? [] : readAtOnce(brought.join('\n'));
    const ask = await azureAt(host, 'contentSafety', 'contentsafety/text:shieldPrompt', apiVersion);
    const asked = Array.from({ length: Math.max(prompts.length, documents.length) }, async (_, at) => {
      const [userPrompt, brings] = [prompts[at], documents[at]];
      const reply = await ask(compact({ userPrompt, documents: brings === undefined ? undefined : [brings] }));
      return {
        prompt: userPrompt !== undefined && attacks(asObject(reply.userPromptAnalysis)?.attackDetected),
        document: brings !== undefined && attacks(asObjects(reply.documentsAnalysis)[0]?.attackDetected),
      };
    });
    const found = await Promise.all(asked);
    const prompt = found.some((one) => one.prompt);
    const document = found.some((one) => one.document);
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
