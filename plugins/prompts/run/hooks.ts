import {
  type Access,
  type FilledPrompt,
  GatewayError,
  type Hooks,
  type Host,
  type MaybePromise,
  type RequestContext,
  type Resolution,
  type ResolvedPrompt,
} from 'portcullis/sdk';
import { readVariables } from '../template/variables.ts';
import { readFilling } from './read-filling.ts';
import { superset } from './superset.ts';
import { type Filled, type Filling, fillPrompt, routedBody } from './versions.ts';

/** Runs saved prompts: by their path, and as targets of configs. */
export function promptHooks(host: Host): Hooks {
  /** What came with a request for a prompt, whose body is replaced. */
  const asked = host.slot<Filling>();

  const fill = (request: RequestContext, reference: string, filling: Filling, param: string): MaybePromise<Filled> =>
    fillPrompt(host.directory, placeOf(request, param), reference, filling, param);

  return {
    resolve: (request) => {
      if (request.endpoint !== 'promptComplete') return undefined;
      const filling = readFilling(request.body);
      asked.set(request, filling);
      const filled = fill(request, request.params.promptId ?? '', filling, 'promptId');
      return filled instanceof Promise ? filled.then(resolutionOf) : resolutionOf(filled);
    },
    prompt: (request, reference) => {
      const filled = fill(request, reference, fillingOfTarget(request, asked.get(request)), 'prompt_id');
      return filled instanceof Promise ? filled.then(targetOf) : targetOf(filled);
    },
    afterRequest: ({ request, body }, outcome) =>
      asked.get(request) === undefined || body.stream === true ? undefined : superset(request, outcome),
    explain: ({ request: { prompt } }) =>
      prompt === undefined ? [] : [`Runs the prompt ${prompt.slug}, version ${prompt.version}.`],
  };
}

function resolutionOf(filled: Filled): Resolution {
  const { config } = filled.prompt;
  return {
    body: routedBody(filled),
    prompt: resolvedOf(filled),
    ...(config === undefined ? {} : { config }),
  };
}

function targetOf(filled: Filled): FilledPrompt {
  return { ...resolvedOf(filled), body: routedBody(filled) };
}

function resolvedOf({ prompt: { name, entry } }: Filled): ResolvedPrompt {
  return { name, kind: entry.type === 'chat' ? 'chat' : 'completions' };
}

/** A model of the request belongs to the prompt that it names, or to its other targets, and so do its texts. */
function fillingOfTarget({ body }: RequestContext, own: Filling | undefined): Filling {
  const { variables, messages: _m, prompt: _p, model: _, ...overrides } = own?.overrides ?? body;
  return { variables: own?.variables ?? readVariables(variables ?? {}), overrides };
}

/** @throws GatewayError for callers who belong to no workspace: the fault of the caller, or of the config that names the prompt */
function placeOf({ principal: { access } }: RequestContext, param: string): Access {
  if (access !== undefined) return access;
  const text = "Saved prompts belong to workspaces: this needs the API key of one, not a key of the operator's file.";
  throw param === 'prompt_id'
    ? new GatewayError('invalid_config', text, { param })
    : new GatewayError('forbidden', text);
}
