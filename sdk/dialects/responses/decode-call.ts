import { GatewayError } from '../../errors.ts';
import {
  asArray,
  asBoolean,
  asNumber,
  asObject,
  asString,
  compact,
  type Json,
  type JsonObject,
  omit,
} from '../../json.ts';
import type { Call, Message, ResponseFormat } from '../neutral.ts';
import { present } from '../present.ts';
import { readInput } from './decode-items.ts';
import { readReasoning } from './reasoning.ts';
import { readToolChoice, readTools } from './tools.ts';

/** Fields that only the provider which keeps the state can serve, and what to send instead. */
const kept: Readonly<Record<string, string>> = {
  previous_response_id:
    'previous_response_id needs a provider that keeps responses; send the whole conversation as input.',
  conversation: 'conversation needs a provider that keeps conversations; send the whole conversation as input.',
  prompt: 'prompt needs the provider that keeps the prompt template; send its text as instructions and input.',
};

/** `include` stays in `extra` too: only this format has it. */
const known: ReadonlySet<string> = new Set([
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'text', 'reasoning'],
  ...['max_output_tokens', 'temperature', 'top_p', 'top_logprobs', 'user', 'metadata', 'store', 'service_tier'],
  ...['safety_identifier', 'prompt_cache_key', 'stream', 'background', ...Object.keys(kept)],
]);
const textFields: ReadonlySet<string> = new Set(['format', 'verbosity']);
const reasoningFields: ReadonlySet<string> = new Set(['effort', 'summary', 'generate_summary']);

/**
 * Reads a request of the Responses API. `null` counts as absent.
 *
 * @throws GatewayError `translation_unsupported` for previous_response_id, conversation, prompt, `background: true` and
 * item references: they mean what another provider keeps
 */
export function decodeCall(body: JsonObject): Call {
  refuseKept(body);
  const text = asObject(body.text);
  return present<Call>({
    model: asString(body.model) ?? '',
    messages: [...readInstructions(body.instructions), ...readInput(body.input)],
    tools: readTools(body.tools),
    toolChoice: readToolChoice(body.tool_choice),
    parallelToolCalls: asBoolean(body.parallel_tool_calls),
    responseFormat: readFormat(text?.format),
    reasoning: readReasoning(body.reasoning),
    maxTokens: asNumber(body.max_output_tokens),
    temperature: asNumber(body.temperature),
    topP: asNumber(body.top_p),
    logprobs: asArray(body.include).includes('message.output_text.logprobs') || undefined,
    topLogprobs: asNumber(body.top_logprobs),
    user: asString(body.user),
    metadata: asObject(body.metadata),
    serviceTier: asString(body.service_tier),
    verbosity: asString(text?.verbosity),
    store: asBoolean(body.store),
    promptCacheKey: asString(body.prompt_cache_key),
    safetyIdentifier: asString(body.safety_identifier),
    stream: asBoolean(body.stream),
    includeUsage: true,
    dialect: 'responses',
    extra: readExtra(body),
  });
}

function refuseKept(body: JsonObject): void {
  for (const [param, message] of Object.entries(kept)) {
    if ((body[param] ?? null) !== null) throw new GatewayError('translation_unsupported', message, { param });
  }
  if (body.background === true) {
    const message = 'background: true needs a provider that keeps responses; leave it out and wait for the answer.';
    throw new GatewayError('translation_unsupported', message, { param: 'background' });
  }
}

function readInstructions(instructions: Json | undefined): readonly Message[] {
  if (typeof instructions !== 'string') return readInput(instructions);
  return instructions === '' ? [] : [{ role: 'system', parts: [{ type: 'text', text: instructions }] }];
}

function readFormat(value: Json | undefined): ResponseFormat | undefined {
  const format = asObject(value);
  if (format === undefined) return undefined;
  if (format.type === 'text' || format.type === 'json_object') return { type: format.type };
  if (format.type !== 'json_schema') return undefined;
  return present<Extract<ResponseFormat, { type: 'json_schema' }>>({
    type: 'json_schema',
    name: asString(format.name) ?? 'response',
    description: asString(format.description),
    schema: asObject(format.schema),
    strict: asBoolean(format.strict),
  });
}

/** Unknown fields, those inside `text` and `reasoning` too. */
function readExtra(body: JsonObject): JsonObject {
  const extra = Object.entries(omit(body, known)).filter(([, value]) => value !== null);
  return compact({
    ...Object.fromEntries(extra),
    text: unknownOf(body.text, textFields),
    reasoning: unknownOf(body.reasoning, reasoningFields),
  });
}

function unknownOf(value: Json | undefined, fields: ReadonlySet<string>): JsonObject | undefined {
  const unknown = omit(asObject(value) ?? {}, fields);
  return Object.keys(unknown).length === 0 ? undefined : unknown;
}
