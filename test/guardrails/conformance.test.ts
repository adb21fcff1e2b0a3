import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Guardrail, Manifest } from 'portcullis/sdk';
import { type ConformanceReport, conform } from 'portcullis/sdk/testing';

const guardrails = new URL('../../guardrails/', import.meta.url);
const names = readdirSync(guardrails, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

it('finds the guardrails', () => assert.ok(names.includes('default')));

for (const name of names) {
  const folder = fileURLToPath(new URL(name, guardrails));
  const manifest = JSON.parse(readFileSync(`${folder}/plugin.json`, 'utf8')) as Manifest;
  const { default: definition } = (await import(`${guardrails.href}${name}/index.ts`)) as { default: Guardrail };
  describe(`guardrail ${name} conforms`, () => {
    let report: ConformanceReport;
    before(async () => {
      report = await conform({ folder, manifest, definition });
    });
    for (const group of ['unit', ...Object.keys(definition.checks)]) {
      it(group === 'unit' ? 'as a whole' : `in its check ${group}`, () => {
        const results = report.results.filter((result) => result.group === group);
        const faults = results.filter(({ pass }) => !pass);
        assert.notEqual(results.length, 0);
        assert.deepEqual(
          faults.map(({ name: what, detail }) => `${what}: ${detail}`),
          [],
        );
      });
    }
  });
}
