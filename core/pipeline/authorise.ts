import { GatewayError } from 'portcullis/sdk';
import type { Exchange } from './exchange.ts';

const infers: readonly string[] = ['completions.write'];
const listsModels: readonly string[] = ['completions.write', 'virtual_keys.list'];

/**
 * Whether the caller may use the route at all, by the permissions of which it needs one; callers of the operator's file may
 * use every one.
 * @throws GatewayError `forbidden` naming the missing permission, or saying that the caller is in no workspace
 */
export function authorise({ endpoint, principal: { access } }: Exchange): void {
  if (access === undefined) return;
  if (access.workspaceId === undefined) {
    const text =
      'Requests to models are made in a workspace, and this caller belongs to the organisation as a whole. Use a workspace API key.';
    throw new GatewayError('forbidden', text);
  }
  const scopes = access.scopesIn(access.workspaceId);
  const permissions = endpoint === 'listModels' || endpoint === 'retrieveModel' ? listsModels : infers;
  if (permissions.some((permission) => scopes.has(permission))) return;
  throw new GatewayError('forbidden', `This needs the permission ${permissions.join(' or ')}, which the caller lacks.`);
}
