import { GatewayError, type Operation, type Reaction, type StoredRecord } from 'portcullis/sdk';
import { refusal } from '../refusal.ts';
import { displayName, sameName } from './name.ts';

/** The name in the body is a safeguard of the caller's own: it must be the workspace's where it is given. */
export function checkName({ body }: Operation, workspace: StoredRecord): void {
  refuseArchived(workspace);
  const { name } = body;
  if (name === undefined || name === null) return;
  const named = { icon: (workspace.icon ?? null) as string | null, name: String(workspace.name) };
  if (typeof name !== 'string' || ![named.name, displayName(named)].some((own) => sameName(own, name)))
    throw refusal('name', 'is not the name of the workspace; give its exact name, or leave it out');
}

export function refuseArchived(workspace: StoredRecord): void {
  if (workspace.status !== 'archived') return;
  throw new GatewayError('conflict', 'The workspace is archived: it can be read, and neither changed nor used.');
}

/** Whoever joins without a workspace belongs to the default one, so there always is one. */
export const keepDefaultWorkspace: Reaction = async (_, workspace) => {
  if (Number(workspace.is_default) !== 1) return;
  throw new GatewayError(
    'conflict',
    'This is the default workspace, which cannot be deleted; make another one the default first.',
  );
};
