import { asObjects, asString, functionsAsTools, type JsonObject, omit, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://inference-docs.cerebras.ai/resources/openai, /capabilities/reasoning and /support/error, and
 * https://github.com/Cerebras/cerebras-cloud-sdk-node (fields; usage in the last chunk of each stream).
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'CEREBRAS_API_KEY' }) }),
  base: 'https://api.cerebras.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      reasoningField: 'reasoning',
      streamUsage: 'always',
      request: (body) => withKnownFields(functionsAsTools(body)),
    },
    complete: { path: '/completions', dialect: 'completions', streamUsage: 'always' },
    listModels: { method: 'GET', path: '/models' },
    retrieveModel: { method: 'GET', path: '/models/{id}' },
    proxy: { path: '' },
  },
});

const unsupported: ReadonlySet<string> = new Set(['content_blocks', 'reasoning_content']);

/** An unknown field of a message is refused with 400: https://github.com/QwenLM/qwen-code/issues/11045 */
function withKnownFields(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  if (!messages.some((message) => refused(message))) return body;
  return { ...body, messages: messages.map((message) => (refused(message) ? replayed(message) : message)) };
}

function refused(message: JsonObject): boolean {
  const { content_blocks: blocks, reasoning_content: reasoning, refusal } = message;
  return blocks !== undefined || reasoning !== undefined || refusal === null;
}

/** The message with its thinking in the one field that is known here, and without the `refusal: null` of replies. */
function replayed(message: JsonObject): JsonObject {
  const { refusal, ...rest } = omit(message, unsupported);
  const thinking = asObjects(message.content_blocks).flatMap((block) => asString(block.thinking) ?? []);
  const reasoning = message.reasoning ?? message.reasoning_content ?? (thinking.join('\n') || undefined);
  return {
    ...rest,
    ...(refusal === undefined || refusal === null ? {} : { refusal }),
    ...(reasoning === undefined || reasoning === null ? {} : { reasoning }),
  };
}
