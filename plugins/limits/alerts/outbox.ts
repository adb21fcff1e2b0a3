import type { ControlHost, Mail, Operation } from 'portcullis/sdk';

type Host = Pick<ControlHost, 'transaction' | 'mailOnce' | 'log'>;

/** A mail that the mail server has not taken yet. */
interface MailRow {
  readonly id: string;
  /** A JSON array of addresses. */
  readonly recipients: string;
  readonly subject: string;
  readonly text: string;
  /** Attempts that are over. */
  readonly tries: number;
  /** While it is being sent: when it counts as not sent. */
  readonly due_at: number;
  readonly created_at: number;
}

/** Whose they are is of no account to the mail server. */
const anywhere = { organisationId: '' };
const atOnce = 20;
const minuteMs = 60_000;
/** Longer than the mail server may take for those that are sent at once. */
const sendingMs = 10 * minuteMs;
/** Milliseconds before each further attempt: servers that see a sender for the first time put it off for some minutes. */
const pausesMs: readonly number[] = [1, 5, 15, 60, 240].map((minutes) => minutes * minuteMs);

/** Keeps a mail together with what it tells of, until it has been taken: whatever becomes of this process. */
export async function putIn({ db, now, newId }: Operation, { to, subject, text }: Mail): Promise<void> {
  const recipients = JSON.stringify(to);
  await db<MailRow>('limit_mails').insert({
    ...{ id: newId(), recipients, subject, text },
    ...{ tries: 0, due_at: now, created_at: now },
  });
}

/** Sends what is due, each mail from one process. */
export async function sendDue(host: Host): Promise<void> {
  for (;;) {
    const due = await host.transaction(anywhere, claimDue);
    const taken = await Promise.all(due.map((mail) => send(host, mail)));
    // None at all: the server is away, and the others would wait for it in vain.
    if (!taken.includes(true)) return;
  }
}

async function claimDue({ db, now }: Operation): Promise<readonly MailRow[]> {
  const due: readonly MailRow[] = await db<MailRow>('limit_mails')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(atOnce);
  const claimed: MailRow[] = [];
  for (const mail of due) {
    const { id, due_at } = mail;
    const changed: unknown = await db<MailRow>('limit_mails')
      .where({ id, due_at })
      .update({ due_at: now + sendingMs });
    if (Number(changed) === 1) claimed.push(mail);
  }
  return claimed;
}

/** @returns whether the server has taken it, or refused it for good */
async function send(host: Host, { id, recipients, subject, text, tries }: MailRow): Promise<boolean> {
  const left = await host.mailOnce({ to: JSON.parse(recipients) as readonly string[], subject, text });
  const pauseMs = left.length === 0 ? undefined : pausesMs[tries];
  if (left.length > 0 && pauseMs === undefined) host.log.error('limit_mail_given_up', { recipients: left.length });
  await host.transaction(anywhere, async ({ db, now }) => {
    const row = db<MailRow>('limit_mails').where({ id });
    if (pauseMs === undefined) await row.delete();
    else await row.update({ recipients: JSON.stringify(left), tries: tries + 1, due_at: now + pauseMs });
  });
  return left.length === 0;
}
