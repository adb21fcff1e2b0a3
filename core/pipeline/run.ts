import {
  GatewayError,
  kindsWithoutModel,
  type MaybePromise,
  type Outcome,
  type RequestKind,
  type Resolution,
} from 'portcullis/sdk';
import { pinnedTarget } from '../affinity/pin.ts';
import { ownAnswer } from '../batches/answer.ts';
import { validateRequest } from '../http/validate.ts';
import { type WalkFacts, walk } from '../routing/walk.ts';
import { type Exchange, metadataOf } from './exchange.ts';
import { abandon } from './judge.ts';
import { asksProvider, integratedModel, integratedModels } from './models.ts';
import type { ResolvedPlan } from './plans.ts';
import { enterPrompt } from './prompts.ts';
import type { Runtime } from './runtime.ts';
import { refuseInline } from './saved-only.ts';
import { runTarget } from './target.ts';
import { enterWorkspace } from './workspace.ts';

/**
 * Takes one identified request through the request phases and the router. Throws, or rejects with, what ends it before any
 * target. Steps that need no promise get none: each costs every request.
 */
export function runExchange(
  runtime: Runtime,
  exchange: Exchange,
  kind: RequestKind | undefined,
): MaybePromise<Outcome> {
  const pass = () => runEntered(runtime, exchange, kind);
  return after(enterWorkspace(runtime, exchange), () =>
    after(ownAnswer(runtime, exchange, pass), (own) => own ?? pass()),
  );
}

function runEntered(runtime: Runtime, exchange: Exchange, kind: RequestKind | undefined): MaybePromise<Outcome> {
  if (exchange.endpoint === 'listModels' && !asksProvider(exchange)) return integratedModels(runtime, exchange);
  const ask = () => runResolved(runtime, exchange, kind);
  // A model of the list is looked up there; any other one is for whoever serves callers that name no provider.
  if (exchange.endpoint === 'retrieveModel' && !asksProvider(exchange))
    return after(integratedModel(runtime, exchange), (own) => own ?? ask());
  return ask();
}

function runResolved(runtime: Runtime, exchange: Exchange, kind: RequestKind | undefined): MaybePromise<Outcome> {
  return after(resolvePlan(runtime, exchange, kind), (plan) =>
    after(runtime.pipeline.admit(exchange), () => runAdmitted(runtime, exchange, plan)),
  );
}

function runAdmitted(runtime: Runtime, exchange: Exchange, plan: ResolvedPlan): MaybePromise<Outcome> {
  if (exchange.endpoint === 'listModels' && plan.listsModels) return integratedModels(runtime, exchange);
  return after(pinnedTarget(runtime, exchange, plan), (pinned) => {
    if (pinned !== undefined) return runTarget(runtime, exchange, pinned.plan, pinned.leaf);
    const { root } = plan.plan;
    if (root.kind === 'leaf') return runTarget(runtime, exchange, plan, root);
    return walk(
      plan.plan,
      walkFacts(runtime, exchange, plan),
      (leaf) => runTarget(runtime, exchange, plan, leaf),
      runtime.breakers,
      abandon,
    );
  });
}

/** As `then`, but at once where there is no promise. */
function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What the strategies may look at. */
export function walkFacts(runtime: Runtime, exchange: Exchange, plan: ResolvedPlan): WalkFacts {
  // Nobody may open a breaker for others: by sending their config with a broken key, or by saving one of equal text.
  const scope = plan.inline ? exchange.principal.id : exchange.workspace?.id;
  return {
    metadata: exchange.metadata,
    params: exchange.body,
    path: exchange.path,
    random: runtime.random,
    now: runtime.now,
    cancelled: () => exchange.cancellation.cancelled,
    ...(scope === undefined ? {} : { scope }),
  };
}

const keyRequired = 'An API key is required: send it as x-gw-api-key or as a Bearer token.';
const unknownKey = 'The API key is unknown or revoked.';

/** Who calls. @throws GatewayError `unauthenticated` when no plugin knows the caller, or nobody may call unknown */
export function identify(runtime: Runtime, exchange: Exchange): MaybePromise<void> {
  const accept = (principal: Exchange['principal'] | undefined) => {
    if (principal === undefined || (principal.kind === 'anonymous' && !runtime.open)) {
      const unknown = exchange.control('api-key') !== undefined;
      throw new GatewayError('unauthenticated', unknown ? unknownKey : keyRequired);
    }
    exchange.principal = principal;
  };
  const principal = runtime.pipeline.identify(exchange);
  return principal instanceof Promise ? principal.then(accept) : accept(principal);
}

/** What is asked, and of whom: settles the body, the metadata and the plan of an exchange that has entered its workspace. */
export function resolvePlan(
  runtime: Runtime,
  exchange: Exchange,
  kind: RequestKind | undefined,
): MaybePromise<ResolvedPlan> {
  const judged = refuseInline(runtime, exchange);
  return judged instanceof Promise
    ? judged.then(() => resolved(runtime, exchange, kind))
    : resolved(runtime, exchange, kind);
}

function resolved(runtime: Runtime, exchange: Exchange, kind: RequestKind | undefined): MaybePromise<ResolvedPlan> {
  exchange.metadata = metadataOf(exchange);
  const resolution = runtime.pipeline.resolve(exchange);
  return resolution instanceof Promise
    ? resolution.then((settled) => applyResolution(runtime, exchange, kind, settled))
    : applyResolution(runtime, exchange, kind, resolution);
}

function applyResolution(
  runtime: Runtime,
  exchange: Exchange,
  kind: RequestKind | undefined,
  resolution: Resolution,
): ResolvedPlan {
  enterPrompt(exchange, resolution.prompt);
  if (resolution.body !== undefined) {
    exchange.body = resolution.body;
    // What the client sent is not what is asked.
    exchange.rawBody = undefined;
  }
  if (resolution.metadata !== undefined) exchange.metadata = { ...exchange.metadata, ...resolution.metadata };
  if (exchange.principal.access !== undefined && typeof resolution.config === 'string') {
    const text = `No saved config of this workspace has the id or slug "${resolution.config.slice(0, 100)}".`;
    throw new GatewayError('invalid_config', text, { param: 'x-gw-config' });
  }
  const plan = runtime.plans.planOf(resolution);
  exchange.savedConfig = runtime.plans.nameOf(resolution);
  const schema = resolution.prompt?.kind ?? kind;
  // What prompts put into its place is looked at when it is there.
  if (schema === undefined || plan.promptsOnly) return plan;
  validateRequest(schema, exchange.body, { strict: exchange.strict && !plan.relaxed });
  if (exchange.body.model === undefined && !plan.suppliesModel && !kindsWithoutModel.has(schema)) {
    throw new GatewayError('bad_request', 'model is required: a string that names the model.', { param: 'model' });
  }
  return plan;
}
