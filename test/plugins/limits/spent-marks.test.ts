import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refusedName } from 'portcullis/sdk';
import { createCounters } from '../../../core/limits/counters.ts';
import { spentMarks } from '../../../plugins/limits/enforce/spent-marks.ts';
import { budgetMeter } from '../../../plugins/limits/limit/meters.ts';
import { recordingLog } from '../../support/recording-log.ts';

it('marks a budget that was set back once more when it is used up again', async (t) => {
  const { log } = recordingLog();
  let now = Date.UTC(2026, 10, 21);
  const counters = createCounters({ now: () => now, log });
  t.after(() => counters.close());
  const limits = { credit_limit: 1000, type: 'tokens' } as const;
  const meter = budgetMeter({ owner: 'policy', id: 'p', whose: 'the policy' }, limits, {
    valueKey: 'metadata._user:a',
    words: 'metadata._user:a',
  });
  const name = refusedName(meter.name, meter.most);
  const mark = spentMarks({ counters, log });
  const marked = async () => (await counters.read('o', [{ name, start: 0, durable: true }]))[0]?.used;
  const refuse = async () => {
    mark('o', meter, { used: 950, reserved: 0 }, now);
    await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await refuse();
  now += 1000;
  await refuse();
  assert.equal(await marked(), 1, 'refusals of one moment set it once');
  for (const later of [1000, 60_000]) {
    await counters.set('o', { name, start: 0, end: undefined, durable: true }, 0);
    now += later;
    await refuse();
    assert.equal(await marked(), 1, `set back, and used up again ${later} ms later`);
  }
});
