import type { Log, Mail } from 'portcullis/sdk';
import { address, oneLine, smtpOptions } from './smtp-options.ts';

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
  /** Resolves once the server has taken the mail or it was given up. A failure is logged, never thrown. */
  send(mail: Mail): Promise<void>;
  /** Waits for what is on its way, at most `closingMs`, and closes the connections. */
  close(): Promise<void>;
}

/** More mail than this at once is not sent: a flood must not fill the memory. */
export const mostWaiting = 1000;
const closingMs = 5000;
const mostRecipients = 100;

/** Hands mail to an SMTP server over a few kept connections. Without settings nothing is sent. */
export function createMailer(settings: MailSettings | undefined, log: Log): Mailer {
  if (settings === undefined) return { enabled: false, send: async () => {}, close: async () => {} };
  const options = smtpOptions(settings);
  let opened: Promise<Transport> | undefined;
  const waiting = new Set<Promise<void>>();
  let closed = false;

  const deliver = async ({ to, subject, text, html }: Mail): Promise<void> => {
    try {
      opened ??= transportOf(options);
      const transport = await opened;
      await transport.sendMail({
        from: settings.from,
        to: to.map((one) => ({ name: '', address: one })),
        subject: oneLine(subject),
        text,
        ...(html === undefined ? {} : { html }),
      });
    } catch (error) {
      log.error('mail_failed', { ...faultOf(error), recipients: to.length });
    }
  };

  return {
    enabled: true,
    send: async (mail) => {
      const to = mail.to.map(address).filter((one) => one !== undefined);
      if (to.length === 0 || to.length < mail.to.length || to.length > mostRecipients) {
        log.error('mail_refused', { reason: 'recipients', recipients: mail.to.length });
        return;
      }
      if (closed || waiting.size >= mostWaiting) {
        log.error('mail_refused', { reason: closed ? 'closed' : 'too many waiting', recipients: to.length });
        return;
      }
      const sending = deliver({ ...mail, to });
      waiting.add(sending);
      await sending.finally(() => waiting.delete(sending));
    },
    close: async () => {
      closed = true;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, closingMs);
      });
      await Promise.race([Promise.allSettled(waiting), late]);
      clearTimeout(timer);
      if (opened !== undefined) (await opened).close();
    },
  };
}

type Transport = Awaited<ReturnType<typeof transportOf>>;

/** The library is loaded with the first mail: many gateways never send one. */
async function transportOf(options: ReturnType<typeof smtpOptions>) {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(options);
  // Connections of the pool fail on their own as well; each mail reports its own fault.
  transport.on('error', () => {});
  return transport;
}

/** What failed, without the server's words: they repeat addresses, and what it was asked. */
function faultOf(error: unknown): { readonly code: string; readonly reply?: number } {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return {
    code: typeof code === 'string' ? code : 'unknown',
    ...(typeof responseCode === 'number' ? { reply: responseCode } : {}),
  };
}
