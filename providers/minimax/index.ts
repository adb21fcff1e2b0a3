import {
  asObject,
  asObjects,
  asString,
  functionsAsTools,
  type JsonObject,
  omit,
  provider,
  schema,
  secret,
} from 'portcullis/sdk';
import { files } from './files.ts';
import { media } from './media.ts';

/**
 * Source: https://platform.minimax.io/docs/api-reference/text-chat-openai, /text-openai-api, /responses-create and
 * /models/openai/list-models. Keys from China are for https://api.minimaxi.com/v1, which `custom_host` reaches.
 * Thinking is part of the text, in <think> tags, unless the request has `reasoning_split`.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'MINIMAX_API_KEY' }) }),
  base: 'https://api.minimax.io/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_tokens: 'max_completion_tokens' } },
      reasoningField: 'reasoning_content',
      request: (body) => withDetails(functionsAsTools(body)),
      repair: withReasoning,
    },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    ...media,
    ...files,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});

const reasoning: ReadonlySet<string> = new Set(['reasoning_content']);

/** Thinking that came apart from the text goes back in a list; as `reasoning_content` it is not read. */
function withDetails(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  if (!messages.some((message) => message.reasoning_content !== undefined)) return body;
  return { ...body, messages: messages.map(detailed) };
}

function detailed(message: JsonObject): JsonObject {
  const text = asString(message.reasoning_content);
  const rest = omit(message, reasoning);
  if (!text || rest.reasoning_details !== undefined) return rest;
  return { ...rest, reasoning_details: [{ type: 'reasoning.text', format: 'MiniMax-response-v1', index: 0, text }] };
}

/** Split thinking comes in `reasoning_details`. */
function withReasoning(json: JsonObject): JsonObject {
  const choices = asObjects(json.choices);
  const read = choices.map(reasoned);
  return read.every((choice, index) => choice === choices[index]) ? json : { ...json, choices: read };
}

function reasoned(choice: JsonObject): JsonObject {
  const field = choice.delta === undefined ? 'message' : 'delta';
  const said = asObject(choice[field]);
  const details = asObjects(said?.reasoning_details);
  if (said === undefined || details.length === 0 || asString(said.reasoning_content)) return choice;
  const text = details.map((detail) => asString(detail.text) ?? '').join('');
  return { ...choice, [field]: { ...said, reasoning_content: text } };
}
