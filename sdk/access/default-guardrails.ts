import type { Operation, Records, Scope, StoredRecord } from '../contracts/control.ts';
import type { DefaultGuardrails } from '../contracts/directory.ts';
import { GatewayError } from '../errors.ts';
import { asArray, asObject, asString, type Json } from '../json.ts';

/** The members of `defaults` that name guardrails. */
export const guardrailDefaults = ['input_guardrails', 'output_guardrails'] as const;

/**
 * The live guardrail that requests of a place reach under this id or slug: one of the workspace itself, or one of its
 * organisation. A scope without a workspace reaches the organisation's own alone.
 */
export async function guardrailInReach<R extends StoredRecord>(
  guardrails: Pick<Records<R>, 'find'>,
  { organisationId, workspaceId }: Scope,
  idOrSlug: string,
): Promise<R | undefined> {
  const found = await guardrails.find({ organisationId }, idOrSlug);
  if (found === undefined || found.status !== 'active') return undefined;
  return found.workspace_id === null || found.workspace_id === workspaceId ? found : undefined;
}

/**
 * The ids of the guardrails that a list names, each once: an entry is an id, a slug, or an object with one of the two.
 * @param place where they are to run
 * @throws GatewayError `bad_request` naming the entry: `defaults.input_guardrails[0]`
 */
export async function guardrailIds(
  operation: Operation,
  given: Json | undefined,
  place: Scope,
  param: string,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const [index, entry] of asArray(given).entries()) {
    const name = asString(entry) ?? asString(asObject(entry)?.id) ?? asString(asObject(entry)?.slug);
    const refuse = (why: string): never => {
      throw new GatewayError('bad_request', `${param}[${index}] ${why}.`, { param: `${param}[${index}]` });
    };
    if (name === undefined) return refuse('must be the id or slug of a guardrail, or an object with one of them');
    const found = await guardrailInReach(operation.records('guardrails'), place, name);
    const whose = place.workspaceId === undefined ? 'the organisation' : 'the workspace or its organisation';
    ids.add(found?.id ?? refuse(`names no guardrail of ${whose}: "${name.slice(0, 100)}"`));
  }
  return [...ids];
}

/** The guardrails of a stored list by both of their names; what is gone stays named by its id. */
export async function guardrailNames(
  operation: Operation,
  organisationId: string,
  stored: unknown,
): Promise<readonly { readonly id: string; readonly slug: string }[]> {
  const names: { id: string; slug: string }[] = [];
  for (const id of textsOf(stored)) {
    const found = await operation.records('guardrails').find({ organisationId }, id);
    names.push({ id, slug: found?.slug ?? id });
  }
  return names;
}

/** Which of the two lists holds the guardrail: `input_guardrails`. */
export function defaultNaming(defaults: unknown, guardrailId: string): string | undefined {
  const lists = asObject(defaults) ?? {};
  return guardrailDefaults.find((name) => textsOf(lists[name]).includes(guardrailId));
}

/** Stored lists as entries of the directory hold them: no member where nothing is set. */
export function guardrailsOf(stored: unknown): { readonly guardrails?: DefaultGuardrails } {
  const lists = asObject(stored) ?? {};
  const input = textsOf(lists.input_guardrails);
  const output = textsOf(lists.output_guardrails);
  if (input.length === 0 && output.length === 0) return {};
  return {
    guardrails: { ...(input.length === 0 ? {} : { input }), ...(output.length === 0 ? {} : { output }) },
  };
}

function textsOf(list: unknown): readonly string[] {
  return asArray(list).filter((entry): entry is string => typeof entry === 'string');
}
