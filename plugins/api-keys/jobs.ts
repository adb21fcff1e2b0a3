import type { ControlHost, Job, Operation } from 'portcullis/sdk';
import { oldSecretEnds, rotationAhead, tell } from './notices.ts';
import { type KeyRecord, statusOf } from './record.ts';
import { rotate } from './rotation.ts';
import { leastTransitionMs } from './rotation-policy.ts';
import { type SecretMaker, type SecretRow, secretRows } from './secrets.ts';

const batchSize = 200;
const aheadMs = 86_400_000;

/** Every organisation's, for what is due is found before it is known whose it is. */
const anywhere = { organisationId: '' };

interface Due {
  readonly id: string;
  readonly organisation_id: string;
}

/**
 * The clock of the keys. First old secrets end, so that rotations which waited for them can be made; then people are
 * told. Each key has a transaction of its own and looks again at what is due inside it: a run that breaks off, or that
 * two processes make, does nothing twice.
 */
export function rotationJob(host: ControlHost, maker: SecretMaker): Job {
  return {
    name: 'api-keys.rotation',
    schedule: '* * * * *',
    run: async () => {
      await each(host, endedSecrets, endSecret);
      await each(host, dueKeys, (operation, due) => rotateDue(operation, maker, due));
      await each(host, endingSecrets, (operation, due) => warnOfEnd(operation, host, due));
      await each(host, keysAhead, (operation, due) => warnOfRotation(operation, host, due));
    },
  };
}

/** One that fails is logged, and tried again in the next run; it keeps none of the others. */
async function each(
  host: ControlHost,
  search: (operation: Operation, after: string) => PromiseLike<readonly Due[]>,
  work: (operation: Operation, due: Due) => Promise<void>,
): Promise<void> {
  let after = '';
  for (;;) {
    const found = await host.transaction(anywhere, async (operation) => search(operation, after));
    for (const due of found) {
      await host
        .transaction({ organisationId: due.organisation_id }, (operation) => work(operation, due))
        .catch((error: unknown) => {
          const why = error instanceof Error ? error.message : 'not an error';
          host.log.error('key_rotation_failed', { record: due.id, error: why });
        });
    }
    if (found.length < batchSize) return;
    after = found.at(-1)?.id ?? '';
  }
}

const endedSecrets = ({ db, now }: Operation, after: string) =>
  secretRows(db)
    .where('state', 'transition')
    .where('expires_at', '<=', now)
    .where('id', '>', after)
    .orderBy('id')
    .limit(batchSize)
    .select('id', 'organisation_id');

async function endSecret(operation: Operation, due: Due): Promise<void> {
  const ended = await secretRows(operation.db).where({ id: due.id, state: 'transition' }).delete();
  if (Number(ended) === 1) await operation.changed(due.organisation_id);
}

const dueKeys = ({ db, now }: Operation, after: string) =>
  db<Due>('api_keys')
    .where('next_rotation_at', '<=', now)
    .where((live) => live.whereNull('expires_at').orWhere('expires_at', '>', now))
    .where('id', '>', after)
    .orderBy('id')
    .limit(batchSize)
    .select('id', 'organisation_id');

async function rotateDue(operation: Operation, maker: SecretMaker, due: Due): Promise<void> {
  const key = await keyOf(operation, due.id);
  const isDue = key !== undefined && key.next_rotation_at !== null && key.next_rotation_at <= operation.now;
  if (!isDue || statusOf(key, operation.now) === 'expired') return;
  // Two live secrets are the most: it is made when the earlier one has ended.
  const earlier = await secretRows(operation.db).where({ api_key_id: key.id, state: 'transition' }).first();
  if (earlier !== undefined) return;
  const transitionMs = key.rotation?.key_transition_period_ms ?? leastTransitionMs;
  const { detail } = await rotate(operation, maker, key, { mode: 'auto', transitionMs });
  await operation.record({
    organisationId: key.organisation_id,
    ...(key.workspace_id === null ? {} : { workspaceId: key.workspace_id }),
    resourceType: 'api_keys',
    resourceId: key.id,
    action: 'rotate',
    userType: 'system',
    detail,
  });
}

const endingSecrets = ({ db, now }: Operation, after: string) =>
  secretRows(db)
    .where('state', 'transition')
    .where('expires_at', '>', now)
    .where('expires_at', '<=', now + aheadMs)
    .whereNull('warned_at')
    .where('id', '>', after)
    .orderBy('id')
    .limit(batchSize)
    .select('id', 'organisation_id');

async function warnOfEnd(operation: Operation, host: ControlHost, due: Due): Promise<void> {
  const row: SecretRow | undefined = await secretRows(operation.db).where('id', due.id).first();
  const key = row === undefined ? undefined : await keyOf(operation, row.api_key_id);
  if (row === undefined || key === undefined || row.expires_at === null) return;
  const marked = await secretRows(operation.db)
    .where('id', row.id)
    .whereNull('warned_at')
    .update({ warned_at: operation.now });
  if (Number(marked) === 1) await tell(operation, host, key, oldSecretEnds(key, row.expires_at));
}

const keysAhead = ({ db, now }: Operation, after: string) =>
  db<Due>('api_keys')
    .where('next_rotation_at', '>', now)
    .where('next_rotation_at', '<=', now + aheadMs)
    .where((live) => live.whereNull('expires_at').orWhereRaw('expires_at > next_rotation_at'))
    .where((untold) => untold.whereNull('rotation_warned_for').orWhereRaw('rotation_warned_for <> next_rotation_at'))
    .where('id', '>', after)
    .orderBy('id')
    .limit(batchSize)
    .select('id', 'organisation_id');

async function warnOfRotation(operation: Operation, host: ControlHost, due: Due): Promise<void> {
  const key = await keyOf(operation, due.id);
  const at = key?.next_rotation_at ?? null;
  if (key === undefined || at === null || key.rotation_warned_for === at) return;
  // Beside the record's own ways: that people were told is no change of the key, and nothing that the data plane knows.
  await operation.db('api_keys').where('id', key.id).update({ rotation_warned_for: at });
  await tell(operation, host, key, rotationAhead(key, at, host.publicUrl));
}

function keyOf(operation: Operation, id: string): Promise<KeyRecord | undefined> {
  return operation.records<KeyRecord>('api_keys').find({ organisationId: operation.scope.organisationId }, id);
}
