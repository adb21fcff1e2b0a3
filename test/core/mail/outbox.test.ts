import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createMailer } from '../../../core/mail/mailer.ts';
import { createOutbox, mailMigrations } from '../../../core/mail/outbox.ts';
import { migrate } from '../../../core/store/migrate.ts';
import type { Store } from '../../../core/store/store.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { onEachStore } from '../../support/stores.ts';
import { type SmtpBehaviour, smtpServer } from './smtp.ts';

const mail = { to: ['ann@example.com'], subject: 'Hello', text: 'A line with rst_secret.' };
const minuteMs = 60_000;
const headerOf = (raw: string, name: string) => new RegExp(`^${name}: (.+?)\\r?$`, 'm').exec(raw)?.[1];
const clock = { now: Date.UTC(2026, 10, 21, 12) };

onEachStore((_, open) => {
  let ids = 0;

  /** A process over a store. Sealing stands for the vault: what was sealed for another place does not open. */
  function outboxOf(context: TestContext, store: Store, port: number) {
    const { log, logged } = recordingLog();
    const mailer = createMailer({ host: '127.0.0.1', port, from: 'gate@example.com' }, log);
    const outbox = createOutbox({
      store,
      mailer,
      log,
      now: () => clock.now,
      newId: () => {
        ids += 1;
        return `mail-${ids}`;
      },
      seal: (plain, place) => Buffer.from(`${place} ${plain}`).toString('base64'),
      unseal: (sealed, place) => {
        const text = Buffer.from(sealed, 'base64').toString();
        assert.ok(text.startsWith(`${place} `));
        return text.slice(place.length + 1);
      },
    });
    context.after(() => outbox.close());
    return { outbox, logged, events: () => logged.map(({ event }) => event) };
  }

  async function setting(context: TestContext, behaviour?: SmtpBehaviour) {
    const store = await open();
    await migrate(store, [{ plugin: 'core', migrations: mailMigrations }], recordingLog().log);
    const server = await smtpServer(behaviour);
    const started = outboxOf(context, store, server.port);
    // Behind the mailer, which keeps its connections until it closes.
    context.after(() => server.close());
    const rows = async () => (await store.db('mail_outbox').select()) as readonly { readonly sealed: string }[];
    return { store, server, rows, ...started };
  }

  it('keeps mail sealed, with what it tells of or not at all', async (context) => {
    const { store, outbox, rows } = await setting(context);
    const failing = store.transaction(async (trx) => {
      await outbox.put(trx, mail);
      throw new Error('it failed');
    });
    await assert.rejects(failing);
    assert.deepEqual(await rows(), []);
    await store.transaction((trx) => outbox.put(trx, mail));
    assert.equal((await rows()).length, 1);
    assert.doesNotMatch(JSON.stringify(await rows()), /rst_secret|ann@example/);
  });

  it('hands all over that is due, and keeps nothing of it', async (context) => {
    const { store, server, outbox, rows, logged } = await setting(context);
    for (let index = 0; index < 45; index += 1) await outbox.put(store.db, { ...mail, html: '<p>A line.</p>' });
    await Promise.all([outbox.sendDue(), outbox.sendDue()]);
    assert.equal(server.received.length, 45);
    assert.match(server.received[0]?.raw ?? '', /<p>A line\.<\/p>/);
    assert.deepEqual([await rows(), logged], [[], []]);
  });

  it('is sent once by those who come after a process that could not', async (context) => {
    const { store, server, outbox, events } = await setting(context);
    await server.close();
    await outbox.put(store.db, mail);
    await outbox.sendDue();
    assert.deepEqual(events(), ['mail_put_off']);
    await outbox.close();
    const back = await smtpServer({ port: server.port });
    const others = [outboxOf(context, store, server.port), outboxOf(context, store, server.port)];
    context.after(() => back.close());
    const sendAll = () => Promise.all(others.map((other) => other.outbox.sendDue()));
    await sendAll();
    assert.equal(back.received.length, 0, 'it is not due');
    clock.now += minuteMs;
    await sendAll();
    await sendAll();
    assert.deepEqual(
      back.received.map(({ to }) => to),
      [mail.to],
    );
  });

  it('is the same mail to those who get it twice, where its process ends before it is forgotten', async (context) => {
    const { store, server, outbox, rows } = await setting(context);
    const writtenAt = new Date(clock.now).toUTCString().replace('GMT', '+0000');
    await outbox.put(store.db, mail);
    const kept = await rows();
    await outbox.sendDue();
    await store.db('mail_outbox').insert(kept);
    await outbox.put(store.db, mail);
    clock.now += minuteMs;
    await outbox.sendDue();
    const sent = server.received.map(({ raw }) => ['Message-ID', 'Date'].map((name) => headerOf(raw, name)));
    const [first, ...others] = sent;
    assert.match(first?.[0] ?? '', /^<mail-\d+@example\.com>$/);
    assert.equal(first?.[1], writtenAt);
    assert.deepEqual(
      others.filter(([id]) => id === first?.[0]),
      [first],
    );
    assert.equal(others.length, 2);
  });

  it('comes to those whom a server put off, once, and is given up for those whom it does not know', async (context) => {
    const asked = new Map<string, number>();
    const refusal = (address: string) => {
      const times = (asked.get(address) ?? 0) + 1;
      asked.set(address, times);
      if (address.startsWith('eve')) return 550;
      return address.startsWith('bob') && times < 3 ? 451 : undefined;
    };
    const { store, server, outbox, rows, logged } = await setting(context, { refusal });
    await outbox.put(store.db, { ...mail, to: ['ann@example.com', 'bob@example.com', 'eve@example.com'] });
    for (const minutes of [0, 1, 5]) {
      clock.now += minutes * minuteMs;
      await outbox.sendDue();
    }
    assert.deepEqual(
      server.received.map(({ to }) => to),
      [['ann@example.com'], ['bob@example.com']],
    );
    assert.deepEqual(Object.fromEntries(asked), { 'ann@example.com': 1, 'bob@example.com': 3, 'eve@example.com': 1 });
    const fields = { code: 'EENVELOPE', recipients: 1 };
    assert.deepEqual(logged, [
      { level: 'warn', event: 'mail_put_off', fields: { ...fields, reply: 451 } },
      { level: 'error', event: 'mail_failed', fields: { ...fields, reply: 550 } },
      { level: 'warn', event: 'mail_put_off', fields: { ...fields, reply: 451 } },
    ]);
    assert.deepEqual(await rows(), []);
  });

  it('is given up after the last attempt, which is said', async (context) => {
    const { store, server, outbox, rows, logged, events } = await setting(context, { refusal: () => 450 });
    await outbox.put(store.db, mail);
    for (const minutes of [0, 1, 5, 15, 60, 240]) {
      assert.equal((await rows()).length, 1);
      clock.now += minutes * minuteMs;
      await outbox.sendDue();
    }
    assert.deepEqual(events(), [...Array(6).fill('mail_put_off'), 'mail_given_up']);
    assert.deepEqual(logged.at(-1)?.fields, { recipients: 1 });
    assert.deepEqual([await rows(), server.received], [[], []]);
  });

  it('waits for a key that this process does not know yet', async (context) => {
    const { store, server, outbox, events } = await setting(context);
    await outbox.put(store.db, mail);
    const [{ id, sealed } = assert.fail('no row')] = await store.db('mail_outbox').select();
    await store.db('mail_outbox').where({ id }).update({ sealed: '' });
    await outbox.sendDue();
    assert.deepEqual(events(), ['mail_unreadable']);
    await store.db('mail_outbox').where({ id }).update({ sealed });
    clock.now += minuteMs;
    await outbox.sendDue();
    assert.equal(server.received.length, 1);
  });
});
