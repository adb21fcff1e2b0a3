import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { smtpServer } from '../../core/mail/smtp.ts';
import { type ControlOptions, startControl, testKeyMaterial } from '../../support/control.ts';
import { tokenOf } from './tenant.ts';

const invitation = { email: 'ada@example.com', role: 'member', workspaces: [] };

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !holds(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(holds());
}

describe('an invitation where there is a mail server', () => {
  it('goes to the person with its link, and again with the new one', async (t) => {
    const server = await smtpServer();
    const mail = { host: '127.0.0.1', port: server.port, from: 'gateway@example.com' };
    const control = await startControl(t, { plugins: ['tenancy'], settings: { mail } });
    // Behind the gateway, which keeps its connections until it closes.
    t.after(server.close);
    const { id, invite_link } = await control.ok('POST', '/v1/users/invites', { body: invitation });
    await until(() => server.received.length === 1);
    const again = await control.ok('POST', `/v1/users/invites/${id}/resend`);
    await until(() => server.received.length === 2);
    for (const [index, link] of [invite_link, again.invite_link].entries()) {
      const { to, raw } = server.received[index] ?? assert.fail();
      assert.deepEqual(to, ['ada@example.com']);
      assert.match(raw, /Subject: You are invited to Default organisation/);
      // Long lines are broken in transit.
      assert.ok(
        raw
          .replace(/=\r?\n/g, '')
          .replaceAll('=3D', '=')
          .includes(String(link)),
      );
    }
  });

  it('goes to the person after a restart, where the server was away', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-invite-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'store.sqlite');
    const away = await smtpServer();
    await away.close();
    const options: ControlOptions = {
      plugins: ['tenancy'],
      store: { kind: 'sqlite', file },
      keyMaterial: testKeyMaterial(),
      settings: { mail: { host: '127.0.0.1', port: away.port, from: 'gateway@example.com' } },
    };
    const first = await startControl(t, options);
    const { invite_link } = await first.ok('POST', '/v1/users/invites', { body: invitation });
    assert.equal(await first.runJob('core.mails'), true);
    const { db } = first.gateway.control?.store ?? assert.fail();
    const kept = JSON.stringify(await db('mail_outbox').select());
    assert.match(kept, /sealed/);
    assert.ok(!kept.includes(tokenOf(invite_link)) && !kept.includes(invitation.email));
    await first.gateway.close();
    const server = await smtpServer({ port: away.port });
    const second = await startControl(t, options);
    t.after(server.close);
    second.advance(120_000);
    assert.equal(await second.runJob('core.mails'), true);
    assert.deepEqual(
      server.received.map(({ to }) => to),
      [['ada@example.com']],
    );
  });
});

describe('what is written down of an invitation', () => {
  it('says who came, and neither the token nor the password', async (t) => {
    const control = await startControl(t, { plugins: ['audit-log', 'tenancy'] });
    const { invite_link } = await control.ok('POST', '/v1/users/invites', { body: invitation });
    const token = tokenOf(invite_link);
    const password = 'correct horse battery staple';
    const user = await control.ok('POST', '/v1/invites/accept', { body: { token, password } });
    await control.call('POST', '/v1/invites/accept', { body: { token, password } });
    const { records } = await control.ok('GET', '/v1/audit-logs');
    const accepted = (records as JsonObject[]).find(({ action }) => action === 'accept');
    assert.equal(accepted?.user_id, user.id);
    const { db } = control.gateway.control?.store ?? assert.fail();
    const everything = JSON.stringify([await db('audit_logs').select(), control.log]);
    assert.ok(!everything.includes(token) && !everything.includes(password));
    assert.ok(asObject(accepted) !== undefined);
  });
});
