import {
  type Access,
  type DefaultGuardrails,
  GatewayError,
  type MaybePromise,
  type OrganisationEntry,
  type WorkspaceEntry,
} from 'portcullis/sdk';
import type { Exchange } from './exchange.ts';
import type { Runtime } from './runtime.ts';

/**
 * Lets a caller whose permission has been checked into its workspace: puts the records of organisation and workspace on
 * the exchange, and the guardrails that run on each of its requests. No promise when they are known.
 * @throws GatewayError `forbidden`; `not_ready` when the records cannot be had
 */
export function enterWorkspace({ directory, config }: Runtime, exchange: Exchange): MaybePromise<void> {
  const { access, guardrails } = exchange.principal;
  if (access === undefined) {
    exchange.defaultGuardrails = defaults(config.defaultGuardrails, guardrails);
    return undefined;
  }
  if (directory === undefined) throw new GatewayError('not_ready', 'The gateway has no records of organisations.');
  const organisation = directory.get('organisation', access.organisationId);
  const workspace = directory.get('workspace', access.organisationId, access.workspaceId ?? '');
  if (organisation instanceof Promise || workspace instanceof Promise) {
    return Promise.all([organisation, workspace]).then((entries) => enter(exchange, access, ...entries));
  }
  return enter(exchange, access, organisation, workspace);
}

function enter(
  exchange: Exchange,
  access: Access,
  organisation: OrganisationEntry | undefined,
  workspace: WorkspaceEntry | undefined,
): void {
  // A slug that was given to another workspace since must not lead there.
  if (organisation === undefined || workspace === undefined || workspace.id !== access.workspaceId) {
    throw new GatewayError('forbidden', 'The workspace of this key no longer exists.');
  }
  if (workspace.status !== 'active') {
    throw new GatewayError('forbidden', `The workspace "${workspace.slug}" is archived.`);
  }
  exchange.organisation = organisation;
  exchange.workspace = workspace;
  exchange.defaultGuardrails = defaults(organisation.guardrails, workspace.guardrails, exchange.principal.guardrails);
}

function defaults(...levels: readonly (DefaultGuardrails | undefined)[]): readonly DefaultGuardrails[] | undefined {
  if (levels.every((level) => level === undefined)) return undefined;
  return levels.filter((level) => level !== undefined);
}
