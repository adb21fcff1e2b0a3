import { GatewayError, type Migration } from 'portcullis/sdk';
import { startOperation } from '../resources/operation.ts';
import { type ControlCapabilities, systemRequest } from './control-host.ts';
import type { ControlUnit } from './plugins.ts';

type Parts = Pick<ControlCapabilities, 'store' | 'operations' | 'newId' | 'now'>;

export const firstStartMigrations: readonly Migration[] = [
  {
    name: '001_first_start',
    up: async (db) => {
      await db.schema.createTable('first_start', (table) => {
        table.integer('id').notNullable().primary();
        table.string('organisation_id', 36).notNullable();
        table.bigInteger('at').notNullable();
        // Since when some caller has had a key: from then on nobody is anonymous, even if that key is gone.
        table.bigInteger('keys_issued_at');
      });
    },
  },
];

/**
 * Makes the first organisation, its workspace and its admin key when there is none, in one transaction.
 * @returns the lines that the operator is shown once; none when everything is there already
 */
export async function firstStart(units: readonly ControlUnit[], parts: Parts): Promise<readonly string[]> {
  const { store, operations, newId, now } = parts;
  if ((await store.db('first_start').first()) !== undefined) return [];
  const organisationId = newId();
  try {
    const { lines, commits } = await store.transaction(async (trx) => {
      const done = { lines: [] as string[], commits: [] as (() => void)[] };
      // Whoever writes the row first does the work: another process waits here, and then finds it taken.
      await trx('first_start').insert({ id: 1, organisation_id: organisationId, at: now() });
      for (const { manifest, control } of units) {
        if (control.bootstrap === undefined) continue;
        const running = startOperation(operations, trx, systemRequest(newId(), manifest.name, { organisationId }));
        done.lines.push(...(await control.bootstrap(running.operation)));
        await running.settle();
        done.commits.push(running.committed);
      }
      return done;
    });
    for (const commit of commits) commit();
    return lines;
  } catch (error) {
    if (operations.isUniqueViolation(error)) return [];
    throw error;
  }
}

/** What a plugin makes at the first start, once more. @throws GatewayError `not_found` for a plugin that makes nothing */
export async function bootstrapAgain(
  units: readonly ControlUnit[],
  plugin: string,
  { store, operations, newId }: Parts,
): Promise<readonly string[]> {
  const unit = units.find(({ manifest }) => manifest.name === plugin);
  const first = (await store.db('first_start').first()) as { readonly organisation_id: string } | undefined;
  const { bootstrap } = unit?.control ?? {};
  if (bootstrap === undefined || first === undefined)
    throw new GatewayError('not_found', `The plugin ${plugin} makes nothing at the first start.`);
  const scope = { organisationId: first.organisation_id };
  const { lines, commit } = await store.transaction(async (trx) => {
    const running = startOperation(operations, trx, systemRequest(newId(), plugin, scope));
    const told = await bootstrap(running.operation);
    await running.settle();
    return { lines: told, commit: running.committed };
  });
  commit();
  return lines;
}
