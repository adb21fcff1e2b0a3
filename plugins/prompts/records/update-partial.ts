import { type Action, field, type JsonObject, nullable, type Operation, schema } from 'portcullis/sdk';
import { refuseCircle } from './circles.ts';
import { namesOf } from './names.ts';
import { partialDescription, partialString, partialText } from './partial-version.ts';
import { status } from './shown.ts';
import type { PartialRecord } from './table.ts';
import { appendVersion, knownVersion } from './versions.ts';
import type { Write } from './write.ts';

/** `PUT /prompts/partials/:id`. Publishing is another route, and another permission. */
export function updatePartial(write: Write): Action {
  return {
    method: 'put',
    path: '/prompts/partials/:id',
    summary: 'Change a partial: its name at once, its template as a new version that is not Published yet',
    needs: ['prompts.update'],
    of: 'prompt_partials',
    transaction: false,
    body: schema.Object({
      name: schema.Optional(field.name()),
      collection_id: schema.Optional(nullable(field.id())),
      string: schema.Optional(partialString),
      description: schema.Optional(partialDescription),
      version_description: schema.Optional(partialDescription),
      status: schema.Optional(status()),
    }),
    reply: schema.Object({ prompt_partial_version_id: field.id() }, { additionalProperties: false }),
    run: (operation, record) =>
      write('prompt_partials', record as PartialRecord, (own, locked) => changed(own, operation, locked)),
  };
}

async function changed(own: Operation, { body, actorId }: Operation, record: PartialRecord): Promise<JsonObject> {
  const partials = own.records<PartialRecord>('prompt_partials');
  const { string, description = body.version_description } = body;
  const latest = await knownVersion(own.db, 'prompt_partials', record, record.latest_version);
  let versionId = latest.id;
  let changes = await namesOf(own, body);
  if (string !== undefined || description !== undefined) {
    const text = await partialText(own, own.scope, { string: string ?? latest.string, description });
    const number = record.latest_version + 1;
    // As it will be once the version is Published: one that could not be is told of now.
    const next = { ...record, published_version: number, latest_version: number };
    await refuseCircle(own, next, number, text.document.variable_components.partials);
    versionId = (await appendVersion(own, 'prompt_partials', record, number, text, actorId)).id;
    changes = { ...changes, latest_version: number };
  }
  if (Object.keys(changes).length > 0) await partials.update(own.scope, record.id, { ...changes, updated_by: actorId });
  if (body.status === 'archived') await partials.remove(own.scope, record.id);
  return { prompt_partial_version_id: versionId };
}
