import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Cost } from 'portcullis/sdk';
import { loadCatalogue } from '../../../plugins/model-pricing/load.ts';
import { asked, type Settings, type WrittenQuestion } from './asked.ts';

/** What a usage costs by the published prices: worked out by hand, as `sum` says, in US dollars. */
interface Vector {
  readonly name: string;
  /** What others got wrong here. */
  readonly trap?: string;
  readonly question: WrittenQuestion;
  readonly settings?: Settings;
  readonly sum?: string;
  /** null: nobody knows. */
  readonly cost: Cost | null;
}

const folder = join(import.meta.dirname, 'vectors');
const catalogue = await loadCatalogue();

for (const file of readdirSync(folder)) {
  const vectors = JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Vector[];
  describe(`what requests cost: ${file}`, () => {
    for (const { name, trap, question, settings, sum, cost } of vectors) {
      const dollars = cost === null ? 'unknown' : `$${(cost.nanoUsd / 1e9).toFixed(9)} = ${sum || '0'}`;
      it(`${question.model}: ${name}${trap === undefined ? '' : ` (trap: ${trap})`}: ${dollars}`, async () => {
        assert.deepEqual((await asked(catalogue, question, settings)) ?? null, cost);
      });
    }
  });
}
