import type { ControlHost } from 'portcullis/sdk';
import { type ExportRecord, table } from './table.ts';

/** Without a sign of life for so long, the process that was at it is gone. */
const leaseMs = 60_000;

type End = { readonly status: 'success' | 'failed'; readonly total_records?: number; readonly failure?: string };

/** The right to write an export. Who was too slow has lost it to another process, or to whoever has cancelled. */
export class Lease {
  readonly record: ExportRecord;
  readonly #host: Pick<ControlHost, 'transaction'>;
  #until: number;

  constructor(host: Pick<ControlHost, 'transaction'>, record: ExportRecord) {
    this.record = record;
    this.#host = host;
    this.#until = Number(record.lease_until);
  }

  /** False: it is lost. */
  renew(): Promise<boolean> {
    return this.#change((now) => ({ lease_until: now + leaseMs }));
  }

  /** The last word, where nobody else has had it. */
  async end(end: End): Promise<void> {
    await this.#change((now) => ({ ...end, lease_until: null, last_updated_at: now }));
  }

  #change(changes: (now: number) => Partial<End> & { readonly lease_until: number | null }): Promise<boolean> {
    const { organisation_id: organisationId, id } = this.record;
    return this.#host.transaction({ organisationId }, async ({ db, now }) => {
      const made = changes(now);
      const changed: unknown = await db(table)
        .where({ id, status: 'in_progress', lease_until: this.#until })
        .update(made);
      if (Number(changed) === 0) return false;
      this.#until = made.lease_until ?? 0;
      return true;
    });
  }
}

/** Undefined: it does not wait to be written, or another process is at it. */
export function leaseOf(
  host: Pick<ControlHost, 'transaction'>,
  organisationId: string,
  id: string,
): Promise<Lease | undefined> {
  return host.transaction({ organisationId }, async (operation) => {
    const { now, scope } = operation;
    const taken: unknown = await operation
      .db(table)
      .where({ id, organisation_id: organisationId, status: 'in_progress' })
      .andWhere('lease_until', '<', now)
      .update({ lease_until: now + leaseMs });
    if (Number(taken) === 0) return undefined;
    const record = await operation.records<ExportRecord>(table).find(scope, id);
    return record === undefined ? undefined : new Lease(host, record);
  });
}
