import { type JsonObject, omit } from '../json.ts';
import { functionsAsTools } from './functions-as-tools.ts';

/** Models that reason by default: `o3-mini`, `gpt-5.1`, `ft:o4-mini:...`; not `gpt-4o` or `gpt-35-turbo`. */
const reasons = /^(?:ft:)?(?:o[1-9]|gpt-[5-9])(?![0-9a-z])/i;

export function reasonsByDefault(model: string): boolean {
  return reasons.test(model);
}

/**
 * A chat request for models that refuse the deprecated `max_tokens`, `functions` and `function_call`: they become
 * `max_completion_tokens`, `tools` and `tool_choice`, and so do their traces in the messages. Where the current field is
 * there too, it wins. Requests to any other model stay as they are. For `request`.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function withCurrentFields(body: JsonObject, model: string): JsonObject {
  if (!reasonsByDefault(model)) return body;
  return functionsAsTools(withCompletionTokens(body));
}

const deprecatedLimit: ReadonlySet<string> = new Set(['max_tokens']);

function withCompletionTokens(body: JsonObject): JsonObject {
  const { max_tokens } = body;
  if (max_tokens === undefined) return body;
  const rest = omit(body, deprecatedLimit);
  return rest.max_completion_tokens === undefined ? { ...rest, max_completion_tokens: max_tokens } : rest;
}
