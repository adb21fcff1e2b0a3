import { asObject, type CheckHost, callJson, check, GatewayError, schema } from 'portcullis/sdk';
import { greetingsIn, hits, isSafe } from './answer.ts';
import type { Credentials } from './credentials.ts';

const greetings = ['Casual & Friendly', 'Professional & Polite'] as const;
const piiTypes = [
  "Person's Name",
  'Address',
  'Email Id',
  'Contact No',
  'Date Of Birth',
  'Unique Id',
  'Financial Data',
] as const;

/** Source: https://github.com/walledai/walledai-python */
export default check({
  title: 'Walled AI Protect',
  description:
    'Fails texts that are unsafe, that hold personal data of `pii_list` or that are on a topic of `compliance_list`.',
  config: schema.Object(
    {
      generic_safety_check: schema.Boolean({ default: true }),
      greetings_list: schema.Array(schema.Enum([...greetings]), { uniqueItems: true, default: ['Casual & Friendly'] }),
      pii_list: schema.Array(schema.Enum([...piiTypes]), { uniqueItems: true, default: [...piiTypes] }),
      compliance_list: schema.Array(schema.String({ minLength: 1, maxLength: 255 }), { maxItems: 100, default: [] }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  remote: { timeoutMs: 5000 },
  prepare(given) {
    if (given.generic_safety_check || given.pii_list.length + given.compliance_list.length > 0) return given;
    const nothing = 'Switch generic_safety_check on, or give a pii_list or a compliance_list.';
    throw new GatewayError('invalid_config', nothing);
  },
  async run({ text }, given, host: CheckHost<Credentials>) {
    if (text.trim() === '') return { pass: true };
    const reply = await callJson(host, {
      vendor: 'Walled AI',
      url: 'https://services.walled.ai/v1/walled-protect',
      headers: { 'x-api-key': host.credentials.apiKey },
      body: { text, ...given },
    });
    const answer = asObject(reply.data) ?? {};
    const unsafe = given.generic_safety_check && !isSafe(answer);
    const pii = hits(answer, 'pii', 'pii_type', 'isPresent', given.pii_list);
    const compliance = hits(answer, 'compliance', 'topic', 'isOnTopic', given.compliance_list);
    const pass = !unsafe && pii.length === 0 && compliance.length === 0;
    return {
      pass,
      ...(pass ? {} : { why: 'Walled AI found what this text must not hold.' }),
      data: {
        unsafe,
        pii,
        compliance,
        greetings: greetingsIn(answer),
      },
    };
  },
});
