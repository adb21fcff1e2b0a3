import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Guardrail, Manifest } from 'portcullis/sdk';
import { checkFixtureNames, checkInput, createCheckHost, readCheckFixture, runCheck } from 'portcullis/sdk/testing';

const guardrails = new URL('../../guardrails/', import.meta.url);

/** Units whose checks that call out judge no text. */
const others = new Set(['default', 'exa', 'tavily']);
const units = readdirSync(guardrails).filter((unit) => !others.has(unit));

describe('a text without a word, such as beside a picture', () => {
  for (const unit of units) {
    const folder = fileURLToPath(new URL(unit, guardrails));
    const { permissions } = JSON.parse(readFileSync(`${folder}/plugin.json`, 'utf8')) as Manifest;
    if (permissions?.net === undefined) continue;
    it(`passes without a call of ${unit}`, async () => {
      const { default: definition } = (await import(`${guardrails.href}${unit}/index.ts`)) as { default: Guardrail };
      for (const [name, check] of Object.entries(definition.checks)) {
        if (check.remote === undefined || check.scans === false) continue;
        const file = checkFixtureNames(folder).find((fixture) => fixture.startsWith(`${name}.`)) ?? '';
        const { parameters = {}, credentials = {} } = readCheckFixture(folder, file);
        for (const phase of check.phases)
          for (const texts of [[], [{ text: ' \n' }]]) {
            const host = createCheckHost({ credentials });
            const verdict = await runCheck(check, parameters, checkInput({ phase, texts, turns: [] }), host);
            assert.deepEqual([name, verdict.pass, host.fetched.length], [name, true, 0]);
          }
      }
    });
  }
});
