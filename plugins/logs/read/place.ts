import { type LogPlace, type Operation, ownKeys } from 'portcullis/sdk';

/** Where the caller of an operation may look: its workspace, or the whole organisation, and there at its own keys or all. */
export async function placeOf(operation: Operation): Promise<LogPlace> {
  const { organisationId, workspaceId } = operation.scope;
  const keyIds = await ownKeys(operation);
  return {
    organisationId,
    ...(workspaceId === undefined ? {} : { workspaceIds: [workspaceId] }),
    ...(keyIds === undefined ? {} : { keyIds }),
  };
}
