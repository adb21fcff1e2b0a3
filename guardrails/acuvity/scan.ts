import {
  asObject,
  asString,
  type CheckHost,
  callJson,
  check,
  editsBetween,
  GatewayError,
  type Json,
  type JsonObject,
  type ScannedText,
} from 'portcullis/sdk';
import { apexOf } from './apex.ts';
import type { Credentials } from './credentials.ts';
import { type Found, foundIn } from './found.ts';
import { type Parameters, parameters, refuseNothing } from './parameters.ts';

/** Source: https://github.com/acuvity/acuvity-python/tree/main/docs/models */
export default check({
  title: 'Acuvity scan',
  description:
    'Fails on what is switched on and found. Personal data and secrets that are redacted do not fail. `language` fails texts in `language_values`.',
  config: parameters,
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 5000 },
  prepare: refuseNothing,
  async run(input, given: Parameters, host: CheckHost<Credentials>) {
    const { apiKey } = host.credentials;
    const texts = input.texts.filter(({ text }) => text.trim() !== '');
    if (texts.length === 0) return { pass: true };
    const { extractions, decision } = await callJson(host, {
      vendor: 'Acuvity',
      url: `${apexOf(apiKey)}/_acuvity/scan`,
      headers: { authorization: `Bearer ${apiKey}` },
      body: {
        anonymization: 'FixedSize',
        messages: texts.map(({ text }) => text),
        redactions: redactionsOf(given),
        type: input.phase === 'beforeRequest' ? 'Input' : 'Output',
      },
    });
    if (isDenied(decision)) return { pass: false, why: 'A policy of Acuvity denies it.', data: { decision } };
    if (!Array.isArray(extractions) || extractions.length !== texts.length)
      throw new GatewayError('check_failed', 'Acuvity answered without a result for each text.');
    const results = texts.map((text, at) => resultOf(text, asObject(extractions[at]), given));
    const pass = results.every((result) => result.pass);
    const all = (of: keyof Found) => [...new Set(results.flatMap(({ found }) => found[of]))];
    const guards = all('guards');
    return {
      pass,
      ...(pass ? {} : { why: `Acuvity found ${guards.join(', ')}.` }),
      data: { guards, pii: all('pii'), secrets: all('secrets') },
      edits: results.flatMap(({ edits }) => edits),
    };
  },
});

/**
 * What a policy that Acuvity itself holds has decided; absent where there is none.
 * @throws GatewayError `check_failed` where the texts were not looked at
 */
function isDenied(decision: Json = 'Allow'): decision is string {
  if (decision === 'Allow' || decision === 'Bypassed') return false;
  if (decision === 'Deny' || decision === 'Ask' || decision === 'ForbiddenUser') return true;
  throw new GatewayError('check_failed', 'Acuvity answered without a decision that is known.');
}

function redactionsOf(given: Parameters): readonly string[] {
  return [
    ...(given.pii && given.pii_redact ? given.pii_categories : []),
    ...(given.secrets && given.secrets_redact ? given.secrets_categories : []),
  ];
}

function resultOf({ index, text }: ScannedText, extraction: JsonObject | undefined, given: Parameters) {
  if (extraction === undefined) throw new GatewayError('check_failed', 'Acuvity answered with a result that is none.');
  const found = foundIn(extraction, given);
  const redacts = (guard: string) =>
    (guard === 'pii' && given.pii_redact) || (guard === 'secrets' && given.secrets_redact);
  if (!found.guards.some(redacts)) return { found, pass: found.guards.length === 0, edits: [] };
  const data = asString(extraction.data);
  if (data === undefined) throw new GatewayError('check_failed', 'Acuvity answered without the redacted text.');
  // A text that comes back as it was has not been redacted, whatever was asked for.
  return { found, pass: found.guards.every(redacts) && data !== text, edits: editsBetween(index, text, data) };
}
