import {
  asArray,
  asObject,
  type Completion,
  type DialectName,
  deltasOf,
  dialects,
  type Endpoint,
  type GenerationDialect,
  type Json,
  type JsonObject,
  type Outcome,
  type ReplyContext,
  type TargetContext,
} from 'portcullis/sdk';
import { denies, type HookRun } from '../run/runs.ts';
import { isClient, withFirst } from '../stream/events.ts';

const denialText =
  'The guardrail checks defined in the config failed. You can find more information in the `hook_results` object.';

/** Where the reply is an answer of a model; the count of a request's tokens, for one, is none. */
const answering: ReadonlySet<Endpoint> = new Set(['chatComplete', 'complete', 'messages', 'createModelResponse']);

type Charged = Pick<Outcome, 'usage' | 'tier' | 'region' | 'metering' | 'cache' | 'savedNanoUsd'> &
  Partial<Pick<Outcome, 'model'>>;

interface DenialFacts extends Charged {
  readonly now: number;
  readonly newId: () => string;
}

/** What the provider has charged for, or the cache has spared, which stays known when its answer is denied; undefined: it has not been asked. */
export function chargedFor(outcome: Outcome | undefined): Charged {
  if (outcome === undefined) return { usage: () => undefined };
  const { usage, model, tier, region, metering, cache, savedNanoUsd } = outcome;
  return {
    usage,
    // Prices go by its name at the provider, which the request may have with the provider's slug.
    ...(model === undefined ? {} : { model }),
    ...(tier === undefined ? {} : { tier }),
    ...(region === undefined ? {} : { region }),
    ...(metering === undefined ? {} : { metering }),
    // What comes out of the cache costs nothing, whatever becomes of it.
    ...(cache === undefined ? {} : { cache }),
    ...(savedNanoUsd === undefined ? {} : { savedNanoUsd }),
  };
}

/** A reply to a client whose request, or whose answer, a guardrail has denied. */
export function denial(
  target: TargetContext,
  runs: readonly HookRun[],
  results: JsonObject,
  facts: DenialFacts,
): Outcome {
  const { endpoint, dialect: clients } = target.request;
  const dialect = answering.has(endpoint) ? generationOf(clients) : undefined;
  const denied = runs.filter(denies);
  if (dialect !== undefined && denied.every(isSoft)) return softDenial(target, dialect, denied, results, facts);
  const fault = { status: 446, message: denialText, type: 'hooks_failed' };
  const body = dialects[target.request.dialect ?? 'chat'].encodeFault(fault, target.request.id);
  // Formats have types of their own, none of which says this: clients look for ours in each of them.
  const error = { ...asObject(body.error), type: fault.type };
  return {
    ...outcomeOf(target, facts),
    status: 446,
    error: 'guardrail_denied',
    body: json({ ...body, error, hook_results: results }),
  };
}

/** Each check that did not pass asks for a soft denial. */
function isSoft({ checks }: HookRun): boolean {
  const failed = checks.filter(({ verdict, error, check }) =>
    verdict === undefined ? error !== undefined && check.onError === 'deny' : !verdict.pass,
  );
  return failed.length > 0 && failed.every(({ check }) => check.softDeny);
}

const idPrefixes: Readonly<Record<GenerationDialect['name'], string>> = {
  chat: 'chatcmpl-',
  completions: 'cmpl-',
  messages: 'msg_',
  responses: 'resp_',
  gemini: '',
  cohere: '',
};

/** The denial as the model's own answer, in the form that the client asked for. */
function softDenial(
  target: TargetContext,
  dialect: GenerationDialect,
  denied: readonly HookRun[],
  results: JsonObject,
  facts: DenialFacts,
): Outcome {
  const message = denied.find(({ hook }) => hook.message !== undefined)?.hook.message ?? denialText;
  const seconds = Math.floor(facts.now / 1000);
  const { model } = target.body;
  const completion: Completion = {
    id: idPrefixes[dialect.name] + facts.newId().replaceAll('-', ''),
    model: typeof model === 'string' ? model : '',
    created: seconds,
    choices: Array.from({ length: choicesAsked(dialect.name, target.body) }, (_, index) => ({
      index,
      parts: [{ type: 'text', text: message }],
      finish: 'stop',
    })),
    usage: facts.usage() ?? { input: 0, output: 0, total: 0 },
  };
  const context: ReplyContext = {
    strict: target.strict,
    dropped: () => {},
    request: target.request.body,
    newId: (prefix) => prefix + facts.newId().replaceAll('-', ''),
    nowSeconds: () => seconds,
  };
  const outcome = { ...outcomeOf(target, facts), status: 200, error: 'guardrail_denied' };
  if (target.body.stream !== true)
    return { ...outcome, body: json({ ...dialect.encodeReply(completion, context), hook_results: results }) };
  const encoder = dialect.encodeStream(context);
  const [opening = '', ...events] = deltasOf(completion).map((delta) => encoder.push(delta));
  const { id, model: named } = completion;
  const start = { type: 'start', id, model: named, created: seconds } as const;
  const first = target.strict || !isClient(dialect) ? opening : withFirst(dialect.name, opening, results, start);
  return {
    ...outcome,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: { kind: 'bytes', bytes: Buffer.from(first + events.join('')) },
  };
}

const mostChoices = 128;

/** How many answers a client waits for. */
function choicesAsked(dialect: GenerationDialect['name'], body: JsonObject): number {
  const asked = countOf(askedIn[dialect]?.(body));
  const prompts = dialect === 'completions' && Array.isArray(body.prompt) ? asArray(body.prompt) : [];
  // Numbers are tokens of one prompt.
  const several = prompts.filter((prompt) => typeof prompt !== 'number').length;
  return Math.min(asked * Math.max(several, 1), mostChoices);
}

/** Where a format says how many answers it wants; the others have one. */
const askedIn: { readonly [Name in GenerationDialect['name']]?: (body: JsonObject) => Json | undefined } = {
  chat: ({ n }) => n,
  completions: ({ n }) => n,
  gemini: (body) => asObject(body.generationConfig ?? body.generation_config)?.candidateCount,
};

function countOf(asked: Json | undefined): number {
  return typeof asked === 'number' && Number.isInteger(asked) ? Math.max(asked, 1) : 1;
}

function outcomeOf(
  target: TargetContext,
  { now: _, newId: __, ...charged }: DenialFacts,
): Omit<Outcome, 'status' | 'body' | 'error'> {
  const { model } = target.body;
  return {
    headers: { 'content-type': 'application/json; charset=utf-8' },
    provider: target.provider,
    model: typeof model === 'string' ? model : undefined,
    path: target.path,
    retries: 0,
    ...charged,
  };
}

function json(body: JsonObject): Outcome['body'] {
  return { kind: 'bytes', bytes: Buffer.from(JSON.stringify(body)) };
}

export function generationOf(name: DialectName | undefined): GenerationDialect | undefined {
  const dialect = name === undefined ? undefined : dialects[name];
  return dialect?.kind === 'generation' ? dialect : undefined;
}
