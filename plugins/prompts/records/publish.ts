import { type Action, type Operation, schema, type Values } from 'portcullis/sdk';
import { nouns } from './reach.ts';
import { demandVersion } from './select.ts';
import type { Kind, VersionedRecord, VersionRow } from './table.ts';
import type { Write } from './write.ts';

export interface Publishing<R extends VersionedRecord> {
  readonly kind: Kind;
  /** Of the records. */
  readonly path: string;
  /** Whether the version may be. @throws GatewayError why it may not */
  readonly demand?: (own: Operation, record: R, version: VersionRow) => Promise<void>;
  /** What the record itself tells of its Published version. */
  readonly valuesOf?: (version: VersionRow) => Values;
}

/** `PUT .../makeDefault`: the version becomes the Published one. */
export function publishAction<R extends VersionedRecord>(
  write: Write,
  { kind, path, demand, valuesOf }: Publishing<R>,
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
      await write(kind, record as R, async (own, locked) => {
        const version = await demandVersion(own.db, kind, locked, String(number));
        await demand?.(own, locked, version);
        await own.records(kind).update(own.scope, locked.id, {
          published_version: number,
          updated_by: operation.actorId,
          ...valuesOf?.(version),
        });
      });
      operation.audit({ version: number });
      return {};
    },
  };
}
