import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  type Json,
  type JsonObject,
  omit,
  parseJson,
} from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, Message, Part, Reasoning, ResponseFormat, Role, Tool, ToolChoice } from '../neutral.ts';
import { decodeBlocks, markOf } from './decode-blocks.ts';

const known = new Set([
  ...['model', 'messages', 'system', 'toolConfig', 'inferenceConfig', 'outputConfig', 'serviceTier', 'requestMetadata'],
  'additionalModelRequestFields',
]);
const inferred = new Set(['maxTokens', 'temperature', 'topP', 'stopSequences']);

/**
 * Reads a Converse request. A user turn that mixes tool results with other blocks becomes `tool` and `user` messages in
 * the same order; `system` becomes one system message in front.
 */
export function decodeCall(body: JsonObject, _context: CodecContext): Call {
  const output = asObject(body.outputConfig) ?? {};
  const format = formatOf(output.textFormat);
  const fields = asObject(body.additionalModelRequestFields) ?? {};
  const topK = asNumber(fields.top_k);
  const reasoning = reasoningOf(fields.thinking, asString(output.effort));
  const read = new Set([
    ...(topK === undefined ? [] : ['top_k']),
    ...(isThinking(fields.thinking) ? ['thinking'] : []),
  ]);
  const metadata = asObject(body.requestMetadata);
  const serviceTier = asString(asObject(body.serviceTier)?.type);
  return {
    model: asString(body.model) ?? '',
    messages: [...systemOf(body.system), ...asObjects(body.messages).flatMap(messagesOf)],
    ...toolsOf(asObject(body.toolConfig)),
    ...numbersOf(asObject(body.inferenceConfig) ?? {}),
    ...(topK === undefined ? {} : { topK }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(format === undefined ? {} : { responseFormat: format }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    includeUsage: true,
    dialect: 'converse',
    extra: extraOf(body, omit(fields, read), format !== undefined),
  };
}

function extraOf(body: JsonObject, fields: JsonObject, formatRead: boolean): JsonObject {
  const config = omit(asObject(body.inferenceConfig) ?? {}, inferred);
  const output = omit(asObject(body.outputConfig) ?? {}, new Set(formatRead ? ['effort', 'textFormat'] : ['effort']));
  const filled = (object: JsonObject): Json | undefined => (Object.keys(object).length === 0 ? undefined : object);
  return compact({
    ...omit(body, known),
    inferenceConfig: filled(config),
    outputConfig: filled(output),
    additionalModelRequestFields: filled(fields),
  });
}

function systemOf(value: unknown): readonly Message[] {
  const parts = decodeBlocks(asObjects(value), () => '');
  return parts.length === 0 ? [] : [{ role: 'system', parts }];
}

function messagesOf(message: JsonObject, at: number): readonly Message[] {
  let calls = 0;
  const parts = decodeBlocks(asObjects(message.content), () => `call_${at}_${++calls}`);
  const role: Role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user';
  const extra = omit(message, new Set(['role', 'content']));
  const turns: { role: Role; parts: Part[] }[] = [];
  for (const part of parts) {
    const speaker = part.type === 'tool-result' ? 'tool' : role;
    const last = turns.at(-1);
    if (last?.role === speaker) last.parts.push(part);
    else turns.push({ role: speaker, parts: [part] });
  }
  return turns.map((turn) => (Object.keys(extra).length === 0 ? turn : { ...turn, extra }));
}

function toolsOf(config: JsonObject | undefined): Pick<Call, 'tools' | 'toolChoice'> {
  const tools: Tool[] = [];
  for (const item of asObjects(config?.tools)) {
    const mark = markOf(item);
    const last = tools.at(-1);
    if (mark !== undefined && last?.type === 'function') tools[tools.length - 1] = { ...last, cache: mark };
    else tools.push(toolOf(item));
  }
  const choice = asObject(config?.toolChoice);
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...(choice === undefined ? {} : { toolChoice: choiceOf(choice) }),
  };
}

const specFields = new Set(['name', 'description', 'inputSchema', 'strict']);

function toolOf(item: JsonObject): Tool {
  const spec = asObject(item.toolSpec);
  const name = asString(spec?.name);
  if (spec === undefined || name === undefined) return { type: 'native', dialect: 'converse', value: item };
  const description = asString(spec.description);
  const parameters = asObject(asObject(spec.inputSchema)?.json);
  const extra = omit(spec, specFields);
  return {
    type: 'function',
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(typeof spec.strict === 'boolean' ? { strict: spec.strict } : {}),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function choiceOf(choice: JsonObject): ToolChoice {
  const name = asString(asObject(choice.tool)?.name);
  if (name !== undefined) return { mode: 'tool', name };
  if (choice.any !== undefined) return { mode: 'required' };
  return choice.auto === undefined ? { mode: 'native', dialect: 'converse', value: choice } : { mode: 'auto' };
}

function numbersOf(config: JsonObject): Partial<Call> {
  const maxTokens = asNumber(config.maxTokens);
  const temperature = asNumber(config.temperature);
  const topP = asNumber(config.topP);
  const stop = asArray(config.stopSequences).filter((item) => typeof item === 'string');
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(stop.length === 0 ? {} : { stop }),
  };
}

function isThinking(value: unknown): boolean {
  return ['enabled', 'disabled', 'adaptive'].includes(String(asObject(value)?.type));
}

function reasoningOf(value: unknown, effort: string | undefined): Reasoning | undefined {
  const thinking = isThinking(value) ? asObject(value) : undefined;
  const budget = asNumber(thinking?.budget_tokens);
  const summary = asString(thinking?.display);
  if (thinking === undefined && effort === undefined) return undefined;
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined
      ? {}
      : thinking.type === 'adaptive'
        ? { adaptive: true }
        : { enabled: thinking.type === 'enabled' }),
    ...(budget === undefined ? {} : { budgetTokens: budget }),
    ...(summary === undefined ? {} : { summary }),
  };
}

function formatOf(value: unknown): ResponseFormat | undefined {
  const definition = asObject(asObject(asObject(value)?.structure)?.jsonSchema);
  const schema = asObject(parseJson(asString(definition?.schema) ?? ''));
  if (schema === undefined) return undefined;
  const description = asString(definition?.description);
  const name = asString(definition?.name) ?? 'response';
  return { type: 'json_schema', name, schema, ...(description === undefined ? {} : { description }) };
}
