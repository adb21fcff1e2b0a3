import {
  asBoolean,
  type CheckHost,
  type CheckInput,
  callJson,
  check,
  compact,
  GatewayError,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';
import { apiVersions, deputiesOf, findingsOf, isWarning } from './findings.ts';

/** Goes into a header. */
const id = () => schema.Optional(schema.String({ pattern: '^[\\x21-\\x7e]{1,255}$' }));

/** Source: https://github.com/lasso-security/litellm; of v3 https://docs.litellm.ai/docs/proxy/guardrails/lasso_security */
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
      apiVersion: schema.Enum([...apiVersions], {
        default: 'v2',
        description: 'Of v3, prompts are classified; a request is a session of its own without conversationId.',
      }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest'],
  endpoints: ['chatComplete', 'complete', 'messages', 'createModelResponse', 'embed', 'rerank', 'imageGenerate'],
  // The deputies judge the whole conversation: there is no choosing of texts.
  scans: false,
  remote: { timeoutMs: 5000 },
  async run(input, { messages = [], conversationId, userId, apiVersion }, host: CheckHost<Credentials>) {
    const conversation = [...messages, ...conversationOf(input)];
    if (conversation.length === 0) return { pass: true, why: 'There is no text to classify.' };
    const session = compact({ messageType: 'PROMPT', sessionId: conversationId ?? input.requestId, userId });
    const reply = await callJson(host, {
      vendor: 'Lasso',
      url: `https://server.lasso.security/gateway/${apiVersion}/classify`,
      headers: {
        'lasso-api-key': host.credentials.apiKey,
        ...(conversationId === undefined ? {} : { 'lasso-conversation-id': conversationId }),
        ...(userId === undefined ? {} : { 'lasso-user-id': userId }),
      },
      body: apiVersion === 'v2' ? { messages: conversation } : { messages: conversation, ...session },
    });
    const violated = asBoolean(reply.violations_detected);
    if (violated === undefined) throw new GatewayError('check_failed', 'Lasso answered without a verdict.');
    const pass = !violated || isWarning(reply, apiVersion);
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
