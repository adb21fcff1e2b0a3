import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  type JsonObject,
  type ReplyFacts,
} from 'portcullis/sdk';
import { snakeKeys, textOf } from './fields.ts';

/** A whole reply, or an event of a stream, in the chat format. */
export function answered(json: JsonObject, reply: ReplyFacts): JsonObject {
  const response = asObject(json.chatResponse);
  if (response !== undefined) return completionOf(json, response, reply);
  const isEvent = ['message', 'text', 'finishReason', 'toolCalls', 'usage'].some((name) => json[name] !== undefined);
  if (!isEvent || (json.code !== undefined && json.message !== undefined)) return json;
  return chunkOf(json, reply);
}

function completionOf(json: JsonObject, response: JsonObject, reply: ReplyFacts): JsonObject {
  const created = Math.floor(Date.parse(asString(response.timeCreated) ?? '') / 1000);
  const choices = Array.isArray(response.choices) ? asObjects(response.choices) : [response];
  return compact({
    id: asString(response.id) ?? reply.newId('chatcmpl-'),
    object: 'chat.completion',
    created: Number.isFinite(created) ? created : reply.nowSeconds(),
    model: asString(json.modelId) ?? reply.facts.model,
    choices: choices.map((choice, index) =>
      compact({
        index: asNumber(choice.index) ?? index,
        message: { role: 'assistant', ...saidIn(choice, reply) },
        finish_reason: asString(choice.finishReason) ?? 'stop',
        logprobs: logprobsOf(choice),
      }),
    ),
    usage: snakeKeys(asObject(response.usage) ?? asObject(choices[0]?.usage)),
    service_tier: asString(response.serviceTier)?.toLowerCase(),
  });
}

/**
 * The last event of the formats of Cohere repeats the whole text, and so do those with tool calls. Fragments of tool calls have no index: one without an id goes on
 * with the call before it.
 */
function chunkOf(event: JsonObject, reply: ReplyFacts): JsonObject {
  const finish = asString(event.finishReason);
  const isCohere = asString(event.apiFormat)?.startsWith('COHERE') === true;
  const { content, ...said } = saidIn(event, reply);
  const delta = compact({
    ...said,
    content: isCohere && (finish !== undefined || said.tool_calls !== undefined) ? undefined : content,
  });
  const choice = compact({
    index: asNumber(event.index) ?? 0,
    delta,
    finish_reason: finish,
    logprobs: logprobsOf(event),
  });
  const silent = finish === undefined && Object.keys(delta).length === 0;
  return compact({ choices: silent ? [] : [choice], usage: snakeKeys(event.usage) });
}

/** What a choice says, in each of the three formats. */
function saidIn(choice: JsonObject, { newId }: ReplyFacts): JsonObject {
  const message = asObject(choice.message);
  const parts = asObjects(message?.content);
  const texts = parts.filter(({ type }) => type === 'TEXT' || type === undefined);
  const thinking = parts.map(({ thinking: thought }) => asString(thought) ?? '').join('');
  const plan = asString(message?.toolPlan) ?? '';
  const text = asString(choice.text) ?? textOf(texts) + plan;
  const calls = asObjects(message?.toolCalls ?? choice.toolCalls);
  const annotations = asObjects(message?.annotations).map((annotation) => asObject(snakeKeys(annotation)) ?? {});
  return compact({
    content: text || undefined,
    reasoning_content: asString(message?.reasoningContent) || thinking || undefined,
    refusal: asString(message?.refusal),
    annotations: annotations.length === 0 ? undefined : annotations,
    tool_calls: calls.length === 0 ? undefined : calls.map((call) => callOf(call, newId)),
  });
}

/** A call of the formats COHEREV2, COHERE (which has parameters and no id) and GENERIC. */
function callOf(call: JsonObject, newId: (prefix: string) => string): JsonObject {
  const called = asObject(call.function);
  const parameters = asObject(call.parameters);
  const id = asString(call.id) ?? (parameters === undefined ? undefined : newId('call_'));
  const text = asString(called?.arguments) ?? asString(call.arguments);
  return compact({
    id,
    type: 'function',
    function: compact({
      name: asString(called?.name) ?? asString(call.name),
      arguments: parameters === undefined ? (text ?? '') : JSON.stringify(parameters),
    }),
  });
}

function logprobsOf(choice: JsonObject): JsonObject | undefined {
  const generic = asObject(choice.logprobs);
  if (generic !== undefined) return { content: genericLogprobs(generic) };
  if (!Array.isArray(choice.logProbabilities)) return undefined;
  const content = asObjects(choice.logProbabilities).map((item) => {
    const logprob = asArray(item.logProbabilities).reduce<number>((sum, value) => sum + (asNumber(value) ?? 0), 0);
    return tokenOf(asString(item.text) ?? '', logprob, []);
  });
  return { content };
}

function genericLogprobs({ tokens, tokenLogprobs, topLogprobs }: JsonObject): readonly JsonObject[] {
  const values = asArray(tokenLogprobs);
  const tops = asArray(topLogprobs);
  return asArray(tokens).map((token, index) => {
    const others = Object.entries(asObject(tops[index]) ?? {});
    return tokenOf(
      asString(token) ?? '',
      asNumber(values[index]) ?? 0,
      others.map(([text, value]) => ({ token: text, logprob: Number(value), bytes: [...Buffer.from(text)] })),
    );
  });
}

function tokenOf(token: string, logprob: number, top: readonly JsonObject[]): JsonObject {
  return { token, logprob, bytes: [...Buffer.from(token)], top_logprobs: top };
}
