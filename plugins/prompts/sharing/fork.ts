import { type Action, asString, field, GatewayError, nullable, type Operation, schema } from 'portcullis/sdk';
import { copyPartial, copyPrompt } from '../records/fork.ts';
import { nouns, readable } from '../records/reach.ts';
import type { Kind, PartialRecord, PromptRecord, VersionedRecord } from '../records/table.ts';
import { refuseOutOfReach } from './out-of-reach.ts';
import { sharesOf } from './reach.ts';
import { holds } from './rights.ts';
import { isForAll } from './table.ts';

/** `POST .../fork`: a copy of the Published version in another workspace, or in the same, with a history of its own. */
export function forkAction(kind: Kind, path: string): Action {
  return {
    method: 'post',
    path: `${path}/:id/fork`,
    summary: `Copy the Published version of a ${nouns[kind]} into a workspace`,
    needs: ['prompts.create'],
    in: 'either',
    body: schema.Object({
      workspace_id: schema.Optional(
        nullable(
          schema.String({ maxLength: 255, description: 'Where it goes; left out: the workspace of the caller.' }),
        ),
      ),
      name: schema.Optional(nullable(field.name())),
      collection_id: schema.Optional(nullable(field.id())),
    }),
    reply: schema.Object({ id: field.id(), slug: field.slug(), version_id: field.id() }),
    run: async (operation) => {
      const workspaceId = await destinationOf(operation);
      const source = await readableRecord(operation, kind, workspaceId);
      await refuseOutOfReach(operation, kind, source, workspaceId);
      const { id, slug, version_id } = await copy(operation, kind, source, workspaceId);
      operation.audit({
        resource: kind,
        id: source.id,
        slug: source.slug,
        workspace_id: workspaceId,
        fork: { id, slug },
      });
      return { id, slug, version_id };
    },
  };
}

function copy(operation: Operation, kind: Kind, source: VersionedRecord, workspaceId: string) {
  const { name, collection_id } = operation.body;
  const to = {
    workspaceId,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof collection_id === 'string' ? { collectionId: collection_id } : {}),
  };
  switch (kind) {
    case 'prompts':
      return copyPrompt(operation, source as PromptRecord, to);
    case 'prompt_partials':
      return copyPartial(operation, source as PartialRecord, to);
  }
}

/** @throws GatewayError unless it is a workspace in which the caller may make prompts */
async function destinationOf({ access, body, scope, records }: Operation): Promise<string> {
  const { organisationId, workspaceId } = scope;
  const named = asString(body.workspace_id) ?? '';
  if (named === '' && workspaceId === undefined) {
    throw new GatewayError('bad_request', 'workspace_id is required: the id or slug of the workspace it goes to.', {
      param: 'workspace_id',
    });
  }
  const found = await records('workspaces').find({ organisationId }, named === '' ? String(workspaceId) : named);
  if (found?.status === 'active' && holds(access, 'prompts.create', found.id)) return found.id;
  throw new GatewayError(
    'forbidden',
    'This needs the permission prompts.create, which the caller does not have in the workspace that workspace_id names.',
    { param: 'workspace_id' },
  );
}

/**
 * What the caller may read: where it belongs, or where it is shared to.
 * @throws GatewayError `not_found`, or `forbidden` where nobody is bound to one place and may know of it
 */
async function readableRecord(operation: Operation, kind: Kind, destination: string): Promise<VersionedRecord> {
  const { access, db, scope } = operation;
  const { organisationId } = scope;
  const from =
    access.workspaceId === undefined ? { organisationId } : { organisationId, workspaceId: access.workspaceId };
  const record = await readable<VersionedRecord>(operation.at(from), kind);
  if (holds(access, 'prompts.read', record.workspace_id)) return record;
  const shares = await sharesOf(db, organisationId, kind, record.id);
  const places = shares.map((share) => (isForAll(share) ? destination : share.workspace_id));
  if (places.some((place) => holds(access, 'prompts.read', place))) return record;
  throw new GatewayError('forbidden', 'This needs the permission prompts.read, which the caller does not have there.');
}
