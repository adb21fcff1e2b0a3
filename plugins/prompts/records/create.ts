import {
  asString,
  field,
  type Operation,
  type ReplyRule,
  type StoredRecord,
  schema,
  type Values,
} from 'portcullis/sdk';
import { collectionFor } from '../collections/find.ts';
import type { Kind, VersionedRecord } from './table.ts';
import { appendVersion, knownVersion, type VersionText } from './versions.ts';

/**
 * Keeps the first version of a record that is being made, which is Published from the start.
 * @returns what is stored of the record, its id among it
 */
export async function withFirstVersion(operation: Operation, kind: Kind, text: VersionText): Promise<Values> {
  const { scope, body, actorId } = operation;
  const { id: collection_id } = await collectionFor(operation, scope, asString(body.collection_id));
  const id = operation.newId();
  await appendVersion(operation, kind, { id, organisation_id: scope.organisationId }, 1, text, actorId);
  return { id, collection_id, published_version: 1, latest_version: 1, updated_by: actorId };
}

const names = { id: field.id(), slug: field.slug(), version_id: field.id() };

/** `{ id, slug, version_id }`, and what `object` says. */
export function createdReply(
  kind: Kind,
  object?: string,
): ReplyRule<{ readonly record: StoredRecord; readonly shown: object }> {
  return {
    schema: schema.Object(object === undefined ? names : { ...names, object: schema.Literal(object) }, {
      additionalProperties: false,
    }),
    of: async ({ record }, { db }) => {
      const { id, slug } = record as VersionedRecord;
      const version = await knownVersion(db, kind, record as VersionedRecord, 1);
      return { id, slug, version_id: version.id, ...(object === undefined ? {} : { object }) };
    },
  };
}
