import { type Action, field, GatewayError, nullable, type Operation, type StoredRecord, schema } from 'portcullis/sdk';
import { nouns } from '../records/reach.ts';
import type { Kind } from '../records/table.ts';
import { mostRecipients, refusedAt, workspacesNamed } from './recipients.ts';
import { recipientsShape, sharingShape, shownRecipients, shownSharing } from './shown.ts';
import { everyWorkspace } from './table.ts';
import { addShares, dropAllShares, dropShares, type HeldShares, holdShares } from './write.ts';

const body = schema.Object({
  allow_all_workspaces: schema.Optional(
    nullable(schema.Boolean({ description: 'Every workspace of the organisation, those to come included.' })),
  ),
  workspaces: schema.Optional(nullable(field.list(field.id(), { maxItems: mostRecipients }))),
});
const reply = schema.Object({ id: field.id(), ...sharingShape, ...recipientsShape });

/** `POST`, `PUT` and `DELETE` of `.../share`, for those who may change the prompt or partial where it belongs. */
export function shareActions(kind: Kind, path: string): readonly Action[] {
  const noun = nouns[kind];
  const route = { path: `${path}/:id/share`, needs: ['prompts.update'], of: kind };
  return [
    {
      ...route,
      method: 'post',
      summary: `Share a ${noun} with more workspaces`,
      body,
      reply,
      run: async (operation, record) => {
        const shared = record as StoredRecord;
        const recipients = await recipientsIn(operation, shared, kind);
        if (recipients.length === 0) throw nobodyNamed();
        const held = await holdShares(operation, kind, shared);
        return shown(operation, await addShares(operation, held, recipients));
      },
    },
    {
      ...route,
      method: 'put',
      summary: `Say which workspaces a ${noun} is shared with, in place of those before`,
      body,
      reply,
      run: async (operation, record) => {
        const shared = record as StoredRecord;
        const { allow_all_workspaces: all, workspaces } = operation.body;
        if (all !== true && (workspaces === undefined || workspaces === null)) throw nobodyNamed();
        const recipients = new Set(await recipientsIn(operation, shared, kind));
        const held = await holdShares(operation, kind, shared);
        const dropped = held.shares.map(({ workspace_id }) => workspace_id).filter((id) => !recipients.has(id));
        const kept = await dropShares(operation, held, dropped);
        return shown(operation, await addShares(operation, kept, recipients));
      },
    },
    {
      ...route,
      method: 'delete',
      summary: `Share a ${noun} with nobody any more`,
      reply: schema.Object({}),
      run: async (operation, record) => {
        await dropAllShares(operation, kind, record as StoredRecord);
        return {};
      },
    },
  ];
}

/** @throws GatewayError `bad_request` for a workspace that is unknown, or that owns it */
async function recipientsIn(
  operation: Operation,
  { workspace_id: owner }: StoredRecord,
  kind: Kind,
): Promise<readonly string[]> {
  const { allow_all_workspaces: all, workspaces } = operation.body;
  const named = await workspacesNamed(operation, workspaces);
  const own = named.indexOf(owner ?? '');
  if (own >= 0) throw refusedAt(own, `is the workspace that the ${nouns[kind]} belongs to: it has it already`);
  return all === true ? [everyWorkspace, ...named] : named;
}

function nobodyNamed(): GatewayError {
  return new GatewayError(
    'bad_request',
    'workspaces must name workspaces, by id or slug, unless allow_all_workspaces is true.',
    { param: 'workspaces' },
  );
}

function shown(operation: Operation, { record: { id, workspace_id }, shares }: HeldShares) {
  return { id, ...shownSharing(operation, shares), ...shownRecipients(operation, workspace_id, shares) };
}
