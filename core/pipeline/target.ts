import { Answer, type JsonObject, type MaybePromise, type Outcome, type TargetContext } from 'portcullis/sdk';
import { holdsLines, judgeLines } from '../batches/lines-in.ts';
import type { Leaf } from '../routing/plan.ts';
import { allowedModel } from './allowed-models.ts';
import { attempted, factsOf, outcomeOfError } from './attempt.ts';
import type { Exchange } from './exchange.ts';
import { giveUp } from './given-up.ts';
import { identityOf } from './identity.ts';
import { judged } from './judge.ts';
import type { ResolvedPlan } from './plans.ts';
import { targetBody } from './prompts.ts';
import type { Runtime } from './runtime.ts';
import type { TargetProvider } from './target-provider.ts';

/** Takes one target through the target phases. Whatever a fallback may react to is an outcome, not a throw. */
export async function runTarget(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
): Promise<Outcome> {
  let provider: TargetProvider | undefined;
  try {
    if (exchange.replied !== undefined) await giveUp(runtime, exchange);
    exchange.providerSlug = undefined;
    exchange.sentAs = undefined;
    const filling = targetBody(runtime, exchange, plan, leaf);
    const body = filling instanceof Promise ? await filling : filling;
    const found = runtime.settings.providerOf(leaf, exchange, body);
    provider = found instanceof Promise ? await found : found;
    exchange.providerSlug = provider.slug;
    const prepared = prepareTarget(runtime, exchange, plan, leaf, provider, body);
    const target = prepared instanceof Promise ? await prepared : prepared;
    if (target instanceof Answer) return target.outcome;
    exchange.askedBody = target.body;
    const denied = holdsLines(exchange, provider, target)
      ? await judgeLines(runtime, exchange, provider, target)
      : undefined;
    if (denied !== undefined) return denied.outcome;
    const answer = target.cache === undefined ? undefined : await lookedUp(runtime, exchange, target);
    exchange.clock.called();
    if (answer !== undefined) return await judged(runtime, exchange, target, answer);
    return await attempted(runtime, exchange, plan, leaf, provider, target);
  } catch (error) {
    return outcomeOfError(runtime, exchange, error, factsOf(exchange, provider, undefined, leaf));
  }
}

async function lookedUp(
  { pipeline }: Runtime,
  { clock }: Exchange,
  target: TargetContext,
): Promise<Outcome | undefined> {
  const since = performance.now();
  try {
    return await pipeline.lookup(target);
  } finally {
    clock.spend('cache', since);
  }
}

/** The target after the phases that may change its body, or what one of them answers in its place. */
function prepareTarget(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
  provider: TargetProvider,
  body: JsonObject,
): MaybePromise<TargetContext | Answer> {
  const target = shapeTarget(runtime, exchange, plan, leaf, provider, body);
  return target instanceof Promise
    ? target.then((shaped) => checkedTarget(runtime, exchange, shaped))
    : checkedTarget(runtime, exchange, target);
}

function checkedTarget(
  runtime: Runtime,
  { clock }: Exchange,
  target: TargetContext,
): MaybePromise<TargetContext | Answer> {
  const since = performance.now();
  const passed = passTarget(runtime, target);
  if (passed instanceof Promise) return passed.finally(() => clock.spend('guardrailsBefore', since));
  clock.spend('guardrailsBefore', since);
  return passed;
}

/** The target as plugins that may answer in the place of its provider get it. */
export function shapeTarget(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
  provider: TargetProvider,
  given: JsonObject,
): MaybePromise<TargetContext> {
  const target: TargetContext = {
    request: exchange,
    path: leaf.path,
    name: leaf.name,
    provider: provider.unit.name,
    providerSlug: provider.slug,
    body: given,
    strict: exchange.strict && leaf.strict !== false,
    retry: leaf.retry,
    overrideParams: leaf.overrideParams,
    defaultParams: leaf.defaultParams,
    dropParams: leaf.dropParams,
    hooks: leaf.hooks,
    cache: leaf.cache,
    identity() {
      return identityOf(runtime, exchange, plan, leaf, provider, this);
    },
    region() {
      const { region } = provider.unit.definition;
      if (region === undefined) return undefined;
      const model = allowedModel(exchange, provider, this);
      return region(runtime.settings.settingsOf(leaf, provider, plan, exchange, model).settings);
    },
  };
  const body = runtime.pipeline.prepare(target);
  return body instanceof Promise ? body.then((made) => withBody(target, made)) : withBody(target, body);
}

/** The target with the body that leaves, or what a plugin answers in the place of its provider. */
export function passTarget({ pipeline }: Runtime, target: TargetContext): MaybePromise<TargetContext | Answer> {
  const body = pipeline.beforeRequest(target);
  return body instanceof Promise ? body.then((made) => passedOn(target, made)) : passedOn(target, body);
}

function passedOn(target: TargetContext, body: TargetContext['body'] | Answer): TargetContext | Answer {
  return body instanceof Answer ? body : withBody(target, body);
}

function withBody(target: TargetContext, body: TargetContext['body']): TargetContext {
  return body === target.body ? target : { ...target, body };
}
