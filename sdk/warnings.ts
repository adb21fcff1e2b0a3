import type { Operation, Scope, StoredRecord } from './contracts/control.ts';
import type { DirectoryKind, DirectoryKinds } from './contracts/directory.ts';
import { GatewayError } from './errors.ts';
import { promptReference } from './prompt-reference.ts';
import { schema } from './schema.ts';

/** What was saved all the same, and will not work as it is. */
export type Warning = {
  /** The member of the body: `config.targets[0].virtual_key`. */
  readonly param: string;
  /** A sentence for people. */
  readonly message: string;
};

/** `warnings` of a reply. */
export const warningsField = schema.Optional(
  schema.Array(schema.Object({ param: schema.String(), message: schema.String() }), {
    description: 'What was saved all the same, and will not work as it is; absent where there is nothing to say.',
  }),
);

/** `warnings` as a reply has it: no member for none. */
export function warningsIn(warnings: readonly Warning[]): { readonly warnings?: readonly Warning[] } {
  return warnings.length === 0 ? {} : { warnings };
}

/** Where requests that use the record look for what it names. */
export function placeOfRequests({ organisation_id, workspace_id }: StoredRecord): Scope {
  return { organisationId: organisation_id, workspaceId: workspace_id ?? '' };
}

type Loading = Pick<Operation, 'load'>;

/** Undefined: requests of the place find such a provider. */
export async function providerWarning(
  operation: Loading,
  place: Scope,
  slug: string,
  param: string,
): Promise<Warning | undefined> {
  if ((await found(operation, 'provider', place, slug)) !== undefined) return undefined;
  const message = `No provider that this workspace may use goes by "${shown(slug)}": requests fail until there is one.`;
  return { param, message };
}

/** Undefined: requests of the place find the version of the prompt that the text names. */
export async function promptWarning(
  operation: Loading,
  place: Scope,
  text: string,
  param: string,
): Promise<Warning | undefined> {
  const reference = promptReference(text);
  const entry =
    reference === undefined ? undefined : await found(operation, 'prompt', place, reference.name, reference.selector);
  if (entry === undefined) {
    const message = `No prompt that this workspace may use goes by "${shown(text)}": requests fail until there is one.`;
    return { param, message };
  }
  return entry !== unreadable && 'fault' in entry ? { param, message: entry.fault } : undefined;
}

/** It is there, and why it cannot be read is for requests to say. */
const unreadable = Symbol('unreadable');

async function found<K extends DirectoryKind>(
  operation: Loading,
  kind: K,
  { organisationId, workspaceId = '' }: Scope,
  ...names: readonly string[]
): Promise<DirectoryKinds[K] | typeof unreadable | undefined> {
  try {
    return await operation.load(kind, organisationId, workspaceId, ...names);
  } catch (error) {
    if (GatewayError.is(error)) return unreadable;
    throw error;
  }
}

function shown(name: string): string {
  return name.slice(0, 100);
}
