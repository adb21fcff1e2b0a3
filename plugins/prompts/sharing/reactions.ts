import { GatewayError, type Operation, type Reaction, type StoredRecord } from 'portcullis/sdk';
import { nouns } from '../records/reach.ts';
import { type Kind, versionTables } from '../records/table.ts';
import type { Share } from './table.ts';
import { dropAllShares } from './write.ts';

export const reactions: Readonly<Record<string, Reaction>> = {
  'workspaces.removing': async (operation, workspace, { force }) => {
    if (force !== true) await refuseWhileSharing(operation, workspace);
  },
  'workspaces.removed': forgetWorkspace,
  'prompts.removed': (operation, record) => dropAllShares(operation, 'prompts', record),
  'prompt_partials.removed': (operation, record) => dropAllShares(operation, 'prompt_partials', record),
};

const kinds = Object.keys(versionTables) as readonly Kind[];
/** The most of a kind that the refusal names. */
const mostNamed = 10;

/** Others would lose what they use. @throws GatewayError `conflict` that names it */
async function refuseWhileSharing(operation: Operation, workspace: StoredRecord): Promise<void> {
  const named: string[] = [];
  for (const kind of kinds) named.push(...(await sharedBy(operation, workspace, kind)));
  if (named.length === 0) return;
  throw new GatewayError(
    'conflict',
    `The workspace shares ${named.join(' and ')} with other workspaces: end that first (DELETE .../share), or send force_delete: true.`,
    { param: 'force_delete' },
  );
}

async function sharedBy(operation: Operation, workspace: StoredRecord, kind: Kind): Promise<readonly string[]> {
  const organisation_id = workspace.organisation_id;
  const shares = (await operation
    .db<Share>('prompt_shares')
    .where({ organisation_id, owner_workspace_id: workspace.id, kind })
    .distinct('record_id')) as readonly Pick<Share, 'record_id'>[];
  if (shares.length === 0) return [];
  const { total, records } = await operation
    .records(kind)
    .list(
      { organisationId: organisation_id },
      { where: { id: shares.map(({ record_id }) => record_id) }, archived: false, pageSize: mostNamed },
    );
  if (total === 0) return [];
  const names = records.map(({ slug, id }) => slug ?? id).join(', ');
  const more = total > records.length ? ` and ${total - records.length} more` : '';
  return [`the ${nouns[kind]}${total === 1 ? '' : 's'} ${names}${more}`];
}

/** What it shared is shared no more, and what it was given is not kept for it. */
async function forgetWorkspace({ db }: Operation, { id, organisation_id }: StoredRecord): Promise<void> {
  await db<Share>('prompt_shares').where({ organisation_id, owner_workspace_id: id }).delete();
  await db<Share>('prompt_shares').where({ organisation_id, workspace_id: id }).delete();
}
