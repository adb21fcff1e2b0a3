import { BlockList, isIP } from 'node:net';
import type { MailSettings } from './mailer.ts';

const connectionMs = 10_000;
const greetingMs = 10_000;
const socketMs = 30_000;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** What the transport is made with: bounded in time, never reading files or URLs that a mail names. */
export function smtpOptions({ host, port, user, password, secure = port === 465 }: MailSettings) {
  const signsIn = user !== undefined && password !== undefined;
  return {
    host,
    port,
    secure,
    // A password never leaves the machine in clear because someone in between has struck STARTTLS out.
    requireTLS: signsIn && !secure && !staysHere(host),
    ...(signsIn ? { auth: { user, pass: password } } : {}),
    pool: true as const,
    maxConnections: 2,
    maxMessages: 100,
    connectionTimeout: connectionMs,
    greetingTimeout: greetingMs,
    socketTimeout: socketMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function staysHere(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host === 'localhost';
  return loopback.check(host, version === 6 ? 'ipv6' : 'ipv4');
}

/** The one address that the text is; undefined where it could be read as several, as a name, or as more than an address. */
export function address(text: string): string | undefined {
  return /^[^\s@<>()[\],;:"\\\p{Cc}]{1,64}@[^\s@<>()[\],;:"\\\p{Cc}]{1,189}$/u.test(text) ? text : undefined;
}

/** A header's text: what would end the line becomes a space. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
