import type { Operation, Values } from 'portcullis/sdk';
import { collectionFor } from '../collections/find.ts';
import { demandPartials } from './read-template.ts';
import type { Kind, PartialRecord, PromptRecord, VersionedRecord } from './table.ts';
import { appendVersion, componentsOf, knownVersion, textOf } from './versions.ts';

export interface Destination {
  readonly workspaceId: string;
  /** Default: the name of what is copied. */
  readonly name?: string;
  /** Default: the default collection of the workspace. */
  readonly collectionId?: string;
}

export interface Copied {
  readonly id: string;
  readonly slug: string;
  readonly version_id: string;
}

/**
 * Makes a prompt of its own from the Published version of another: that is its first version, and Published.
 * @throws GatewayError `bad_request` when the workspace has not the collection, or not a partial of the template
 */
export async function copyPrompt(operation: Operation, source: PromptRecord, to: Destination): Promise<Copied> {
  const { id } = await knownVersion(operation.db, 'prompts', source, source.published_version);
  return copied(operation, 'prompts', source, to, {
    model: source.model,
    forked_from_prompt_id: source.id,
    forked_from_prompt_version_id: id,
  });
}

/** As `copyPrompt`. */
export async function copyPartial(operation: Operation, source: PartialRecord, to: Destination): Promise<Copied> {
  return copied(operation, 'prompt_partials', source, to, {});
}

async function copied(
  operation: Operation,
  kind: Kind,
  source: VersionedRecord,
  { workspaceId, name = source.name, collectionId }: Destination,
  own: Values,
): Promise<Copied> {
  const { db, actorId } = operation;
  const scope = { organisationId: source.organisation_id, workspaceId };
  const published = await knownVersion(db, kind, source, source.published_version);
  await demandPartials(operation, scope, componentsOf(published).partials);
  const { id: collection_id } = await collectionFor(operation, scope, collectionId);
  const record = await operation.records<VersionedRecord>(kind).create(scope, {
    name,
    collection_id,
    published_version: 1,
    latest_version: 1,
    updated_by: actorId,
    ...own,
  });
  const { id: version_id } = await appendVersion(operation, kind, record, 1, textOf(published), actorId);
  return { id: record.id, slug: record.slug, version_id };
}
