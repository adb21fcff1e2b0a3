import {
  asObject,
  asString,
  baseUrl,
  type CheckHost,
  type CheckInput,
  callJson,
  check,
  compact,
  type ScannedText,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { actionOf, redactions } from './reply.ts';

const headerText = (description: string) =>
  schema.Optional(
    schema.String({
      pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]{0,253}[\\x21-\\x7e])?$',
      accepts: '1 to 255 printable ASCII characters',
      description,
    }),
  );
const standard = 'https://api.aisec.catonetworks.com';

/** Lets Cato AI Security inspect the texts and say what has to happen to them. */
export const analyze = check({
  title: 'Cato Networks guardrail',
  description: 'Fails what Cato AI Security wants blocked, and what it wants anonymized unless `redact` is on.',
  config: schema.Object(
    {
      userEmail: headerText('The user in the policies and the audit log of Cato.'),
      keyAlias: headerText('The name of the gateway key in the policies of Cato.'),
      redact: schema.Boolean({
        default: false,
        description: 'Puts the anonymized texts that Cato gives in the place of the texts.',
      }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 5000 },
  run: async (input, { userEmail, keyAlias, redact }, host: CheckHost<Credentials>) => {
    const texts = input.texts.filter(({ text }) => text.trim() !== '');
    if (texts.length === 0) return { pass: true };
    const { apiKey, apiBase } = host.credentials;
    const context = contextOf(input);
    const reply = await callJson(host, {
      vendor: 'Cato',
      url: `${baseUrl(apiBase, standard, 'apiBase')}/fw/v1/analyze`,
      headers: {
        authorization: `Bearer ${apiKey}`,
        // One call id ties the inspection of a reply to that of its request.
        'x-cato-call-id': input.requestId,
        ...(userEmail === undefined ? {} : { 'x-cato-user-email': userEmail }),
        ...(keyAlias === undefined ? {} : { 'x-cato-gateway-key-alias': keyAlias }),
      },
      body: { messages: [...context, ...messagesOf(texts)] },
    });
    const action = actionOf(reply);
    const data = compact({ action, policy: asString(asObject(reply.required_action)?.policy_name) });
    if (action === 'block') return { pass: false, why: 'A policy of Cato blocks it.', data };
    const edits = action === 'anonymize' ? redactions(reply, texts, context.length) : [];
    if (edits.length === 0) return { pass: true, data };
    return redact ? { pass: true, data, edits } : { pass: false, why: 'Cato allows it only anonymized.', data };
  },
});

/** A reply is inspected together with what was asked; the edits concern the reply alone. */
function contextOf({ phase, prompt }: CheckInput) {
  return phase === 'afterRequest' && prompt !== '' ? [{ role: 'user', content: prompt }] : [];
}

/** Results of tools go as the user's: a tool message would have to name the call that it answers. */
function messagesOf(texts: readonly ScannedText[]) {
  return texts.map(({ role, text }) => ({ role: role === 'tool' ? 'user' : role, content: text }));
}
