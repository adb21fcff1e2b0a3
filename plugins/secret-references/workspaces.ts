import { asArray, GatewayError, type JsonObject, type Operation } from 'portcullis/sdk';
import type { ReferenceRecord } from './table.ts';

/** Which workspaces may use a reference. */
export interface Openness {
  readonly allow_all_workspaces: boolean;
  readonly allowed_workspaces: readonly string[];
}

/**
 * What a body says of it; undefined when it says nothing. A list stands for those workspaces alone, and all of them for
 * no list.
 * @throws GatewayError `bad_request`
 */
export async function readOpenness(operation: Operation, body: JsonObject): Promise<Openness | undefined> {
  const { allow_all_workspaces: all, allowed_workspaces: given } = body;
  if (given === undefined || given === null) {
    if (all === undefined || all === null) return undefined;
    if (all === true) return { allow_all_workspaces: true, allowed_workspaces: [] };
    throw new GatewayError('bad_request', 'allowed_workspaces must name at least one workspace when not all are.', {
      param: 'allowed_workspaces',
    });
  }
  const refuse = (why: string): never => {
    throw new GatewayError('bad_request', `allowed_workspaces ${why}.`, { param: 'allowed_workspaces' });
  };
  if (all === true) refuse('must be left out when allow_all_workspaces is true');
  const names = asArray(given);
  if (names.length === 0) refuse('must name at least one workspace');
  const ids = new Set<string>();
  for (const name of names) {
    const workspace = await operation
      .records('workspaces')
      .find({ organisationId: operation.scope.organisationId }, String(name));
    if (workspace === undefined) refuse(`names "${String(name).slice(0, 100)}", which is no workspace here`);
    else ids.add(workspace.id);
  }
  return { allow_all_workspaces: false, allowed_workspaces: [...ids] };
}

/** A workspace that is gone is taken from every list; a list that becomes empty stays one, open to nobody. */
export async function forgetWorkspace(operation: Operation, workspace: { readonly id: string }): Promise<void> {
  const scope = { organisationId: operation.scope.organisationId };
  const references = operation.records<ReferenceRecord>('secret_references');
  for (const { id, allowed_workspaces: allowed } of (await references.list(scope)).records) {
    if (!allowed.includes(workspace.id)) continue;
    await references.update(scope, id, { allowed_workspaces: allowed.filter((one) => one !== workspace.id) });
  }
}
