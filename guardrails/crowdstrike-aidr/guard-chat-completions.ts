import {
  asBoolean,
  asObject,
  asObjects,
  asString,
  baseUrl,
  type CheckHost,
  type CheckInput,
  callJson,
  check,
  compact,
  type Edit,
  editsBetween,
  GatewayError,
  type JsonObject,
  type ScannedText,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

/** Source: https://github.com/CrowdStrike/aidr-python (specs/ai-guard.openapi.json) and https://aidr-docs.crowdstrike.com/docs/aidr/ */
export default check({
  title: 'CrowdStrike AIDR: guard chat completions',
  description: 'Fails what the AIDR policy blocks, and changes what it transforms.',
  config: schema.Object({}, { additionalProperties: false }),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 5000 },
  async run(input, _config, host: CheckHost<Credentials>) {
    const texts = input.texts.filter(({ text }) => text.trim() !== '');
    if (texts.length === 0) return { pass: true };
    const base = baseUrl(host.credentials.baseUrl, '', 'baseUrl');
    const reply = await callJson(host, {
      vendor: 'CrowdStrike AIDR',
      url: `${base}/v1/guard_chat_completions`,
      headers: { authorization: `Bearer ${host.credentials.apiKey}` },
      body: bodyOf(input, texts),
    });
    // Statuses such as Accepted come without a verdict.
    const result = reply.status === 'Success' ? asObject(reply.result) : undefined;
    const blocked = result === undefined ? undefined : blockedIn(result);
    if (result === undefined || blocked === undefined)
      throw new GatewayError('check_failed', 'CrowdStrike AIDR answered without a verdict.');
    const transformed = result.transformed === true;
    return {
      pass: !blocked,
      ...(blocked ? { why: 'The policy of CrowdStrike AIDR blocks this.' } : {}),
      data: compact({
        blocked,
        transformed,
        policy: asString(result.policy),
        detectors: detectedIn(result),
        request_id: asString(reply.request_id),
      }),
      edits: transformed && !blocked ? changesOf(texts, result) : [],
    };
  },
});

/** The service promises `detectors` alone: with them, a result that leaves `blocked` out has blocked nothing. */
function blockedIn({ blocked = null, detectors }: JsonObject): boolean | undefined {
  return blocked === null && asObject(detectors) !== undefined ? false : asBoolean(blocked);
}

/** One message for each text: so it is known which one was transformed. */
function bodyOf({ phase, provider, model, metadata }: CheckInput, texts: readonly ScannedText[]): JsonObject {
  return compact({
    guard_input: { messages: texts.map(({ role, text }) => ({ role, content: text })) },
    event_type: phase === 'beforeRequest' ? 'input' : 'output',
    app_id: 'Portcullis',
    user_id: metadata._user ?? metadata.user_id,
    llm_provider: provider,
    model: model === '' ? undefined : model,
  });
}

function changesOf(texts: readonly ScannedText[], result: JsonObject): readonly Edit[] {
  const messages = asObjects(asObject(result.guard_output)?.messages);
  const contents = messages.map(({ content }) => asString(content));
  if (contents.length !== texts.length)
    throw new GatewayError('check_failed', 'CrowdStrike AIDR answered with other messages than it was given.');
  return texts.flatMap(({ index, text }, at) => {
    const content = contents[at];
    if (content !== undefined) return editsBetween(index, text, content);
    throw new GatewayError('check_failed', 'CrowdStrike AIDR answered with a message that has no text.');
  });
}

function detectedIn({ detectors }: JsonObject): readonly string[] {
  const found = Object.entries(asObject(detectors) ?? {});
  return found.flatMap(([name, detector]) => (asObject(detector)?.detected === true ? [name] : []));
}
