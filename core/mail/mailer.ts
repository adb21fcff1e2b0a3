import type { Log, Mail } from 'portcullis/sdk';
import { Delivery, type Missed } from './delivery.ts';
import { address, smtpOptions } from './smtp-options.ts';

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  readonly user?: string;
  readonly password?: string;
  /** `gateway@example.com` or `Gateway <gateway@example.com>`. */
  readonly from: string;
  /** TLS from the first byte. Otherwise STARTTLS: where the server offers it, and always before a password crosses a network. */
  readonly secure?: boolean;
}

export interface Mailer {
  /** Whether there is a mail server. */
  readonly enabled: boolean;
  /**
   * Resolves once the server has been asked: it has taken the mail, refused it, or is asked again later, for some hours, where
   * it was away or busy. A failure is logged, never thrown.
   */
  send(mail: Mail): Promise<void>;
  /** Asks the server once. Gives those for whom it was away or busy; failures are logged, never thrown. */
  sendOnce(mail: Mail): Promise<readonly string[]>;
  /** Waits for what is on its way, at most `closingMs`, and closes the connections. What was to be tried again is given up. */
  close(): Promise<void>;
}

/** More mail than this at once, on its way or to be tried again, is not sent: a flood must not fill the memory. */
export const mostWaiting = 1000;
const closingMs = 5000;
const mostRecipients = 100;
const minuteMs = 60_000;
/** Milliseconds before each further attempt: servers that see a sender for the first time put it off for some minutes. */
const patience: readonly number[] = [1, 5, 15, 60, 240].map((minutes) => minutes * minuteMs);

/** Hands mail to an SMTP server over a few kept connections. Without settings nothing is sent. */
export function createMailer(settings: MailSettings | undefined, log: Log, pausesMs = patience): Mailer {
  if (settings === undefined)
    return { enabled: false, send: async () => {}, sendOnce: async () => [], close: async () => {} };
  const delivery = new Delivery(smtpOptions(settings), settings.from);
  const underWay = new Set<Promise<unknown>>();
  const putOff = new Map<NodeJS.Timeout, Missed>();
  let closed = false;

  const tracked = <T>(attempt: Promise<T>): Promise<T> => {
    const tracking = attempt.finally(() => underWay.delete(tracking));
    underWay.add(tracking);
    return tracking;
  };

  const deliver = async (mail: Mail, tries: number): Promise<void> => {
    for (const missed of await delivery.attempt(mail)) {
      const pauseMs = closed || !missed.passing ? undefined : pausesMs[tries];
      const fields = { ...missed.fault, recipients: missed.to.length };
      if (pauseMs === undefined) {
        log.error('mail_failed', fields);
        continue;
      }
      log.warn('mail_put_off', { ...fields, seconds: pauseMs / 1000 });
      const timer = setTimeout(() => {
        putOff.delete(timer);
        void tracked(deliver({ ...mail, to: missed.to }, tries + 1));
      }, pauseMs).unref();
      putOff.set(timer, missed);
    }
  };

  const deliverOnce = async (mail: Mail): Promise<readonly string[]> => {
    const left: string[] = [];
    for (const { to, fault, passing } of await delivery.attempt(mail)) {
      const fields = { ...fault, recipients: to.length };
      if (passing) log.warn('mail_put_off', fields);
      else log.error('mail_failed', fields);
      if (passing) left.push(...to);
    }
    return left;
  };

  /** The addresses, or undefined, which is logged. */
  const recipientsOf = (mail: Mail): readonly string[] | undefined => {
    const to = mail.to.map(address).filter((one) => one !== undefined);
    if (to.length > 0 && to.length === mail.to.length && to.length <= mostRecipients) return to;
    log.error('mail_refused', { reason: 'recipients', recipients: mail.to.length });
    return undefined;
  };

  return {
    enabled: true,
    send: async (mail) => {
      const to = recipientsOf(mail);
      if (to === undefined) return;
      if (closed || underWay.size + putOff.size >= mostWaiting) {
        log.error('mail_refused', { reason: closed ? 'closed' : 'too many waiting', recipients: to.length });
        return;
      }
      await tracked(deliver({ ...mail, to }, 0));
    },
    sendOnce: async (mail) => {
      const to = recipientsOf(mail);
      if (to === undefined) return [];
      return closed ? to : tracked(deliverOnce({ ...mail, to }));
    },
    close: async () => {
      closed = true;
      for (const [timer, { fault, to }] of putOff) {
        clearTimeout(timer);
        log.error('mail_failed', { ...fault, recipients: to.length });
      }
      putOff.clear();
      let late: NodeJS.Timeout | undefined;
      const bound = new Promise<void>((resolve) => {
        late = setTimeout(resolve, closingMs);
      });
      await Promise.race([Promise.allSettled(underWay), bound]);
      clearTimeout(late);
      await delivery.close();
    },
  };
}
