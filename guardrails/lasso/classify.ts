import {
  asBoolean,
  asObject,
  asObjects,
  asString,
  type CheckHost,
  type CheckInput,
  callJson,
  check,
  compact,
  GatewayError,
  type JsonObject,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

/** Goes into a header. */
const id = () => schema.Optional(schema.String({ pattern: '^[\\x21-\\x7e]{1,255}$' }));

/** Source: https://github.com/lasso-security/litellm */
export default check({
  title: 'Lasso: classify the conversation',
  description:
    'Fails when a deputy of Lasso finds a violation anywhere in the conversation that its policy does not only warn of; `messages` are put in front of it.',
  config: schema.Object(
    {
      messages: schema.Optional(
        schema.Array(
          schema.Object(
            {
              role: schema.Enum(['system', 'user', 'assistant']),
              content: schema.String({ minLength: 1, maxLength: 32_768 }),
            },
            { additionalProperties: false },
          ),
          { maxItems: 100 },
        ),
      ),
      conversationId: id(),
      userId: id(),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest'],
  endpoints: ['chatComplete', 'complete', 'messages', 'createModelResponse', 'embed', 'rerank', 'imageGenerate'],
  // The deputies judge the whole conversation: there is no choosing of texts.
  scans: false,
  remote: { timeoutMs: 5000 },
  async run(input, { messages = [], conversationId, userId }, host: CheckHost<Credentials>) {
    const conversation = [...messages, ...conversationOf(input)];
    if (conversation.length === 0) return { pass: true, why: 'There is no text to classify.' };
    const reply = await callJson(host, {
      vendor: 'Lasso',
      url: 'https://server.lasso.security/gateway/v2/classify',
      headers: {
        'lasso-api-key': host.credentials.apiKey,
        ...(conversationId === undefined ? {} : { 'lasso-conversation-id': conversationId }),
        ...(userId === undefined ? {} : { 'lasso-user-id': userId }),
      },
      body: { messages: conversation },
    });
    const violated = asBoolean(reply.violations_detected);
    if (violated === undefined) throw new GatewayError('check_failed', 'Lasso answered without a verdict.');
    const pass = !violated || isWarning(reply);
    return {
      pass,
      ...(pass ? {} : { why: 'Deputies of Lasso found violations.' }),
      data: { violations_detected: violated, deputies: deputiesOf(reply), findings: findingsOf(reply) },
    };
  },
});

/** What tools say comes from outside, as what users say does; Lasso knows no role for it. */
function conversationOf({ turns, texts }: CheckInput) {
  return (turns.length > 0 ? turns : texts)
    .filter(({ text }) => text !== '')
    .map(({ role, text }) => ({ role: role === 'tool' ? 'user' : role, content: text }));
}

function deputiesOf({ deputies }: JsonObject): readonly string[] {
  return Object.entries(asObject(deputies) ?? {}).flatMap(([name, found]) => (found === true ? [name] : []));
}

/** Every deputy says what it found, and its policy wants no more than a warning. */
function isWarning(reply: JsonObject): boolean {
  const lists = deputiesOf(reply).map((deputy) => asObjects(asObject(reply.findings)?.[deputy]));
  const found = Object.values(asObject(reply.findings) ?? {}).flatMap((list) => asObjects(list));
  const told = lists.length > 0 && lists.every((list) => list.length > 0);
  return told && found.every(({ action }) => action === 'WARN');
}

/** Without spans and masks: those quote the text. */
function findingsOf({ findings }: JsonObject): readonly JsonObject[] {
  return Object.entries(asObject(findings) ?? {})
    .flatMap(([deputy, found]) =>
      asObjects(found).map(({ action, severity }) =>
        compact({ deputy, action: asString(action), severity: asString(severity) }),
      ),
    )
    .slice(0, 100);
}
