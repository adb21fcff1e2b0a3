import { type Action, field, type JsonObject, nullable, type Operation, schema, warningsField } from 'portcullis/sdk';
import { asksForVersion, contentOf, versionFields } from './content.ts';
import { namesOf } from './names.ts';
import { promptVersion, textOfVersion } from './prompt-version.ts';
import { readPrompt } from './read-template.ts';
import type { PromptRecord } from './table.ts';
import { appendVersion, knownVersion } from './versions.ts';
import { warningsOf } from './warnings.ts';
import type { Write } from './write.ts';

const optional = Object.fromEntries(Object.entries(versionFields).map(([name, of]) => [name, schema.Optional(of)]));

/** `PUT /prompts/:id`. Publishing is another route, and another permission. */
export function updatePrompt(write: Write): Action {
  return {
    method: 'put',
    path: '/prompts/:id',
    summary: 'Change a prompt: its name and place at once, its content as a new version that is not Published yet',
    needs: ['prompts.update'],
    of: 'prompts',
    transaction: false,
    body: schema.Object({
      name: schema.Optional(field.name()),
      collection_id: schema.Optional(nullable(field.id())),
      patch: schema.Optional(
        nullable(schema.Boolean({ description: 'What is left out of the version stays as it is in the latest one.' })),
      ),
      ...optional,
    }),
    reply: schema.Object(
      { id: field.id(), slug: field.slug(), prompt_version_id: field.id(), warnings: warningsField },
      { additionalProperties: false },
    ),
    run: (operation, record) =>
      write('prompts', record as PromptRecord, (own, locked) => changed(own, operation, locked)),
  };
}

async function changed(own: Operation, { body, actorId }: Operation, record: PromptRecord): Promise<JsonObject> {
  const names = await namesOf(own, body);
  const latest = await knownVersion(own.db, 'prompts', record, record.latest_version);
  if (!asksForVersion(body)) {
    if (Object.keys(names).length > 0)
      await own.records('prompts').update(own.scope, record.id, { ...names, updated_by: actorId });
    return { id: record.id, slug: record.slug, prompt_version_id: latest.id };
  }
  const before = promptVersion(latest);
  const content = contentOf(body, body.patch === true ? before : undefined);
  const version = await readPrompt(own, own.scope, content, before.variable_components);
  const number = record.latest_version + 1;
  const { id } = await appendVersion(own, 'prompts', record, number, textOfVersion(version), actorId);
  await own.records('prompts').update(own.scope, record.id, { ...names, latest_version: number, updated_by: actorId });
  return { id: record.id, slug: record.slug, prompt_version_id: id, ...(await warningsOf(own, record, content)) };
}
