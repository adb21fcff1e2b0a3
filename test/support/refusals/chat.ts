import { asArray, asObject, asObjects, asString, type JsonObject } from 'portcullis/sdk';
import {
  bearerOf,
  firstOf,
  invalid,
  isJsonObjectText,
  type Refusal,
  type Refuse,
  unauthorized,
  unknownField,
} from './refusal.ts';

/** Request fields of the chat completions reference. */
const known = new Set([
  ...['model', 'messages', 'audio', 'frequency_penalty', 'function_call', 'functions', 'logit_bias', 'logprobs'],
  ...['max_completion_tokens', 'max_tokens', 'metadata', 'modalities', 'n', 'parallel_tool_calls', 'prediction'],
  ...['presence_penalty', 'prompt_cache_key', 'prompt_cache_retention', 'reasoning_effort', 'response_format'],
  ...['safety_identifier', 'seed', 'service_tier', 'stop', 'store', 'stream', 'stream_options', 'temperature'],
  ...['tool_choice', 'tools', 'top_logprobs', 'top_p', 'user', 'verbosity', 'web_search_options'],
]);

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** What the chat completions endpoint refuses. */
export const refuseChat: Refuse = (body, headers) =>
  firstOf(
    () => (bearerOf(headers) === undefined ? unauthorized("You didn't provide an API key.") : undefined),
    () => {
      const field = unknownField(body, known);
      return field === undefined ? undefined : invalid(`Unrecognized request argument supplied: ${field}`);
    },
    () => (asString(body.model) ? undefined : invalid('you must provide a model parameter')),
    () => (asObjects(body.messages).length > 0 ? undefined : invalid("Invalid 'messages': empty array.", 'messages')),
    () =>
      body.stream_options !== undefined && body.stream !== true
        ? invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options')
        : undefined,
    () => refuseTools(body),
    () => refuseMessages(asObjects(body.messages)),
  );

function refuseTools(body: JsonObject): Refusal | undefined {
  if (body.tools === undefined) {
    return body.tool_choice === undefined
      ? undefined
      : invalid("'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice');
  }
  if (asArray(body.tools).length === 0) return invalid("Invalid 'tools': empty array.", 'tools');
  const bad = asObjects(body.tools).findIndex(
    (tool) => tool.type !== 'function' || !/^[\w-]{1,64}$/.test(asString(asObject(tool.function)?.name) ?? ''),
  );
  return bad === -1 ? undefined : invalid(`Invalid value at tools[${bad}].`, `tools[${bad}]`);
}

function refuseMessages(messages: readonly JsonObject[]): Refusal | undefined {
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const at = `messages.[${index}]`;
    const role = asString(message.role) ?? '';
    if (!roles.has(role)) return invalid(`Invalid value: '${role}'.`, `${at}.role`);
    if (role === 'tool') {
      const id = asString(message.tool_call_id) ?? '';
      if (!open.includes(id))
        return invalid(
          "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          `${at}.role`,
        );
      if (message.content === undefined || message.content === null)
        return invalid('content is required', `${at}.content`);
      open = open.filter((known) => known !== id);
      continue;
    }
    if (open.length > 0) {
      return invalid(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Missing: ${open.join(', ')}`,
        at,
      );
    }
    const calls = asObjects(message.tool_calls);
    if (
      calls.length === 0 &&
      (message.content === undefined || message.content === null) &&
      message.refusal === undefined
    ) {
      return invalid(`Invalid value for 'content': expected a string, got null.`, `${at}.content`);
    }
    const broken = calls.find(
      (call) => call.type !== 'function' || !isJsonObjectText(asObject(call.function)?.arguments),
    );
    if (broken !== undefined) return invalid('Invalid tool call.', `${at}.tool_calls`);
    open = calls.map((call) => asString(call.id) ?? '');
  }
  return open.length === 0 ? undefined : invalid(`Tool calls without results: ${open.join(', ')}`, 'messages');
}
