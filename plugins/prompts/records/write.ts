import { type ControlHost, GatewayError, type Operation } from 'portcullis/sdk';
import type { Kind, VersionedRecord } from './table.ts';
import { lockedRecord } from './versions.ts';

/** Runs work on a record that nobody else changes meanwhile, in a transaction of its own, as the gateway. */
export type Write = <R extends VersionedRecord, T>(
  kind: Kind,
  asked: R,
  work: (own: Operation, record: R) => Promise<T>,
) => Promise<T>;

/** Writers of one record. */
const mostWaiting = 1000;

interface Queue {
  length: number;
  last: Promise<unknown>;
}

/**
 * The lock of its row keeps writers of a record apart. Those of one process also queue here, for whoever waits for a lock
 * holds a connection: a few of them would take all that the process has.
 */
export function writer(host: Pick<ControlHost, 'transaction'>): Write {
  const queues = new Map<string, Queue>();

  const inTurn = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const queue = queues.get(id) ?? { length: 0, last: Promise.resolve() };
    if (queue.length >= mostWaiting)
      throw new GatewayError('not_ready', `${mostWaiting} changes are waiting for this one. Try again shortly.`);
    queues.set(id, queue);
    // What became of the one before is told to who asked for it.
    const turn = queue.last.then(work, work);
    queue.last = turn;
    queue.length += 1;
    try {
      return await turn;
    } finally {
      queue.length -= 1;
      if (queue.length === 0) queues.delete(id);
    }
  };

  return (kind, asked, work) => {
    const { id, organisation_id: organisationId, workspace_id: workspaceId } = asked;
    return inTurn(id, () =>
      host.transaction({ organisationId, workspaceId }, async (own) => work(own, await lockedRecord(own, kind, asked))),
    );
  };
}
