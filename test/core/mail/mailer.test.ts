import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createMailer, type MailSettings } from '../../../core/mail/mailer.ts';
import { smtpOptions } from '../../../core/mail/smtp-options.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { type SmtpBehaviour, smtpServer } from './smtp.ts';

const mail = { to: ['ann@example.com'], subject: 'Hello', text: 'A line.' };

async function setting(context: TestContext, given: Partial<MailSettings> = {}, behaviour?: SmtpBehaviour) {
  const server = await smtpServer(behaviour);
  const { log, logged } = recordingLog();
  const settings = { host: '127.0.0.1', port: server.port, from: 'Gate <gate@example.com>', ...given };
  const mailer = createMailer(settings, log);
  context.after(async () => {
    await mailer.close();
    await server.close();
  });
  return { server, mailer, logged };
}

describe('the mailer', () => {
  it('sends text and HTML to each recipient', async (context) => {
    const { server, mailer, logged } = await setting(context);
    await mailer.send({ ...mail, to: ['ann@example.com', 'bob@example.com'], html: '<p>A line.</p>' });
    assert.equal(mailer.enabled, true);
    assert.deepEqual(logged, []);
    assert.equal(server.received.length, 1);
    const [{ from, to, raw } = assert.fail('no mail')] = server.received;
    assert.equal(from, 'gate@example.com');
    assert.deepEqual(to, ['ann@example.com', 'bob@example.com']);
    assert.match(raw, /^Subject: Hello\r$/m);
    assert.match(raw, /A line\./);
    assert.match(raw, /<p>A line\.<\/p>/);
  });

  it('signs in', async (context) => {
    const account = { user: 'gate', password: 'open sesame' };
    const { server, mailer, logged } = await setting(context, account, account);
    await mailer.send(mail);
    assert.deepEqual(logged, []);
    assert.equal(server.received.length, 1);
  });

  it('logs a wrong password without any secret or address, and does not throw', async (context) => {
    const { server, mailer, logged } = await setting(
      context,
      { user: 'gate', password: 'wrong-word' },
      { user: 'gate', password: 'open sesame' },
    );
    await mailer.send(mail);
    assert.equal(server.received.length, 0);
    assert.deepEqual(logged, [
      { level: 'error', event: 'mail_failed', fields: { code: 'EAUTH', reply: 535, recipients: 1 } },
    ]);
  });

  it('logs that the server is down, without any address', async (context) => {
    const { server, mailer, logged } = await setting(context);
    await server.close();
    assert.deepEqual(await mailer.send(mail), mail.to);
    assert.deepEqual(logged, [{ level: 'warn', event: 'mail_put_off', fields: { code: 'ESOCKET', recipients: 1 } }]);
    assert.doesNotMatch(JSON.stringify(logged), /ann@|example/);
  });

  it('goes on after a mail that it refused', async (context) => {
    const { server, mailer, logged } = await setting(context);
    await mailer.send({ ...mail, to: ['not an address'] });
    await mailer.send(mail);
    assert.equal(server.received.length, 1);
    assert.deepEqual(
      logged.map(({ event }) => event),
      ['mail_refused'],
    );
  });

  it('lets no subject add a header', async (context) => {
    const { server, mailer } = await setting(context);
    await mailer.send({ ...mail, subject: 'Hello\r\nBcc: eve@example.com\r\n\r\nbody' });
    const [{ to, raw } = assert.fail('no mail')] = server.received;
    assert.deepEqual(to, ['ann@example.com']);
    assert.doesNotMatch(raw, /^Bcc:/im);
    assert.match(raw, /^Subject: Hello Bcc: eve@example\.com body\r$/m);
  });

  for (const to of [
    'ann@example.com, eve@example.com',
    'ann@example.com\r\nBcc: eve@example.com',
    'Eve <eve@example.com>',
    '"ann eve"@example.com',
    'ann@example.com>',
    '',
  ]) {
    it(`refuses the recipient ${JSON.stringify(to)} as more than one address, or none`, async (context) => {
      const { server, mailer, logged } = await setting(context);
      await mailer.send({ ...mail, to: [to] });
      assert.equal(server.received.length, 0);
      assert.deepEqual(logged, [
        { level: 'error', event: 'mail_refused', fields: { reason: 'recipients', recipients: 1 } },
      ]);
    });
  }

  it('waits for mail on its way when it is closed, and sends none afterwards', async (context) => {
    const { server, mailer, logged } = await setting(context);
    const sending = mailer.send(mail);
    await mailer.close();
    await sending;
    assert.equal(server.received.length, 1);
    assert.deepEqual(await mailer.send(mail), mail.to);
    assert.equal(server.received.length, 1);
    assert.deepEqual(logged, []);
  });

  it('does nothing without a mail server', async () => {
    const { log, logged } = recordingLog();
    const mailer = createMailer(undefined, log);
    await mailer.send(mail);
    await mailer.close();
    assert.equal(mailer.enabled, false);
    assert.deepEqual(logged, []);
  });
});

describe('the connection to the mail server', () => {
  const settings = { host: 'mail.example.com', port: 587, from: 'gate@example.com' };

  it('is encrypted before a password crosses a network', () => {
    const account = { user: 'gate', password: 'open sesame' };
    assert.equal(smtpOptions({ ...settings, ...account }).requireTLS, true);
    assert.equal(smtpOptions({ ...settings, ...account, host: '127.0.0.1' }).requireTLS, false);
    assert.equal(smtpOptions({ ...settings, ...account, secure: true }).requireTLS, false);
    assert.equal(smtpOptions(settings).requireTLS, false);
  });

  it('is TLS from the first byte on port 465, and where that is asked for', () => {
    assert.equal(smtpOptions({ ...settings, port: 465 }).secure, true);
    assert.equal(smtpOptions({ ...settings, secure: true }).secure, true);
    assert.equal(smtpOptions(settings).secure, false);
  });

  it('reads neither files nor URLs that a mail names', () => {
    const { disableFileAccess, disableUrlAccess } = smtpOptions(settings);
    assert.deepEqual({ disableFileAccess, disableUrlAccess }, { disableFileAccess: true, disableUrlAccess: true });
  });
});
