import { asArray, asBoolean, asNumber, asObject, asObjects, asString, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, FunctionTool, Reasoning, ResponseFormat, ToolChoice } from '../neutral.ts';
import { decodeMessages } from './decode-messages.ts';
import { dialectName } from './name.ts';

const known = new Set([
  ...['model', 'messages', 'tools', 'tool_choice', 'response_format', 'thinking', 'max_tokens', 'temperature'],
  ...['p', 'k', 'seed', 'stop_sequences', 'frequency_penalty', 'presence_penalty', 'logprobs', 'stream'],
]);

const numbers: readonly (readonly [keyof Call, string])[] = [
  ['maxTokens', 'max_tokens'],
  ['temperature', 'temperature'],
  ['topP', 'p'],
  ['topK', 'k'],
  ['seed', 'seed'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['presencePenalty', 'presence_penalty'],
];

/** Reads a request of this format. Documents, citation options and the safety mode stay in `extra`. */
export function decodeCall(body: JsonObject, _context: CodecContext): Call {
  const tools = asObjects(body.tools).map(toolOf);
  const toolChoice = choiceOf(body.tool_choice);
  const responseFormat = formatOf(asObject(body.response_format));
  const reasoning = reasoningOf(asObject(body.thinking));
  const logprobs = asBoolean(body.logprobs);
  const stream = asBoolean(body.stream);
  const stop = Array.isArray(body.stop_sequences)
    ? asArray(body.stop_sequences).filter((word) => typeof word === 'string')
    : undefined;
  return {
    ...numbersIn(body),
    model: asString(body.model) ?? '',
    messages: decodeMessages(body.messages),
    ...(tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(stop === undefined ? {} : { stop }),
    ...(logprobs === undefined ? {} : { logprobs }),
    ...(stream === undefined ? {} : { stream }),
    includeUsage: true,
    dialect: dialectName,
    extra: omit(body, known),
  };
}

function numbersIn(body: JsonObject): Partial<Call> {
  const found: { [key: string]: number } = {};
  for (const [field, name] of numbers) {
    const number = asNumber(body[name]);
    if (number !== undefined) found[field] = number;
  }
  return found;
}

function toolOf(tool: JsonObject): FunctionTool {
  const definition = asObject(tool.function) ?? {};
  const description = asString(definition.description);
  const parameters = asObject(definition.parameters);
  return {
    type: 'function',
    name: asString(definition.name) ?? '',
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
  };
}

function choiceOf(word: unknown): ToolChoice | undefined {
  if (word === 'REQUIRED') return { mode: 'required' };
  return word === 'NONE' ? { mode: 'none' } : undefined;
}

function formatOf(format: JsonObject | undefined): ResponseFormat | undefined {
  if (format?.type === 'text') return { type: 'text' };
  if (format?.type !== 'json_object') return undefined;
  const schema = asObject(format.json_schema);
  return schema === undefined ? { type: 'json_object' } : { type: 'json_schema', name: 'answer', schema };
}

function reasoningOf(thinking: JsonObject | undefined): Reasoning | undefined {
  if (thinking === undefined) return undefined;
  const budgetTokens = asNumber(thinking.token_budget);
  return {
    ...(thinking.type === 'enabled' ? { enabled: true } : {}),
    ...(thinking.type === 'disabled' ? { enabled: false } : {}),
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
  };
}
