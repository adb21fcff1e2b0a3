import { asArray, GatewayError, type Json, type Operation } from 'portcullis/sdk';

/** The most workspaces that one call names. */
export const mostRecipients = 1000;

/**
 * Ids of the workspaces that a body names as `workspaces`, one for each name.
 * @throws GatewayError `bad_request` for one that is no active workspace of the organisation
 */
export async function workspacesNamed(operation: Operation, given: Json | undefined): Promise<readonly string[]> {
  const { organisationId } = operation.scope;
  const workspaces = operation.records('workspaces');
  const ids: string[] = [];
  for (const [index, name] of asArray(given).entries()) {
    const found = await workspaces.find({ organisationId }, String(name));
    if (found?.status !== 'active')
      throw refusedAt(
        index,
        `is "${String(name).slice(0, 100)}", which is neither the id nor the slug of an active workspace here`,
      );
    ids.push(found.id);
  }
  return ids;
}

export function refusedAt(index: number, why: string): GatewayError {
  const param = `workspaces[${index}]`;
  return new GatewayError('bad_request', `${param} ${why}.`, { param });
}
