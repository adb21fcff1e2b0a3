import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { parsePrometheus, valueIn } from './prometheus-text.ts';

it('the metrics of each worker are the sums over all workers', async () => {
  const script = join(import.meta.dirname, 'cluster-of-two.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 60_000 });
  const texts = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string);
  assert.equal(texts.length, 2);
  for (const text of texts) {
    const families = parsePrometheus(text.endsWith('\n') ? text : `${text}\n`);
    assert.equal(valueIn(families, 'a_total', { x: 'y' }), 5);
    assert.equal(valueIn(families, 'depth'), 5);
    assert.equal(valueIn(families, 'b_seconds_sum'), 5);
    assert.deepEqual(
      ['1', '2', '+Inf'].map((le) => valueIn(families, 'b_seconds_bucket', { le })),
      [0, 1, 2],
    );
    assert.ok(valueIn(families, 'process_resident_memory_bytes') > 0);
  }
});
