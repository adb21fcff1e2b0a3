import type { NodemailerError } from 'nodemailer';
import type { Mail } from 'portcullis/sdk';
import { oneLine, type smtpOptions } from './smtp-options.ts';

type Transport = Awaited<ReturnType<typeof transportOf>>;

/** Why a server did not take a mail, without its words: they repeat addresses, and what it was asked. */
export interface Fault {
  readonly code: string;
  /** Of the server, as 451. */
  readonly reply?: number;
}

/** Who has not got a mail, and why. `passing`: it may go well another time. */
export interface Missed {
  readonly to: readonly string[];
  readonly fault: Fault;
  readonly passing: boolean;
}

/** What makes a mail known again: sent twice under it, it is one to stores of mail that look for duplicates (RFC 7352). */
export interface Identity {
  readonly id: string;
  readonly writtenAt: number;
}

/** Hands mails over one by one. */
export class Delivery {
  readonly #options: ReturnType<typeof smtpOptions>;
  readonly #from: string;
  #opened: Promise<Transport> | undefined;

  constructor(options: ReturnType<typeof smtpOptions>, from: string) {
    this.#options = options;
    this.#from = from;
  }

  /** Once. Never throws. @returns who has not got it: those for whom it may still go well together, and the others */
  async attempt({ to, subject, text, html }: Mail, identity: Identity | undefined): Promise<readonly Missed[]> {
    try {
      this.#opened ??= transportOf(this.#options);
      const transport = await this.#opened;
      const { rejectedErrors } = await transport.sendMail({
        from: this.#from,
        to: to.map((one) => ({ name: '', address: one })),
        subject: oneLine(subject),
        text,
        ...(html === undefined ? {} : { html }),
        ...(identity === undefined ? {} : headersOf(identity, this.#from)),
      });
      return sorted(rejectedErrors ?? []);
    } catch (thrown) {
      const error = thrown as NodemailerError;
      return error.rejectedErrors === undefined ? [{ to, ...faultOf(error) }] : sorted(error.rejectedErrors);
    }
  }

  async close(): Promise<void> {
    if (this.#opened !== undefined) (await this.#opened).close();
  }
}

function headersOf({ id, writtenAt }: Identity, from: string): { readonly messageId: string; readonly date: Date } {
  const [, domain = 'localhost'] = /@([^\s@>]+)>?\s*$/.exec(from) ?? [];
  return { messageId: `<${id}@${domain}>`, date: new Date(writtenAt) };
}

/** The library is loaded with the first mail: many gateways never send one. */
async function transportOf(options: ReturnType<typeof smtpOptions>) {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(options);
  // Connections of the pool fail on their own as well; each mail reports its own fault.
  transport.on('error', () => {});
  return transport;
}

function sorted(errors: readonly NodemailerError[]): readonly Missed[] {
  const missed = errors.map((error) => ({ to: [error.recipient ?? ''], ...faultOf(error) }));
  return [true, false].flatMap((passing) => {
    const [first, ...others] = missed.filter((one) => one.passing === passing);
    return first === undefined ? [] : { ...first, to: [first, ...others].flatMap(({ to }) => to) };
  });
}

/** Servers say themselves what holds for good (RFC 5321, 4.2.1); one that says nothing is away. */
function faultOf({ code, responseCode, permanent }: NodemailerError): Omit<Missed, 'to'> {
  const reply = responseCode === undefined ? {} : { reply: responseCode };
  return { fault: { code: code ?? 'unknown', ...reply }, passing: permanent !== true };
}
