import { asObjects, asString, type JsonObject } from 'portcullis/sdk';
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

const known = new Set([
  ...['background', 'conversation', 'context_management', 'include', 'input', 'instructions', 'max_output_tokens'],
  ...['max_tool_calls', 'metadata', 'model', 'moderation', 'parallel_tool_calls', 'previous_response_id', 'prompt'],
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'reasoning', 'safety_identifier'],
  ...['service_tier', 'store', 'stream', 'stream_options', 'temperature', 'text', 'tool_choice', 'tools'],
  ...['top_logprobs', 'top_p', 'truncation', 'user'],
]);

const items = new Set(['message', 'function_call', 'function_call_output', 'reasoning', 'item_reference']);
const contents: Readonly<Record<string, ReadonlySet<string>>> = {
  user: new Set(['input_text', 'input_image', 'input_file']),
  system: new Set(['input_text', 'input_image', 'input_file']),
  developer: new Set(['input_text', 'input_image', 'input_file']),
  assistant: new Set(['output_text', 'refusal']),
};

/** What the responses endpoint refuses. */
export const refuseResponses: Refuse = (body, headers) =>
  firstOf(
    () => (bearerOf(headers) === undefined ? unauthorized('Missing bearer authentication in header') : undefined),
    () => {
      const field = unknownField(body, known);
      return field === undefined ? undefined : invalid(`Unknown parameter: '${field}'.`, field);
    },
    () => (asString(body.model) ? undefined : invalid("Missing required parameter: 'model'.", 'model')),
    () =>
      typeof body.input === 'string' || asObjects(body.input).length > 0
        ? undefined
        : invalid("Missing required parameter: 'input'.", 'input'),
    () => {
      const bad = asObjects(body.tools).findIndex((tool) => tool.type === 'function' && !asString(tool.name));
      return bad === -1
        ? undefined
        : invalid(`Missing required parameter: 'tools[${bad}].name'.`, `tools[${bad}].name`);
    },
    () => refuseItems(asObjects(body.input)),
  );

function refuseItems(input: readonly JsonObject[]): Refusal | undefined {
  const calls = new Set<string>();
  const answered = new Set<string>();
  for (const [index, item] of input.entries()) {
    const type = asString(item.type) ?? (item.role === undefined ? '' : 'message');
    if (!items.has(type)) return invalid(`Invalid value: '${type}'.`, `input[${index}].type`);
    if (type === 'message') {
      const refusal = refuseMessage(item, index);
      if (refusal !== undefined) return refusal;
    }
    if (type === 'function_call') {
      if (!asString(item.call_id) || !asString(item.name) || !isJsonObjectText(item.arguments))
        return invalid('Invalid function call.', `input[${index}]`);
      calls.add(String(item.call_id));
    }
    if (type === 'function_call_output') {
      if (!calls.has(String(item.call_id)))
        return invalid(`No tool call found for function call output with call_id ${item.call_id}.`, 'input');
      if (item.output === undefined)
        return invalid(`Missing required parameter: 'input[${index}].output'.`, `input[${index}].output`);
      answered.add(String(item.call_id));
    }
  }
  const open = [...calls].find((id) => !answered.has(id));
  return open === undefined ? undefined : invalid(`No tool output found for function call ${open}.`, 'input');
}

function refuseMessage(item: JsonObject, index: number): Refusal | undefined {
  const role = asString(item.role) ?? '';
  const allowed = contents[role];
  if (allowed === undefined) return invalid(`Invalid value: '${role}'.`, `input[${index}].role`);
  if (typeof item.content === 'string') return undefined;
  const bad = asObjects(item.content).find((part) => !allowed.has(asString(part.type) ?? ''));
  return bad === undefined ? undefined : invalid(`Invalid value: '${bad.type}'.`, `input[${index}].content`);
}
