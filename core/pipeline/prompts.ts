import {
  type DialectName,
  type Endpoint,
  GatewayError,
  type JsonObject,
  type MaybePromise,
  type ResolvedPrompt,
} from 'portcullis/sdk';
import { validateRequest } from '../http/validate.ts';
import type { Leaf } from '../routing/plan.ts';
import type { Exchange } from './exchange.ts';
import type { ResolvedPlan } from './plans.ts';
import type { Runtime } from './runtime.ts';

/** What a request for a prompt of each kind is served as. */
const shapes: Readonly<Record<ResolvedPrompt['kind'], { readonly endpoint: Endpoint; readonly dialect: DialectName }>> =
  {
    chat: { endpoint: 'chatComplete', dialect: 'chat' },
    completions: { endpoint: 'complete', dialect: 'completions' },
  };

/**
 * Makes a request for a saved prompt one of the prompt's kind.
 * @throws GatewayError `not_available` when no plugin has resolved it
 */
export function enterPrompt(exchange: Exchange, prompt: ResolvedPrompt | undefined): void {
  if (exchange.endpoint !== 'promptComplete') return;
  if (prompt === undefined) throw new GatewayError('not_available', 'No enabled plugin serves saved prompts.');
  const { endpoint, dialect } = shapes[prompt.kind];
  exchange.endpoint = endpoint;
  exchange.dialect = dialect;
  exchange.addressedPrompt = prompt.name;
  exchange.prompt = prompt.name;
}

/** The body that a target begins with: that of the request, or of the prompt that the target names. */
export function targetBody(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
): MaybePromise<JsonObject> {
  if (!plan.runsPrompts) return exchange.body;
  exchange.prompt = exchange.addressedPrompt;
  if (leaf.promptId === undefined) return withoutVariables(exchange.body);
  const accept = ({ kind, name, body }: ResolvedPrompt & { readonly body: JsonObject }): JsonObject => {
    if (shapes[kind].endpoint !== exchange.endpoint) throw wrongKind(leaf.promptId ?? '', kind);
    validateRequest(kind, body, { strict: exchange.strict && leaf.strict !== false });
    exchange.prompt = name;
    return body;
  };
  const filled = runtime.pipeline.prompt(exchange, leaf.promptId);
  return filled instanceof Promise ? filled.then(accept) : accept(filled);
}

/** They are for the targets that run prompts, and no provider knows them. */
function withoutVariables(body: JsonObject): JsonObject {
  if (body.variables === undefined) return body;
  const { variables: _, ...rest } = body;
  return rest;
}

function wrongKind(reference: string, kind: ResolvedPrompt['kind']): GatewayError {
  const what = kind === 'chat' ? 'chat completions' : 'text completions';
  const text = `The prompt "${reference.slice(0, 100)}" is for ${what}, and the request is not one of these.`;
  return new GatewayError('invalid_config', text, { param: 'prompt_id' });
}
