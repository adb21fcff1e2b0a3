import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as they came. */
  readonly raw: string;
}

export interface SmtpBehaviour {
  readonly user?: string;
  readonly password?: string;
  readonly port?: number;
  /** The reply to a recipient that is not taken, as 451. */
  readonly refusal?: (address: string) => number | undefined;
}

/** A mail server, on a free port unless one is named, that takes one user, and keeps what it gets. */
export async function smtpServer({ user, password, port = 0, refusal }: SmtpBehaviour = {}) {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: user === undefined,
    disabledCommands: user === undefined ? ['STARTTLS', 'AUTH'] : ['STARTTLS'],
    allowInsecureAuth: true,
    // Clients keep their connections; closing would wait 30 seconds for them.
    closeTimeout: 50,
    onAuth: (auth, _session, done) =>
      auth.username === user && auth.password === password
        ? done(null, { user: auth.username })
        : done(new Error('no')),
    onRcptTo: ({ address }, _session, done) => {
      const responseCode = refusal?.(address);
      done(responseCode === undefined ? null : Object.assign(new Error('not now'), { responseCode }));
    },
    onData: (stream, session, done) => {
      const { mailFrom, rcptTo } = session.envelope;
      void text(stream).then((raw) => {
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw,
        });
        done();
      });
    },
  });
  // A client that leaves in the middle is no fault of the test.
  server.on('error', () => {});
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
