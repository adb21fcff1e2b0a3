import assert from 'node:assert/strict';
import { it } from 'node:test';
import { migrate } from '../../../core/store/migrate.ts';
import { migrations } from '../../../plugins/limits/records/tables.ts';
import { smtpServer } from '../../core/mail/smtp.ts';
import { startControl, testKeyMaterial } from '../../support/control.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { onEachStore } from '../../support/stores.ts';

onEachStore(
  (_, open, fresh) => {
    const rowOf = (id: string, to: readonly string[], due_at: number) => ({
      ...{ id, recipients: JSON.stringify(to), subject: `Budget ${id}`, text: 'It is used up.' },
      ...{ tries: 3, due_at, created_at: 1 },
    });

    it('hands over what waited when the gateway was upgraded, once there is a mail server', async (t) => {
      const server = await smtpServer();
      const options = { store: await fresh(), keyMaterial: testKeyMaterial() };
      const mail = { host: '127.0.0.1', port: server.port, from: 'gateway@example.com' };
      const store = await open(options.store);
      const earlier = migrations.filter(({ name }) => name < '003');
      await migrate(store, [{ plugin: 'limits', migrations: earlier }], recordingLog().log);
      const far = Date.UTC(2900, 0);
      await store.db('limit_mails').insert([
        rowOf('one', ['ann@example.com', 'bob@example.com'], 1),
        rowOf('two', ['eve@example.com'], 2),
        // An earlier version that still runs is about to send it.
        rowOf('later', ['ann@example.com'], far),
      ]);

      const left = async () => (await store.db('limit_mails').select('id').orderBy('id')).map(({ id }) => String(id));
      const without = await startControl(t, options);
      await without.runJob('limits.alerts');
      assert.deepEqual(await left(), ['later', 'one', 'two']);

      const control = await startControl(t, { ...options, settings: { mail } });
      t.after(() => server.close());
      for (let time = 0; time < 2; time += 1) {
        await control.runJob('limits.alerts');
        await control.runJob('core.mails');
      }
      assert.deepEqual(await left(), ['later']);
      assert.deepEqual(
        server.received.map(({ to, raw }) => [to.join(), /^Subject: (.+?)\r?$/m.exec(raw)?.[1]]).sort(),
        [
          ['ann@example.com,bob@example.com', 'Budget one'],
          ['eve@example.com', 'Budget two'],
        ],
      );
    });

    it('drops the table where nothing waits', async (t) => {
      const options = { store: await fresh(), keyMaterial: testKeyMaterial() };
      const control = await startControl(t, {
        ...options,
        settings: { mail: { host: '127.0.0.1', port: 9, from: 'gateway@example.com' } },
      });
      const store = await open(options.store);
      assert.equal(await store.db.schema.hasTable('limit_mails'), false);
      assert.equal(await control.runJob('limits.alerts'), true);
    });
  },
  { file: true, memory: false },
);
