import { type LogFilter, type Operation, ownKeys, readLogFilter, readPeriod } from 'portcullis/sdk';

/**
 * The requests that a call is about: those of the workspace that is named, of the caller's own, or of the default workspace
 * of the organisation. All of them together where that is asked for with `all_workspaces=true`, or where they are compared.
 * @throws GatewayError `bad_request` naming the parameter
 */
export async function filterOf(
  operation: Operation,
  { everywhere = false }: { readonly everywhere?: boolean } = {},
): Promise<LogFilter> {
  const { query, scope, now } = operation;
  const { organisationId } = scope;
  const all = everywhere || query.all_workspaces === 'true';
  const workspaceId = scope.workspaceId ?? (all ? undefined : await defaultWorkspace(operation));
  const keyIds = await ownKeys(operation);
  const place = {
    organisationId,
    ...(workspaceId === undefined ? {} : { workspaceIds: [workspaceId] }),
    ...(keyIds === undefined ? {} : { keyIds }),
  };
  return readLogFilter(query, place, readPeriod(query, { now }));
}

async function defaultWorkspace({ records, scope }: Operation): Promise<string | undefined> {
  const { organisationId } = scope;
  const { default_workspace_id: id } = await records('organisations').get({ organisationId }, organisationId);
  return typeof id === 'string' ? id : undefined;
}
