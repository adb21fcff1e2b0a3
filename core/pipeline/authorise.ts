import { type Endpoint, GatewayError } from 'portcullis/sdk';
import type { Exchange } from './exchange.ts';

const infers: readonly string[] = ['completions.write'];

/** The permissions of which a caller who belongs to an organisation needs one. */
const needed: Readonly<Record<Endpoint, readonly string[]>> = {
  chatComplete: infers,
  complete: infers,
  embed: infers,
  rerank: infers,
  imageGenerate: infers,
  messages: infers,
  messagesCountTokens: infers,
  createModelResponse: infers,
  getModelResponse: infers,
  deleteModelResponse: infers,
  listResponseInputItems: infers,
  promptComplete: infers,
  listModels: ['completions.write', 'virtual_keys.list'],
  proxy: infers,
};

/**
 * Whether the caller may use the route at all; callers of the operator's file may use every one.
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
  const permissions = needed[endpoint];
  if (permissions.some((permission) => scopes.has(permission))) return;
  throw new GatewayError('forbidden', `This needs the permission ${permissions.join(' or ')}, which the caller lacks.`);
}
