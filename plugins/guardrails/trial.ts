import type {
  CheckPhase,
  Checks,
  DialectName,
  Endpoint,
  Host,
  JsonObject,
  Principal,
  RequestContext,
  TargetContext,
} from 'portcullis/sdk';
import { guardrailPlaces } from './definition/form.ts';
import { savedHook } from './definition/hooks.ts';
import { fault } from './definition/values.ts';
import { hookResult } from './reply/results.ts';
import { CheckTime } from './run/check-time.ts';
import { lookAtReply, lookAtRequest } from './run/look-at.ts';
import { runHooks } from './run/run-hooks.ts';

/** What a guardrail is tried on: a text, or a whole request and its reply. */
export interface Sample {
  readonly phase: CheckPhase;
  readonly text?: string;
  /** Default chatComplete. */
  readonly endpoint?: Endpoint;
  readonly body?: JsonObject;
  readonly reply?: JsonObject;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly provider?: string;
  readonly model?: string;
}

export interface TrialFacts {
  readonly checks: Checks;
  readonly credentialsOf: (unit: string) => Promise<JsonObject | undefined>;
  readonly principal: Principal;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Host['log'];
}

const dialects: Readonly<Partial<Record<Endpoint, DialectName>>> = {
  chatComplete: 'chat',
  complete: 'completions',
  embed: 'embeddings',
  messages: 'messages',
  createModelResponse: 'responses',
};

/**
 * Runs a guardrail on a sample, at once and whatever its actions say; gives what `hook_results` would hold, with
 * `transformed_body` where it changed something.
 * @throws GatewayError `invalid_config` for a sample that cannot be one
 */
export async function runTrial(
  saved: { readonly id: string; readonly checks: readonly JsonObject[]; readonly actions: JsonObject },
  sample: Sample,
  facts: TrialFacts,
): Promise<JsonObject> {
  const { phase } = sample;
  const guardrail = savedHook(
    { slug: saved.id, checks: saved.checks, actions: saved.actions },
    guardrailPlaces[phase],
    facts.checks,
    '',
  );
  if (guardrail.checks.length === 0) throw fault('checks', 'hold none that is switched on');
  refuseIdleText(sample);
  const target = targetOf(sample, facts);
  const part = phase === 'beforeRequest' ? target.body : replyOf(sample);
  const look = (body: JsonObject) =>
    phase === 'beforeRequest'
      ? lookAtRequest(target, body)
      : lookAtReply(target, body, { request: false, reply: body !== part });
  const { runs, part: after } = await runHooks(
    { hooks: [{ ...guardrail, async: false, shadow: false }], imposed: new Set() },
    part,
    look,
    {
      time: new CheckTime(),
      now: facts.now,
      log: facts.log,
      detached: false,
      credentialsOf: (_, unit) => facts.credentialsOf(unit),
    },
  );
  const [run] = runs;
  return {
    ...(run === undefined ? {} : hookResult({ ...run, hook: guardrail })),
    ...(after === part ? {} : { transformed_body: after }),
  };
}

/** A text that nothing is tried on would pass for one that was looked at. */
function refuseIdleText({ phase, text, body, reply }: Sample): void {
  if (text === undefined || body === undefined) return;
  if (phase === 'beforeRequest') throw fault('text', 'stands in the place of body: give one of the two');
  if (reply !== undefined) throw fault('text', 'stands in the place of body or reply, and both are there');
}

function replyOf({ text, reply, endpoint = 'chatComplete' }: Sample): JsonObject {
  if (reply !== undefined) return reply;
  if (text !== undefined && endpoint === 'chatComplete')
    return { choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }] };
  throw fault(
    'reply',
    'is required for afterRequest: the reply in the format of the endpoint; for chatComplete a text will do',
  );
}

function targetOf(sample: Sample, { principal, newId, now }: TrialFacts): TargetContext {
  const { endpoint = 'chatComplete', headers = {}, metadata = {}, provider = 'none', model } = sample;
  const body = { ...(model === undefined ? {} : { model }), ...bodyOf(sample) };
  const id = newId();
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const request: RequestContext = {
    id,
    traceId: id,
    method: 'POST',
    path: '/v1/guardrails/test',
    query: '',
    endpoint,
    dialect: dialects[endpoint],
    params: {},
    headers: lower,
    control: () => undefined,
    body,
    startedAt: now(),
    principal,
    metadata,
    strict: true,
    signal: new AbortController().signal,
  };
  return {
    request,
    path: 'config',
    name: undefined,
    provider,
    body,
    strict: true,
    retry: undefined,
    overrideParams: undefined,
    defaultParams: undefined,
    dropParams: undefined,
    hooks: { before: [], after: [] },
    identity: () => '',
  };
}

function bodyOf({ phase, text, body, reply, endpoint = 'chatComplete' }: Sample): JsonObject {
  if (body !== undefined) return body;
  // A text that is the reply is not what was asked as well.
  if (phase === 'afterRequest' && (text === undefined || reply === undefined)) return {};
  if (text === undefined) throw fault('text', 'or body is required: what the guardrail is tried on');
  switch (dialects[endpoint]) {
    case 'completions':
      return { prompt: text };
    case 'embeddings':
    case 'responses':
      return { input: text };
    case 'chat':
    case 'messages':
      return { messages: [{ role: 'user', content: text }] };
    default:
      throw fault('body', `is required for ${endpoint}`);
  }
}
