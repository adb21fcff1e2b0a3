import { type Action, schema, type Values } from 'portcullis/sdk';
import { nouns } from './reach.ts';
import { demandVersion } from './select.ts';
import type { Kind, VersionedRecord, VersionRow } from './table.ts';
import type { Write } from './write.ts';

/**
 * `PUT .../makeDefault`: the version becomes the Published one.
 * @param valuesOf what the record itself tells of its Published version
 */
export function publishAction(
  write: Write,
  kind: Kind,
  path: string,
  valuesOf: (version: VersionRow) => Values,
): Action {
  return {
    method: 'put',
    path: `${path}/:id/makeDefault`,
    summary: `Publish a version of a ${nouns[kind]}`,
    needs: ['prompts.publish'],
    of: kind,
    transaction: false,
    body: schema.Object({ version: schema.Integer({ minimum: 1, maximum: 2_147_483_647 }) }),
    reply: schema.Object({}, { additionalProperties: false }),
    run: async (operation, record) => {
      const number = Number(operation.body.version);
      await write(kind, record as VersionedRecord, async (own, locked) => {
        const version = await demandVersion(own.db, kind, locked, String(number));
        await own.records(kind).update(own.scope, locked.id, {
          published_version: number,
          updated_by: operation.actorId,
          ...valuesOf(version),
        });
      });
      operation.audit({ version: number });
      return {};
    },
  };
}
