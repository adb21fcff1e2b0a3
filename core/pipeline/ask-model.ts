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
import { runInnerRequest } from './inner-request.ts';
import type { Runtime } from './runtime.ts';

const mostTokens = 4096;

/**
 * Asks a model for a check, as a request of its own.
 * @throws GatewayError `check_failed` when there is no answer
 */
export async function askModel(
  runtime: Runtime,
  question: ModelQuestion,
  call: CheckCall,
  newId: () => string,
): Promise<string> {
  const { model, maxTokens } = question;
  if (!(Number.isInteger(maxTokens) && maxTokens >= 1 && maxTokens <= mostTokens)) {
    throw new GatewayError('check_failed', `maxTokens must be an integer from 1 to ${mostTokens}.`);
  }
  const request = {
    endpoint: 'chatComplete',
    dialect: 'chat',
    path: '/v1/chat/completions',
    model,
    body: bodyOf(question),
  } as const;
  try {
    return answerIn(await runInnerRequest(runtime, request, call, newId()), model);
  } catch (error) {
    if (!GatewayError.is(error) || error.code === 'check_failed') throw error;
    throw new GatewayError('check_failed', `The model ${model} could not be asked: ${error.message}`, {
      cause: error,
      ...(error.param === undefined ? {} : { param: error.param }),
    });
  }
}

function bodyOf({ system, user, maxTokens, answer }: ModelQuestion): JsonObject {
  return {
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
