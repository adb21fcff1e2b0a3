import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

const dayMs = 86_400_000;
const today = Date.UTC(2026, 7, 21);

/** Days since the period began, and since the alert was sent. */
interface Alert {
  readonly id: string;
  readonly subject: string;
  readonly value?: string;
  readonly began: number;
  readonly sent: number;
  readonly organisationId?: string;
}

const alerts: readonly Alert[] = [
  { id: 'over and old', subject: 'key/monthly', began: 460, sent: 432 },
  { id: 'over, of a group that came once', subject: 'policy/monthly', value: 'gone', began: 460, sent: 450 },
  { id: 'over since, of that policy', subject: 'policy/monthly', value: 'other', began: 30, sent: 10 },
  { id: 'over and young', subject: 'key/monthly', began: 400, sent: 390 },
  { id: 'of the present period', subject: 'key/monthly', began: 21, sent: 5 },
  { id: 'of a budget without reset', subject: 'key/forever', began: 900, sent: 800 },
  { id: 'of the same name elsewhere', subject: 'key/monthly', began: 900, sent: 800, organisationId: 'other' },
];

onEachStore((_, __, fresh) => {
  it('alerts go 400 days later, once their period is over', async (t) => {
    const { gateway, runJob } = await startControl(t, { store: await fresh(), startAt: today });
    const { store } = gateway.control ?? assert.fail('the gateway has a control plane');
    const row = ({ id, subject, value = '', began, sent, organisationId = 'acme' }: Alert) => ({
      id,
      digest: id,
      organisation_id: organisationId,
      subject,
      value_key: value,
      period_start: today - began * dayMs,
      kind: 'threshold',
      created_at: today - sent * dayMs,
    });
    // More than one batch.
    const many = Array.from({ length: 450 }, (_, group) => ({
      id: `many ${group}`,
      subject: 'policy/monthly',
      value: `group ${group}`,
      began: 460,
      sent: 450,
    }));
    await store.db.batchInsert('limit_alerts', [...alerts, ...many].map(row), 50);
    assert.equal(await runJob('limits.ended-alerts'), true);
    const left = await store.db('limit_alerts').pluck('id');
    const kept = alerts.filter(({ id }) => id !== 'over and old' && id !== 'over, of a group that came once');
    assert.deepEqual(left.sort(), kept.map(({ id }) => id).sort());
  });
});
