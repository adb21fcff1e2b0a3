import {
  asBoolean,
  asObject,
  asString,
  type CheckHost,
  type CheckInput,
  callJson,
  check,
  compact,
  GatewayError,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

/** Source: https://docs.litellm.ai/docs/proxy/guardrails/pillar_security */
export const protect = check({
  title: 'Pillar protect',
  description: 'Fails what Pillar flags: the newer API, which runs all scanners of the account.',
  config: schema.Object(
    {
      persist: schema.Optional(
        schema.Boolean({
          description: 'Whether Pillar keeps the texts for its dashboard. Default: as the account has it.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  remote: { timeoutMs: 5000 },
  async run(input, { persist }, host: CheckHost<Credentials>) {
    if (input.text.trim() === '') return { pass: true };
    const reply = await callJson(host, {
      vendor: 'Pillar',
      url: 'https://api.pillar.security/api/v1/protect',
      headers: {
        authorization: `Bearer ${host.credentials.apiKey}`,
        plr_async: 'false',
        // Evidence quotes the texts.
        plr_evidence: 'false',
        plr_scanners: 'true',
        ...(persist === undefined ? {} : { plr_persist: `${persist}` }),
      },
      body: {
        messages: messagesOf(input),
        tools: [],
        metadata: { source: 'portcullis' },
        model: input.model === '' ? 'unknown' : input.model,
        provider: input.provider,
      },
    });
    const flagged = asBoolean(reply.flagged);
    // A scan that is only queued has none.
    if (flagged === undefined) throw new GatewayError('check_failed', 'Pillar answered without a verdict.');
    const found = Object.entries(asObject(reply.scanners) ?? {}).flatMap(([name, hit]) => (hit === true ? [name] : []));
    const data = compact({ flagged, found, session_id: asString(reply.session_id) });
    if (!flagged) return { pass: true, data };
    return { pass: false, why: `Pillar flags it${found.length === 0 ? '' : `: ${found.join(', ')}`}.`, data };
  },
});

/** A reply is judged behind what was asked. What tools say comes from outside, as what users say does. */
function messagesOf({ phase, prompt, texts }: CheckInput) {
  const asked = phase === 'afterRequest' && prompt.trim() !== '' ? [{ role: 'user', content: prompt }] : [];
  const said = texts.filter(({ text }) => text.trim() !== '');
  return [...asked, ...said.map(({ role, text }) => ({ role: role === 'tool' ? 'user' : role, content: text }))];
}
