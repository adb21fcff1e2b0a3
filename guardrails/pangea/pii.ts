import {
  asNumber,
  asObject,
  type CheckHost,
  check,
  type Edit,
  editsBetween,
  GatewayError,
  type JsonObject,
  type ScannedText,
  schema,
} from 'portcullis/sdk';
import { askPangea } from './ask.ts';
import type { Credentials } from './credentials.ts';

/** Source: https://pangea.cloud/docs/api/redact */
export default check({
  title: 'Pangea personal data',
  description: 'Fails when the rules of the Redact service apply to the text, or applies them.',
  config: schema.Object(
    { redact: schema.Boolean({ default: false, description: 'Takes the redacted text, and passes.' }) },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 5000 },
  async run({ texts, text: all }, { redact }, host: CheckHost<Credentials>) {
    if (all.trim() === '') return { pass: true };
    const asked = Object.fromEntries(texts.map(({ index, text }) => [`text${index}`, text]));
    const body = { data: asked, format: 'json', return_result: redact };
    const result = await askPangea(host, 'redact', 'v1/redact_structured', body);
    const count = asNumber(result.count);
    if (count === undefined) throw new GatewayError('check_failed', 'Pangea answered without a count.');
    if (count === 0) return { pass: true, data: { count } };
    if (redact) return { pass: true, data: { count }, edits: redactions(texts, result) };
    return {
      pass: false,
      why: `Pangea has found ${count} ${count === 1 ? 'piece' : 'pieces'} of personal data.`,
      data: { count },
    };
  },
});

function redactions(texts: readonly ScannedText[], result: JsonObject): Edit[] {
  const redacted = asObject(result.redacted_data);
  const edits = texts.flatMap(({ index, text }) => {
    const after = redacted?.[`text${index}`];
    if (typeof after === 'string') return editsBetween(index, text, after);
    throw new GatewayError('check_failed', 'Pangea has found personal data and answered without the redacted text.');
  });
  if (edits.length > 0) return edits;
  throw new GatewayError('check_failed', 'Pangea has found personal data and answered with the text as it was.');
}
