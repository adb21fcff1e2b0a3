import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FeedbackRow, LogEntry, LogRow } from 'portcullis/sdk';
import { BatchWriter } from '../../../core/logs/batch-writer.ts';
import { withTextsCut } from '../../../core/logs/cut-row.ts';
import { feedbackRow, logRow } from './rows.ts';

const entryOf = (given: Partial<LogRow>) => ({ row: logRow(given), bodies: undefined });
const bytesOf = (given: LogEntry | FeedbackRow) => {
  const batch = new BatchWriter();
  if ('row' in given) batch.add(given);
  else batch.addFeedback(given);
  return batch.bytes;
};
const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`name-${index}`, 'x']));

describe('the memory of an entry that waits', () => {
  const plain = bytesOf(entryOf({ metadata: {} }));
  const table: readonly (readonly [string, number, number])[] = [
    ['its metadata', bytesOf(entryOf({ metadata: { long: 'x'.repeat(1_000_000) } })), 1_000_000],
    ['10,000 names of metadata', bytesOf(entryOf({ metadata: many })), 10_000 * 10],
    ['reports', bytesOf(entryOf({ guardrails: [{ checks: [{ data: 'x'.repeat(1_000_000) }] }] })), 1_000_000],
    ['the metadata of feedback', bytesOf(feedbackRow({ metadata: { long: 'x'.repeat(1_000_000) } })), 2_000_000],
  ];
  for (const [what, bytes, least] of table) {
    it(`counts ${what}`, () => {
      assert.ok(bytes >= plain + least - 10_000, `${bytes}`);
    });
  }

  it('does not grow with texts that a store would cut', () => {
    const long = 'm'.repeat(1_000_000);
    const { row } = withTextsCut(entryOf({ requestedModel: long, model: long, user: long, path: `/${long}` }));
    assert.deepEqual(
      [row.requestedModel, row.model, row.user, row.path].map((text) => text?.length),
      [200, 200, 256, 512],
    );
    const usual = entryOf({});
    assert.equal(withTextsCut(usual), usual);
  });
});
