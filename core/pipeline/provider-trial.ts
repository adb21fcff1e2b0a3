import {
  asNumber,
  asObject,
  asString,
  type DialectName,
  GatewayError,
  type JsonObject,
  type Outcome,
  type ProviderTrial,
  parseJson,
  type TrialResult,
} from 'portcullis/sdk';
import { findEndpoint } from '../upstream/endpoints.ts';
import { unitFailure } from '../upstream/misread.ts';
import type { ProviderUnit } from '../upstream/provider-unit.ts';
import { outboundOf } from './attempt.ts';
import { Exchange } from './exchange.ts';
import { abandon } from './judge.ts';
import type { HeldRuntime } from './own-request.ts';
import type { Runtime } from './runtime.ts';
import { shapeTarget } from './target.ts';

/** However many calls it takes, somebody waits for the answer. */
const longestMs = 30_000;

export interface TrialParts {
  readonly newId: () => string;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Calls a provider as a request of its workspace would: with the same settings and secret references, through the same
 * guard, under the same deadlines. Of the phases only `prepare` runs: nothing is counted, limited, retried or logged.
 * @throws GatewayError `bad_request` with the param `model`, `unknown_provider`: what cannot be tried at all
 */
export async function tryProvider(
  { runtime, release }: HeldRuntime,
  trial: ProviderTrial,
  { newId, sleep }: TrialParts,
): Promise<TrialResult> {
  const over = new AbortController();
  try {
    const question = questionFor(runtime.findProvider(trial.entry.provider), trial);
    const exchange = exchangeFor(runtime, question, newId());
    const since = performance.now();
    const answered = answerTo(runtime, trial, exchange);
    const late = sleep(longestMs, over.signal).then(
      () => tooLate,
      () => tooLate,
    );
    const answer = await Promise.race([answered, late]);
    exchange.cancellation.cancel();
    const { endpoint, model } = question;
    return { ...answer, latencyMs: Math.round(performance.now() - since), model, endpoint };
  } finally {
    over.abort();
    release();
  }
}

type Answer = Pick<TrialResult, 'success' | 'status' | 'error'>;

const tooLate: Answer = {
  success: false,
  status: undefined,
  error: { message: `The provider gave no answer within ${longestMs} ms.`, code: 'request_timeout' },
};

interface Question {
  readonly endpoint: TrialResult['endpoint'];
  readonly dialect: DialectName | undefined;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly model: string | undefined;
  readonly body: JsonObject;
}

const listing: Question = {
  endpoint: 'listModels',
  dialect: undefined,
  method: 'GET',
  path: '/v1/models',
  model: undefined,
  body: {},
};

/** The first that the provider has an endpoint for. Some models refuse to be held to fewer than 16 tokens. */
const ofModels = [
  {
    endpoint: 'chatComplete',
    dialect: 'chat',
    path: '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 16 },
  },
  { endpoint: 'embed', dialect: 'embeddings', path: '/v1/embeddings', body: { input: 'Hi' } },
] as const satisfies readonly Partial<Question>[];

/** @throws GatewayError `bad_request` with the param `model` where there is none to ask, or nothing to ask of one */
function questionFor(unit: ProviderUnit, { entry, model: given }: ProviderTrial): Question {
  if (given === undefined && unit.definition.endpoints.listModels !== undefined) return listing;
  const model = given ?? entry.models.find(({ enabled }) => enabled)?.slug;
  if (model === undefined) {
    const text = `model is required: ${unit.name} has no list of models, and the integration has no enabled model.`;
    throw new GatewayError('bad_request', text, { param: 'model' });
  }
  const question = ofModels.find(({ endpoint }) => findEndpoint(unit, endpoint, model) !== undefined);
  if (question !== undefined) return { ...question, method: 'POST', model, body: { model, ...question.body } };
  const text = `model cannot be tried: ${unit.name} serves neither chat nor embeddings.`;
  throw new GatewayError('bad_request', text, { param: 'model' });
}

function exchangeFor(runtime: Runtime, { endpoint, dialect, method, path, body }: Question, id: string): Exchange {
  const vendors = runtime.config.server.headerVendors;
  const startedAt = runtime.now();
  const exchange = new Exchange({
    ...{ id, method, path, endpoint, dialect, vendors, startedAt },
    ...{ query: '', params: {}, headers: {} },
  });
  exchange.body = body;
  return exchange;
}

/** The same object each time: its plan is compiled once. */
const config: JsonObject = Object.freeze({ provider: '@trial' });

async function answerTo(runtime: Runtime, { entry }: ProviderTrial, exchange: Exchange): Promise<Answer> {
  try {
    return answerIn(await called(runtime, entry, exchange));
  } catch (error) {
    const at = unitFailure(error);
    if (at !== undefined)
      runtime.log.warn('provider_unit_failed', { request: exchange.id, provider: entry.provider, at });
    if (!GatewayError.is(error) || error.param === 'model') throw error;
    return { success: false, status: undefined, error: { message: error.message, code: error.code } };
  }
}

async function called(runtime: Runtime, entry: ProviderTrial['entry'], exchange: Exchange): Promise<Outcome> {
  const plan = runtime.plans.planOf({ config });
  const { root } = plan.plan;
  if (root.kind !== 'leaf') throw new GatewayError('internal', 'The plan of a trial has several targets.');
  const provider = await runtime.settings.providerOfEntry(entry);
  const target = await shapeTarget(runtime, exchange, plan, root, provider, exchange.body);
  return runtime.upstream.call(outboundOf(runtime, exchange, plan, root, provider, target), {
    request: exchange,
    cancellation: exchange.cancellation,
    path: root.path,
    strict: target.strict,
    requestTimeoutMs: undefined,
    dropped: () => {},
  });
}

function answerIn(outcome: Outcome): Answer {
  const { status, body, error } = outcome;
  if (status < 300 && error === undefined) {
    abandon(outcome);
    return { success: true, status, error: undefined };
  }
  const json = body.kind === 'bytes' ? asObject(parseJson(Buffer.from(body.bytes).toString('utf8'))) : undefined;
  abandon(outcome);
  const fault = asObject(json?.error);
  const code = asString(fault?.code) ?? asNumber(fault?.code) ?? error ?? 'upstream_error';
  const message = asString(fault?.message) ?? `The provider answered with status ${status}.`;
  return { success: false, status, error: { message, code: String(code) } };
}
