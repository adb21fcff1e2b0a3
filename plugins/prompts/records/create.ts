import {
  asString,
  field,
  type Operation,
  type ReplyRule,
  type StoredRecord,
  schema,
  type Values,
  warningsField,
} from 'portcullis/sdk';
import { collectionFor } from '../collections/find.ts';
import { promptVersion } from './prompt-version.ts';
import type { Kind, VersionedRecord } from './table.ts';
import { appendVersion, knownVersion, type VersionText } from './versions.ts';
import { warningsOf } from './warnings.ts';

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

type Reply = ReplyRule<{ readonly record: StoredRecord; readonly shown: object }>;

/** `{ id, slug, version_id }` of a new partial. */
export const createdPartial: Reply = {
  schema: schema.Object(names, { additionalProperties: false }),
  of: async ({ record }, operation) => (await created(operation, 'prompt_partials', record)).names,
};

/** The same of a new prompt, with `object`, and `warnings` where there are any. */
export const createdPrompt: Reply = {
  schema: schema.Object(
    { ...names, object: schema.Literal('prompt'), warnings: warningsField },
    { additionalProperties: false },
  ),
  of: async ({ record }, operation) => {
    const made = await created(operation, 'prompts', record);
    const warnings = await warningsOf(operation, record, promptVersion(made.version));
    return { ...made.names, object: 'prompt', ...warnings };
  },
};

async function created({ db }: Operation, kind: Kind, record: StoredRecord) {
  const { id, slug } = record as VersionedRecord;
  const version = await knownVersion(db, kind, record, 1);
  return { version, names: { id, slug, version_id: version.id } };
}
