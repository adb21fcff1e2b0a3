import { GatewayError, type Operation } from 'portcullis/sdk';

/**
 * The workspace that something is written to.
 * @throws GatewayError `forbidden` without the permission, `bad_request` where no workspace is named
 */
export function workspaceOf({ access, scope }: Operation, permission: string): string {
  const { workspaceId } = scope;
  if (!access.scopesIn(workspaceId).has(permission))
    throw new GatewayError(
      'forbidden',
      `This needs the permission ${permission} too, which the caller does not have here.`,
    );
  if (workspaceId !== undefined) return workspaceId;
  throw new GatewayError('bad_request', 'workspace_id is required: the id or slug of a workspace.', {
    param: 'workspace_id',
  });
}
