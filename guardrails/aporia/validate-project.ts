import {
  asObject,
  asObjects,
  asString,
  type CheckHost,
  type CheckInput,
  callJson,
  check,
  GatewayError,
  type JsonObject,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

/** Source: https://gr-docs.aporia.com/fundamentals/integration/rest-api */
export default check({
  title: 'Aporia project',
  description: 'Runs the policies of an Aporia project; passes when it would let the text through as it is.',
  config: schema.Object(
    { projectID: schema.String({ minLength: 1, maxLength: 255, description: 'Of the project whose policies apply.' }) },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  remote: { timeoutMs: 5000 },
  async run(input, { projectID }, host: CheckHost<Credentials>) {
    if (input.text.trim() === '') return { pass: true };
    const reply = await callJson(host, {
      vendor: 'Aporia',
      url: `https://gr-prd.aporia.com/${encodeURIComponent(projectID)}/validate`,
      headers: { 'x-aporia-api-key': host.credentials.apiKey },
      body: questionOf(input),
    });
    const action = asString(reply.action);
    if (action === undefined) throw new GatewayError('check_failed', 'Aporia answered without an action.');
    const log = asObjects(asObject(reply.policy_execution_result)?.policy_log);
    const policies = log.flatMap((policy) => asString(policy.policy_type) ?? []);
    const data = { action, policies };
    if (action === 'passthrough') return { pass: true, data };
    return { pass: false, why: `Aporia asks for the action ${JSON.stringify(action.slice(0, 40))}.`, data };
  },
});

function questionOf({ phase, turns, prompt, text, content }: CheckInput): JsonObject {
  if (phase === 'beforeRequest') {
    const asked = turns.length > 0 ? turns : [{ role: 'user' as const, text }];
    return { messages: messagesOf(asked), validation_target: 'prompt' };
  }
  const before = turns.at(-1)?.role === 'assistant' ? turns.slice(0, -1) : turns;
  const asked = before.length > 0 ? before : [{ role: 'user' as const, text: prompt }];
  return { messages: messagesOf(asked), response: content, validation_target: 'response' };
}

function messagesOf(turns: CheckInput['turns']): JsonObject[] {
  return turns.map(({ role, text }) => ({ role: role === 'tool' ? 'other' : role, content: text }));
}
