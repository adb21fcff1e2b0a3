import {
  type Directory,
  GatewayError,
  type JsonObject,
  type MaybePromise,
  type PromptEntry,
  type PromptPartialEntry,
  type SavedPromptName,
} from 'portcullis/sdk';
import { type CompiledPrompt, compilePrompt, gatherFor, promptBody } from '../body/prompt-body.ts';
import type { PartialReference } from '../template/references.ts';
import { parseTemplate, type Template } from '../template/template.ts';
import type { Variables } from '../template/variables.ts';
import { readPromptReference, unknownPrompt } from './reference.ts';

/** Finds records; no promise for those that are in memory. */
export type Find = Directory['get'];

/** Whose prompts: those of a workspace, and those that are shared with it. */
export interface Place {
  readonly organisationId: string;
  readonly workspaceId?: string | undefined;
}

/** What a caller fills a prompt with. */
export interface Filling {
  readonly variables: Variables;
  /** Members of the request that take the place of the version's own. */
  readonly overrides: JsonObject;
}

/** One version, ready to be filled in. One object for as long as the version is in memory. */
export interface ReadyPrompt {
  readonly entry: PromptEntry;
  readonly name: SavedPromptName;
  readonly compiled: CompiledPrompt;
  /** The routing config that leads to its provider; undefined: it names none. */
  readonly config: JsonObject | undefined;
}

export interface Filled {
  readonly prompt: ReadyPrompt;
  readonly body: JsonObject;
}

const ready = new WeakMap<PromptEntry, ReadyPrompt>();
const templates = new WeakMap<PromptPartialEntry, Template>();

/**
 * The version that a text names, with its variables filled in: for callers of a workspace. No promise when everything is
 * in memory.
 * @throws GatewayError naming the reference, `param`, when there is nothing to run
 */
export function fillPrompt(
  find: Find,
  { organisationId, workspaceId = '' }: Place,
  text: string,
  filling: Filling,
  param: string,
): MaybePromise<Filled> {
  const reference = readPromptReference(text, param);
  const loadPartial = partialLoader(find, { organisationId, workspaceId });
  const fill = (prompt: ReadyPrompt): MaybePromise<Filled> => {
    const finish = (gathered: Awaited<ReturnType<typeof gatherFor>>): Filled => ({
      prompt,
      body: promptBody(prompt.compiled, filling.variables, gathered.partials, filling.overrides),
    });
    const gathering = gatherFor(prompt.compiled, filling.variables, loadPartial);
    return gathering instanceof Promise ? gathering.then(finish) : finish(gathering);
  };
  const accept = (found: Awaited<ReturnType<Find>> | undefined): MaybePromise<Filled> => {
    if (found === undefined) throw unknownPrompt(reference, param);
    if ('fault' in found) throw new GatewayError('not_found', found.fault, { param });
    return fill(readyPrompt(found as PromptEntry));
  };
  const found = find('prompt', organisationId, workspaceId, reference.name, reference.selector);
  return found instanceof Promise ? found.then(accept) : accept(found);
}

/** Gives the templates of partials as a workspace sees them. */
export function partialLoader(find: Find, { organisationId, workspaceId = '' }: Place) {
  return ({ name, selector }: PartialReference): MaybePromise<Template | undefined> => {
    const found = find('promptPartial', organisationId, workspaceId, name, selector);
    return found instanceof Promise ? found.then(templateOf) : templateOf(found);
  };
}

function readyPrompt(entry: PromptEntry): ReadyPrompt {
  const known = ready.get(entry);
  if (known !== undefined) return known;
  const { id, slug, version, versionId, providerSlug, model, toolChoice, tools, functions } = entry;
  const prompt: ReadyPrompt = {
    entry,
    name: { id, slug, version, versionId },
    compiled: compilePrompt({ ...entry, model, tools, functions, toolChoice }),
    config: providerSlug === undefined ? undefined : { provider: `@${providerSlug}` },
  };
  ready.set(entry, prompt);
  return prompt;
}

function templateOf(entry: PromptPartialEntry | undefined): Template | undefined {
  if (entry === undefined) return undefined;
  const known = templates.get(entry) ?? parseTemplate(entry.string);
  templates.set(entry, known);
  return known;
}

/** The model as it is asked for: with the version's provider, where it names none itself. */
export function routedBody({ prompt, body }: Filled): JsonObject {
  const { providerSlug } = prompt.entry;
  const { model } = body;
  if (providerSlug === undefined || typeof model !== 'string' || model.startsWith('@')) return body;
  return { ...body, model: `@${providerSlug}/${model}` };
}
