import { asObject, asObjects, asString, type Json, type JsonObject, omit, parseJson } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, Message, Part, Role, ToolResultPart } from '../neutral.ts';
import { camelKeys } from './camel.ts';
import { decodeConfig } from './decode-config.ts';
import { decodeParts } from './decode-parts.ts';
import { decodeToolConfig, decodeTools } from './decode-tools.ts';

const known = new Set([
  ...['model', 'stream', 'contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'serviceTier'],
]);

/**
 * Reads a `generateContent` request, in either spelling of its fields. Neighbouring contents of one role become one, and
 * neighbouring texts of the model too: clients send back every chunk of a stream as a content of its own. Calls and
 * responses without an id are paired by name and order. What `countTokens` counts may stand in a field of its own.
 */
export function decodeCall(body: JsonObject, _context: CodecContext): Call {
  const request = countedRequest(camelKeys(body));
  const config = decodeConfig(request.generationConfig);
  const toolConfig = decodeToolConfig(request.toolConfig);
  const tools = request.tools === undefined ? [] : decodeTools(request.tools);
  const serviceTier = asString(request.serviceTier);
  const rest: { [key: string]: Json } = { ...omit(request, known) };
  if (Object.keys(config.rest).length > 0) rest.generationConfig = config.rest;
  if (Object.keys(toolConfig.rest).length > 0) rest.toolConfig = toolConfig.rest;
  return {
    ...config.fields,
    model: asString(request.model) ?? '',
    messages: [...systemOf(request.systemInstruction), ...messagesOf(request.contents)],
    ...(tools.length === 0 ? {} : { tools }),
    ...(toolConfig.choice === undefined ? {} : { toolChoice: toolConfig.choice }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(request.stream === true ? { stream: true } : {}),
    includeUsage: true,
    dialect: 'gemini',
    extra: rest,
  };
}

function countedRequest(request: JsonObject): JsonObject {
  const { generateContentRequest, ...others } = request;
  const counted = asObject(generateContentRequest);
  return counted === undefined ? request : { ...camelKeys(counted), ...others };
}

function systemOf(value: Json | undefined): readonly Message[] {
  const text = asString(value);
  const parts = text === undefined ? partsOf(asObject(value)) : [{ text }];
  return parts.length === 0 ? [] : [{ role: 'system', parts: decodeParts(parts, () => '') }];
}

function partsOf(content: JsonObject | undefined): readonly JsonObject[] {
  const parts = content?.parts;
  return asObjects(Array.isArray(parts) ? parts : [parts]).map(camelKeys);
}

interface Turn {
  readonly role: string;
  readonly parts: readonly JsonObject[];
  readonly extra: JsonObject;
}

function messagesOf(value: unknown): readonly Message[] {
  const turns: Turn[] = [];
  for (const content of asObjects(Array.isArray(value) ? value : [value])) {
    const role = content.role === 'model' ? 'model' : 'user';
    const extra = omit(content, new Set(['role', 'parts']));
    const last = turns.at(-1);
    const parts = partsOf(content);
    if (last?.role !== role) turns.push({ role, parts, extra });
    else turns[turns.length - 1] = { role, parts: [...last.parts, ...parts], extra: { ...last.extra, ...extra } };
  }
  const calls = new OpenCalls();
  return turns.flatMap((turn) => messagesOfTurn(turn, calls));
}

function messagesOfTurn(turn: Turn, calls: OpenCalls): readonly Message[] {
  const runs: { role: Role; parts: readonly Part[] }[] = [];
  if (turn.role === 'model') {
    const parts = joinTexts(decodeParts(turn.parts, () => calls.newId()));
    for (const part of parts) if (part.type === 'tool-call') calls.open(part.id, part.name);
    runs.push({ role: 'assistant', parts });
  }
  for (const wire of turn.role === 'model' ? [] : turn.parts) {
    const response = asObject(wire.functionResponse);
    const role = response === undefined ? 'user' : 'tool';
    const parts = response === undefined ? decodeParts([wire], () => calls.newId()) : [resultOf(response, calls)];
    const last = runs.at(-1);
    if (last?.role === role) last.parts = [...last.parts, ...parts];
    else runs.push({ role, parts });
  }
  const extra = Object.keys(turn.extra).length === 0 ? {} : { extra: turn.extra };
  return runs.map((run, index) => ({ ...run, ...(index === 0 ? extra : {}) }));
}

function joinTexts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      joined[joined.length - 1] = { ...last, text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

function resultOf(response: JsonObject, calls: OpenCalls): ToolResultPart {
  const name = asString(response.name) ?? '';
  const value = asObject(response.response) ?? {};
  const keys = Object.keys(value);
  const error = keys.length === 1 ? asString(value.error) : undefined;
  const result = keys.length === 1 ? asString(value.result) : undefined;
  const plain = result !== undefined && asObject(parseJson(result)) === undefined ? result : undefined;
  const media = decodeParts(asObjects(response.parts).map(camelKeys), () => '');
  return {
    type: 'tool-result',
    callId: calls.answer(asString(response.id), name),
    name,
    content: [{ type: 'text', text: error ?? plain ?? JSON.stringify(value) }, ...media],
    ...(error === undefined ? {} : { isError: true }),
  };
}

/** Pairs responses with calls, and makes up ids from their order. */
class OpenCalls {
  private count = 0;
  private calls: { readonly id: string; readonly name: string }[] = [];

  newId(): string {
    this.count += 1;
    return `call_${this.count}`;
  }

  open(id: string, name: string): void {
    this.calls.push({ id, name });
  }

  answer(id: string | undefined, name: string): string {
    const at = this.calls.findIndex((call) => (id ? call.id === id : call.name === name));
    const call = at === -1 ? undefined : this.calls.splice(at, 1)[0];
    return id || (call?.id ?? this.newId());
  }
}
