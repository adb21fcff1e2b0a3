import { asArray, asString, type ControlHost, type Operation, parseJson } from 'portcullis/sdk';

/** A mail that an earlier version of this plugin has kept by itself. */
interface MailRow {
  readonly id: string;
  /** A JSON array of addresses. */
  readonly recipients: string;
  readonly subject: string;
  readonly text: string;
  /** While an earlier version sends it: when it counts as not sent. */
  readonly due_at: number;
}

const table = 'limit_mails';
/** Whose they are is of no account to the mail server. */
const anywhere = { organisationId: '' };
/** Of one transaction. */
const atOnce = 200;

/** Hands what still waits there to where mail of all kinds waits. */
export function earlierMails(host: Pick<ControlHost, 'transaction' | 'mails'>): () => Promise<void> {
  let gone = false;
  const handOver = async (operation: Operation): Promise<number> => {
    const { db, now } = operation;
    gone = !(await db.schema.hasTable(table));
    if (gone) return 0;
    const due: readonly MailRow[] = await db<MailRow>(table).where('due_at', '<=', now).orderBy('due_at').limit(atOnce);
    for (const { id, recipients, subject, text } of due) {
      const taken: unknown = await db<MailRow>(table).where({ id }).delete();
      const to = asArray(parseJson(recipients)).flatMap((one) => asString(one) ?? []);
      if (Number(taken) === 1) await operation.mail({ to, subject, text });
    }
    return due.length;
  };
  return async () => {
    // Without a mail server they would be lost.
    while (host.mails && !gone && (await host.transaction(anywhere, handOver)) === atOnce);
  };
}
