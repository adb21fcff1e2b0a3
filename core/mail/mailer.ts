import type { Log, Mail } from 'portcullis/sdk';
import { Delivery, type Identity } from './delivery.ts';
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
   * Asks the server once. Gives those for whom it was away or busy, and may be asked again. Failures are logged, never
   * thrown.
   * @param identity of a mail that may be sent again; else it gets one by chance
   */
  send(mail: Mail, identity?: Identity): Promise<readonly string[]>;
  /** Waits for what is on its way, at most `closingMs`, and closes the connections. */
  close(): Promise<void>;
}

const closingMs = 5000;
const mostRecipients = 100;

/** Hands mail to an SMTP server over a few kept connections. Without settings nothing is sent. */
export function createMailer(settings: MailSettings | undefined, log: Log): Mailer {
  if (settings === undefined) return { enabled: false, send: async () => [], close: async () => {} };
  const delivery = new Delivery(smtpOptions(settings), settings.from);
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  const tracked = <T>(attempt: Promise<T>): Promise<T> => {
    const tracking = attempt.finally(() => underWay.delete(tracking));
    underWay.add(tracking);
    return tracking;
  };

  const deliver = async (mail: Mail, identity: Identity | undefined): Promise<readonly string[]> => {
    const left: string[] = [];
    for (const { to, fault, passing } of await delivery.attempt(mail, identity)) {
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
    send: async (mail, identity) => {
      const to = recipientsOf(mail);
      if (to === undefined) return [];
      return closed ? to : tracked(deliver({ ...mail, to }, identity));
    },
    close: async () => {
      closed = true;
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
