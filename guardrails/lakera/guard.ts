import {
  asBoolean,
  asObject,
  asObjects,
  asString,
  baseUrl,
  type CheckHost,
  callJson,
  check,
  compact,
  GatewayError,
  type ScannedText,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { masksOf } from './masks.ts';

/** Screens the texts with the detectors of a Lakera project. */
export const guard = check({
  title: 'Lakera Guard',
  description: 'Fails what the policy of a Lakera project flags.',
  config: schema.Object(
    {
      projectID: schema.Optional(
        schema.String({
          minLength: 1,
          maxLength: 255,
          description: 'Without it, the default policy of Lakera serves.',
        }),
      ),
      redact: schema.Boolean({
        default: false,
        description: 'Masks personal data where nothing else was flagged, in the place of failing.',
      }),
      endInclusive: schema.Boolean({
        default: false,
        description: 'Whether your deployment counts the last character of a place as part of it.',
      }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 30_000 },
  run: async (input, { projectID, redact, endInclusive }, host: CheckHost<Credentials>) => {
    const texts = input.texts.filter(({ text }) => text.trim() !== '');
    if (texts.length === 0) return { pass: true };
    const { apiKey, apiBase } = host.credentials;
    const reply = await callJson(host, {
      vendor: 'Lakera',
      url: `${baseUrl(apiBase, 'https://api.lakera.ai', 'apiBase')}/v2/guard`,
      headers: { authorization: `Bearer ${apiKey}` },
      body: compact({ messages: messagesOf(texts), project_id: projectID, payload: redact, breakdown: true }),
    });
    const flagged = asBoolean(reply.flagged);
    if (flagged === undefined) throw new GatewayError('check_failed', 'Lakera answered without a verdict.');
    const detected = asObjects(reply.breakdown)
      .filter((run) => run.detected === true)
      .map((run) => asString(run.detector_type) ?? 'unknown');
    const detectors = [...new Set(detected)];
    const data = compact({ flagged, detectors, requestId: asString(asObject(reply.metadata)?.request_uuid) });
    if (!flagged) return { pass: true, data };
    const edits = redact ? masksOf(reply, detectors, texts, endInclusive) : [];
    if (edits.length > 0) return { pass: true, data, edits };
    const named = detectors.length === 0 ? '' : `: ${detectors.join(', ')}`;
    return { pass: false, why: `Lakera flags it${named}.`, data };
  },
});

/** Lakera knows system, user and assistant: what tools say is as little trusted as what users say. */
function messagesOf(texts: readonly ScannedText[]) {
  return texts.map(({ role, text }) => ({ role: role === 'tool' ? 'user' : role, content: text }));
}
