import {
  asArray,
  asObject,
  asString,
  type Db,
  type Job,
  type Log,
  type Mail,
  type Migration,
  parseJson,
} from 'portcullis/sdk';
import type { Store } from '../store/store.ts';
import type { Mailer } from './mailer.ts';

/** Mail that the mail server has not taken yet, kept with what it tells of. */
export interface Outbox {
  /** Whether there is a mail server; without one nothing is kept. */
  readonly enabled: boolean;
  /** Keeps a mail in a transaction, until it has been taken: whatever becomes of this process. */
  put(db: Db, mail: Mail): Promise<void>;
  /** Sends what is due, each mail from one process. Never rejects. */
  sendDue(): Promise<void>;
  /** Ends the sending, and the mailer with it. What has not been taken stays. */
  close(): Promise<void>;
}

export interface OutboxParts {
  readonly store: Store;
  readonly mailer: Mailer;
  readonly seal: (plain: string, context: string) => string;
  readonly unseal: (sealed: string, context: string) => string;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

interface MailRow {
  readonly id: string;
  /** The mail as JSON, encrypted: links that let people in are in some. */
  readonly sealed: string;
  /** Attempts that are over. */
  readonly tries: number;
  /** While it is being sent: when it counts as not sent. */
  readonly due_at: number;
  readonly created_at: number;
}

const table = 'mail_outbox';
const atOnce = 20;
const minuteMs = 60_000;
/** Longer than the mail server may take for those that are sent at once. */
const sendingMs = 10 * minuteMs;
const closingMs = 1000;
/** Milliseconds before each further attempt: servers that see a sender for the first time put it off for some minutes. */
const pausesMs: readonly number[] = [1, 5, 15, 60, 240].map((minutes) => minutes * minuteMs);
const place = (id: string) => `${table}/${id}`;

export const mailMigrations: readonly Migration[] = [
  {
    name: '001_mail_outbox',
    up: async (db) => {
      await db.schema.createTable(table, (columns) => {
        columns.string('id', 36).notNullable().primary();
        columns.text('sealed', 'longtext').notNullable();
        columns.integer('tries').notNullable();
        columns.bigInteger('due_at').notNullable();
        columns.bigInteger('created_at').notNullable();
        columns.index(['due_at'], 'mail_outbox_due');
      });
    },
  },
];

export function createOutbox(parts: OutboxParts): Outbox {
  const { mailer, now, newId, seal, log } = parts;
  let running: Promise<void> | undefined;
  let isAsked = false;
  let closed = false;

  const drain = async (): Promise<void> => {
    try {
      while (isAsked && !closed) {
        isAsked = false;
        while (!closed && (await sendSome(parts)));
      }
    } catch (error) {
      log.error('mails_unsent', { error: error instanceof Error ? error.message : 'not an error' });
    } finally {
      running = undefined;
    }
  };

  return {
    enabled: mailer.enabled,
    put: async (db, mail) => {
      if (!mailer.enabled) return;
      const id = newId();
      const at = now();
      const sealed = seal(JSON.stringify(mail), place(id));
      await db<MailRow>(table).insert({ id, sealed, tries: 0, due_at: at, created_at: at });
    },
    sendDue: () => {
      if (!mailer.enabled || closed) return Promise.resolve();
      isAsked = true;
      running ??= drain();
      return running;
    },
    close: async () => {
      closed = true;
      await mailer.close();
      let late: NodeJS.Timeout | undefined;
      const bound = new Promise<void>((resolve) => {
        late = setTimeout(resolve, closingMs);
      });
      await Promise.race([running, bound]);
      clearTimeout(late);
    },
  };
}

/** Sends what a process has left that is gone, and what was put off. */
export function mailJob({ sendDue }: Pick<Outbox, 'sendDue'>): Job {
  return { name: 'core.mails', schedule: '* * * * *', run: sendDue };
}

/** @returns whether another look is worth it: where none was taken the server is away, and the others would wait in vain */
async function sendSome(parts: OutboxParts): Promise<boolean> {
  const claimed = await parts.store.transaction((trx) => claimDue(trx, parts.now()));
  const taken = await Promise.all(claimed.map((row) => send(parts, row)));
  return taken.includes(true);
}

async function claimDue(db: Db, now: number): Promise<readonly MailRow[]> {
  const due: readonly MailRow[] = await db<MailRow>(table).where('due_at', '<=', now).orderBy('due_at').limit(atOnce);
  const claimed: MailRow[] = [];
  for (const row of due) {
    const { id, due_at } = row;
    const changed: unknown = await db<MailRow>(table)
      .where({ id, due_at })
      .update({ due_at: now + sendingMs });
    if (Number(changed) === 1) claimed.push(row);
  }
  return claimed;
}

/** @returns whether the server has taken it, or refused it for good */
async function send(parts: OutboxParts, row: MailRow): Promise<boolean> {
  const { store, mailer, now, log, seal } = parts;
  const { id, tries, created_at: writtenAt } = row;
  const mail = opened(parts, row);
  const left = mail === undefined ? undefined : await mailer.send(mail, { id, writtenAt });
  const isDone = left?.length === 0;
  const pauseMs = isDone ? undefined : pausesMs[tries];
  if (!isDone && pauseMs === undefined) log.error('mail_given_up', { recipients: left?.length ?? 0 });
  const kept = store.db<MailRow>(table).where({ id });
  if (pauseMs === undefined) await kept.delete();
  else {
    await kept.update({
      ...(mail === undefined || left === undefined
        ? {}
        : { sealed: seal(JSON.stringify({ ...mail, to: left }), place(id)) }),
      tries: tries + 1,
      due_at: now() + pauseMs,
    });
  }
  return isDone;
}

/** Undefined where no key of this process opens it: one that was made elsewhere becomes known here in a while. */
function opened({ unseal, log }: OutboxParts, { id, sealed }: MailRow): Mail | undefined {
  try {
    return mailOf(unseal(sealed, place(id)));
  } catch {
    log.error('mail_unreadable', { mail: id });
    return undefined;
  }
}

function mailOf(json: string): Mail {
  const { to, subject, text, html } = asObject(parseJson(json)) ?? {};
  return {
    to: asArray(to).flatMap((one) => asString(one) ?? []),
    subject: asString(subject) ?? '',
    text: asString(text) ?? '',
    ...(typeof html === 'string' ? { html } : {}),
  };
}
