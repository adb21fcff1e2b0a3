import {
  type Action,
  asArray,
  field,
  GatewayError,
  nullable,
  type Operation,
  type StoredRecord,
  schema,
} from 'portcullis/sdk';
import { nouns, readable } from '../records/reach.ts';
import type { Kind } from '../records/table.ts';
import { mostRecipients, refusedAt, workspacesNamed } from './recipients.ts';
import { isForAll } from './table.ts';
import { dropShares, type HeldShares, holdShares } from './write.ts';

/** `POST .../unshare`: who owns it drops recipients, and a recipient drops itself. */
export function unshareAction(kind: Kind, path: string): Action {
  return {
    method: 'post',
    path: `${path}/:id/unshare`,
    summary: `Take a ${nouns[kind]} from workspaces that it is shared with`,
    needs: ['prompts.update'],
    in: 'either',
    body: schema.Object({
      workspace_id: schema.Optional(
        nullable(schema.String({ maxLength: 255, description: 'Where the caller acts: the owner or a recipient.' })),
      ),
      workspaces: schema.Optional(nullable(field.list(field.id(), { maxItems: mostRecipients }))),
    }),
    reply: schema.Object({}),
    run: async (operation) => {
      const { workspaceId } = operation.scope;
      const record = await readable(operation, kind);
      const asOwner = workspaceId === undefined || workspaceId === record.workspace_id;
      const dropped = asOwner ? await droppedByOwner(operation) : [await itself(operation, workspaceId, kind)];
      const held = await holdShares(operation, kind, record);
      checkNamed(held, dropped);
      await dropShares(operation, held, dropped);
      operation.audit(effectOf(record, kind, dropped));
      return {};
    },
  };
}

async function droppedByOwner(operation: Operation): Promise<readonly string[]> {
  const named = await workspacesNamed(operation, operation.body.workspaces);
  if (named.length > 0) return named;
  throw new GatewayError('bad_request', 'workspaces must name the workspaces to take it from, by id or slug.', {
    param: 'workspaces',
  });
}

/** @throws GatewayError `forbidden` when the recipient names others */
async function itself(operation: Operation, workspaceId: string, kind: Kind): Promise<string> {
  const { organisationId } = operation.scope;
  const own = await operation.records('workspaces').get({ organisationId }, workspaceId);
  const index = asArray(operation.body.workspaces).findIndex((name) => name !== own.id && name !== own.slug);
  if (index < 0) return workspaceId;
  throw new GatewayError(
    'forbidden',
    `A workspace that the ${nouns[kind]} is shared with drops itself alone: name no other, or ask its owner.`,
    { param: `workspaces[${index}]` },
  );
}

/** @throws GatewayError for a workspace that has it not, or has it because all have it */
function checkNamed({ kind, shares }: HeldShares, dropped: readonly string[]): void {
  if (shares.some(isForAll)) {
    throw new GatewayError(
      'conflict',
      `The ${nouns[kind]} is shared with every workspace, so it cannot be taken from one: its owner shares it with named ones first (PUT .../share).`,
      { param: 'allow_all_workspaces' },
    );
  }
  const having = new Set(shares.map(({ workspace_id }) => workspace_id));
  const index = dropped.findIndex((id) => !having.has(id));
  if (index >= 0) throw refusedAt(index, `is no workspace that the ${nouns[kind]} is shared with`);
}

/** The route loads the record by itself, so the audit log is told here which one it was. */
function effectOf({ id, slug, workspace_id }: StoredRecord, kind: Kind, dropped: readonly string[]) {
  return { resource: kind, id, slug, owning_workspace_id: workspace_id, workspaces: dropped };
}
