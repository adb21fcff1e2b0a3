import { LRUCache } from 'lru-cache';
import {
  asObject,
  type CheckCall,
  dialects,
  GatewayError,
  type JsonObject,
  type ModelQuestion,
  type Outcome,
  parseJson,
} from 'portcullis/sdk';
import { errorReply } from '../http/errors.ts';
import { Exchange } from './exchange.ts';
import type { Runtime } from './runtime.ts';
import { settle } from './settle.ts';
import { runTarget } from './target.ts';
import { enterWorkspace } from './workspace.ts';

const mostTokens = 4096;
const path = '/v1/chat/completions';

/** Configs by the model that they ask: the same object for equal names, for plans are compiled once for each. */
const configs = new LRUCache<string, JsonObject>({ max: 1_000 });

/**
 * Asks a model for a check: a request of its own, with the caller's rights and limits, and with a log entry. No guardrail
 * runs on it, so that a guardrail which asks a model does not ask for ever.
 * @throws GatewayError `check_failed` when there is no answer
 */
export async function askModel(
  runtime: Runtime,
  question: ModelQuestion,
  call: CheckCall,
  newId: () => string,
): Promise<string> {
  if (!(Number.isInteger(question.maxTokens) && question.maxTokens >= 1 && question.maxTokens <= mostTokens)) {
    throw new GatewayError('check_failed', `maxTokens must be an integer from 1 to ${mostTokens}.`);
  }
  const exchange = exchangeFor(runtime, question, call, newId());
  let settled = false;
  const cancel = () => exchange.cancellation.cancel();
  call.signal.addEventListener('abort', cancel, { once: true });
  try {
    if (call.signal.aborted) cancel();
    await enterWorkspace(runtime, exchange);
    exchange.defaultGuardrails = undefined;
    const plan = runtime.plans.planOf({ config: configFor(question.model) });
    await runtime.pipeline.admit(exchange);
    const { root } = plan.plan;
    if (root.kind !== 'leaf') throw new GatewayError('internal', 'The plan of a question has several targets.');
    const outcome = await runTarget(runtime, exchange, plan, root);
    settled = true;
    await settle(runtime, exchange, outcome, 'sent');
    return answerIn(outcome, question.model);
  } catch (error) {
    // What it has reserved must be given back, and what was refused must be in the log.
    if (!settled) await settle(runtime, exchange, errorReply(error, exchange.id, 'chat', runtime.log), 'sent');
    if (!GatewayError.is(error) || error.code === 'check_failed') throw error;
    throw new GatewayError('check_failed', `The model ${question.model} could not be asked: ${error.message}`, {
      cause: error,
    });
  } finally {
    call.signal.removeEventListener('abort', cancel);
  }
}

function exchangeFor(runtime: Runtime, question: ModelQuestion, call: CheckCall, id: string): Exchange {
  const { headerVendors } = runtime.config.server;
  const exchange = new Exchange({
    id,
    method: 'POST',
    path,
    query: '',
    endpoint: 'chatComplete',
    dialect: 'chat',
    params: {},
    headers: { [`x-${headerVendors[0] ?? 'gw'}-trace-id`]: call.traceId },
    vendors: headerVendors,
    startedAt: runtime.now(),
  });
  exchange.principal = call.principal;
  exchange.body = bodyOf(question);
  return exchange;
}

function bodyOf({ model, system, user, maxTokens, answer }: ModelQuestion): JsonObject {
  return {
    model: model.slice(model.indexOf('/') + 1),
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    max_completion_tokens: maxTokens,
    ...(answer === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { ...answer, strict: true } } }),
  };
}

function configFor(model: string): JsonObject {
  const known = configs.get(model);
  if (known !== undefined) return known;
  const slash = model.indexOf('/');
  if (slash < 1 || slash === model.length - 1) {
    const text = 'model must be `@slug/model` of a saved provider, or `provider/model`.';
    throw new GatewayError('check_failed', text, { param: 'model' });
  }
  const config = { provider: model.slice(0, slash) };
  configs.set(model, config);
  return config;
}

function answerIn({ status, body }: Outcome, model: string): string {
  if (status !== 200 || body.kind !== 'bytes')
    throw new GatewayError('check_failed', `The model ${model} answered with status ${status}.`);
  const json = asObject(parseJson(Buffer.from(body.bytes).toString('utf8')));
  const context = {
    strict: true,
    dropped: () => {},
    request: {},
    newId: (prefix: string) => prefix,
    nowSeconds: () => 0,
  };
  const parts = json === undefined ? [] : (dialects.chat.decodeReply(json, context).choices[0]?.parts ?? []);
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  if (text === '') throw new GatewayError('check_failed', `The model ${model} gave no text.`);
  return text;
}
