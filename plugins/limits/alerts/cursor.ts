import type { ControlHost } from 'portcullis/sdk';

interface CursorRow {
  readonly name: string;
  readonly changed_at: number;
}

/** There is one, for all organisations. */
const name = 'alerts';
const anywhere = { organisationId: '' };

/** Up to which moment changes of counts have been looked at; 0: none have. */
export async function readCursor(host: Pick<ControlHost, 'transaction'>): Promise<number> {
  const row = await host.transaction(anywhere, async ({ db }) =>
    db<CursorRow>('limit_alert_cursor').where({ name }).first(),
  );
  return Number(row?.changed_at ?? 0);
}

export async function writeCursor(host: Pick<ControlHost, 'transaction'>, changedAt: number): Promise<void> {
  await host.transaction(anywhere, async ({ db }) => {
    await db<CursorRow>('limit_alert_cursor').insert({ name, changed_at: changedAt }).onConflict('name').merge();
  });
}
