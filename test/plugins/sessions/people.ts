import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject, asString } from 'portcullis/sdk';
import { smtpServer } from '../../core/mail/smtp.ts';
import { type ControlOptions, startControl, type TestControl } from '../../support/control.ts';

export const plugins = ['audit-log', 'tenancy', 'sessions'] as const;
export const password = 'eleven purple boats';
export const owner = { email: 'ann@example.com', password } as const;
export const wrong = { email: 'ann@example.com', password: 'twelve purple boats' } as const;

/** A gateway that has a key asks everyone who they are. */
const keys = [{ name: 'any', sha256: 'a'.repeat(64) }];

/** A control plane with sessions. */
export function startSessions(context: Pick<TestContext, 'after'>, options: ControlOptions = {}): Promise<TestControl> {
  return startControl(context, { plugins: [...plugins], config: { keys }, ...options });
}

/** The same with a mail server; `mail(n)` waits for the n-th mail and gives its text. */
export async function startWithMail(context: Pick<TestContext, 'after'>, options: ControlOptions = {}) {
  const server = await smtpServer();
  const mail = { host: '127.0.0.1', port: server.port, from: 'gate@example.com' };
  const control = await startSessions(context, { ...options, settings: { mail, ...options.settings } });
  context.after(() => server.close());
  return {
    ...control,
    received: server.received,
    mail: async (count: number): Promise<string> => {
      for (let tries = 0; server.received.length < count && tries < 500; tries += 1) await sleep(10);
      const raw = server.received[count - 1]?.raw ?? assert.fail(`mail ${count} has not come`);
      return raw.replace(/=\r\n/g, '').replaceAll('=3D', '=');
    },
  };
}

/** The token that the first start has shown. */
export function bootstrapToken({ welcome }: Pick<TestControl, 'welcome'>): string {
  return /bst_[A-Za-z0-9]{40}/.exec(welcome.join('\n'))?.[0] ?? assert.fail('no bootstrap token was shown');
}

/** Makes the first owner; gives the token of the owner's session, and the user's id. */
export async function withOwner(control: TestControl): Promise<{ readonly token: string; readonly userId: string }> {
  const body = { token: bootstrapToken(control), ...owner };
  const made = await control.ok('POST', '/v1/auth/bootstrap', { body });
  return { token: asString(made.token) ?? '', userId: asString(asObject(made.user)?.id) ?? '' };
}

/** Logs in; gives the session's token. */
export async function loggedIn(
  control: TestControl,
  person: { readonly email: string; readonly password: string } = owner,
): Promise<string> {
  const { token } = await control.ok('POST', '/v1/auth/login', { body: { ...person } });
  return asString(token) ?? '';
}

/** Status of a log-in. */
export async function tried(
  control: TestControl,
  person: { readonly email: string; readonly password: string },
): Promise<number> {
  return (await control.call('POST', '/v1/auth/login', { body: { ...person } })).status;
}

/** Whether the session still is one. */
export async function isLive(control: TestControl, token: string): Promise<boolean> {
  const { status } = await control.call('GET', '/v1/auth/self', { key: token });
  assert.ok(status === 200 || status === 401, `status ${status}`);
  return status === 200;
}

/** The cookie that a reply sets, as a browser sends it back. */
export function cookieOf(headers: Headers, name = 'portcullis_session'): string {
  const set = headers.getSetCookie().find((line) => line.startsWith(`${name}=`)) ?? assert.fail(`no cookie ${name}`);
  return set.split(';')[0] ?? '';
}

/** The entries of the audit log with this action, newest last. */
export async function audited(control: TestControl, action: string): Promise<readonly Record<string, unknown>[]> {
  return control.gateway.control?.store.db('audit_logs').where({ action }).orderBy('created_at') ?? [];
}
