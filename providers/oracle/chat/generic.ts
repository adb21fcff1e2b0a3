import { asNumber, asObject, asObjects, asString, compact, type Json, type JsonObject } from 'portcullis/sdk';
import { camelKeys, plainFields, sharedNames, stopOf, streamOptionsOf, upper } from './fields.ts';

const names = new Map([
  ...sharedNames,
  ['max_completion_tokens', 'maxCompletionTokens'],
  ['n', 'numGenerations'],
  ['parallel_tool_calls', 'isParallelToolCalls'],
]);

/** A chat request of the format GENERIC, which all models but those of Cohere take. */
export function genericRequest(body: JsonObject): JsonObject {
  const top = asNumber(body.top_logprobs) ?? (body.logprobs === true ? 1 : undefined);
  return compact({
    apiFormat: 'GENERIC',
    ...plainFields(body, names),
    messages: asObjects(body.messages).map(messageOf),
    tools: Array.isArray(body.tools) ? asObjects(body.tools).map(toolOf) : undefined,
    toolChoice: choiceOf(body.tool_choice),
    responseFormat: formatOf(asObject(body.response_format)),
    stop: stopOf(body.stop),
    streamOptions: streamOptionsOf(body),
    logProbs: top,
    reasoningEffort: upper(body.reasoning_effort),
    verbosity: upper(body.verbosity),
    serviceTier: upper(body.service_tier),
    prediction: predictionOf(asObject(body.prediction)),
    webSearchOptions: camelKeys(body.web_search_options),
  });
}

function messageOf(message: JsonObject): JsonObject {
  const { content } = message;
  const calls = asObjects(message.tool_calls);
  return compact({
    role: upper(message.role),
    content: typeof content === 'string' ? [{ type: 'TEXT', text: content }] : partsOf(content),
    name: message.role === 'tool' ? undefined : asString(message.name),
    toolCallId: asString(message.tool_call_id),
    toolCalls: calls.length === 0 ? undefined : calls.map(callOf),
    refusal: asString(message.refusal),
    reasoningContent: asString(message.reasoning_content),
  });
}

function partsOf(content: Json | undefined): Json | undefined {
  return Array.isArray(content) ? asObjects(content).map(partOf) : undefined;
}

function partOf(part: JsonObject): JsonObject {
  const audio = asObject(part.input_audio);
  if (audio !== undefined) {
    return {
      type: 'AUDIO',
      audioUrl: { url: `data:audio/${asString(audio.format) ?? 'wav'};base64,${asString(audio.data) ?? ''}` },
    };
  }
  const image = asObject(part.image_url);
  if (image !== undefined) {
    return { type: 'IMAGE', imageUrl: compact({ url: asString(image.url), detail: upper(image.detail) }) };
  }
  const text = asString(part.text);
  return text === undefined
    ? { ...asObject(camelKeys(part)), type: upper(part.type) ?? 'TEXT' }
    : { type: 'TEXT', text };
}

function callOf(call: JsonObject): JsonObject {
  const called = asObject(call.function);
  return compact({
    id: asString(call.id),
    type: 'FUNCTION',
    name: asString(called?.name),
    arguments: asString(called?.arguments),
  });
}

function toolOf(tool: JsonObject): JsonObject {
  const { name, description, parameters } = asObject(tool.function) ?? {};
  return compact({ type: 'FUNCTION', name, description, parameters });
}

function choiceOf(choice: Json | undefined): JsonObject | undefined {
  const name = asString(asObject(asObject(choice)?.function)?.name);
  if (name !== undefined) return { type: 'FUNCTION', name };
  const word = upper(choice);
  return word === undefined ? undefined : { type: word };
}

function formatOf(format: JsonObject | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  const { name, description, schema, strict } = asObject(format.json_schema) ?? {};
  const jsonSchema = compact({ name, description, schema, isStrict: strict });
  return compact({
    type: upper(format.type),
    jsonSchema: format.type === 'json_schema' ? jsonSchema : undefined,
  });
}

function predictionOf(prediction: JsonObject | undefined): JsonObject | undefined {
  if (prediction === undefined) return undefined;
  const { content } = prediction;
  return compact({
    type: 'CONTENT',
    content: typeof content === 'string' ? [{ type: 'TEXT', text: content }] : partsOf(content),
  });
}
