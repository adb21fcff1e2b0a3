import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import type { Guardrail } from '../contracts/guardrail.ts';
import type { Manifest } from '../contracts/manifest.ts';
import { checkFixtureNames, readCheckFixture } from './check-fixture.ts';
import { assertNoVerdict, assertRecorded, assertSecretsKept, mayAnswer } from './check-recorded.ts';
import { faultsOf, replayFixture } from './check-replay.ts';
import { secretsOf } from './check-secrets.ts';

/**
 * Registers node:test tests for every file in the `fixtures` folder of a guardrail: each is replayed as recorded by a
 * server on 127.0.0.1, and each of its exchanges and answers once with every kind of fault, which must never end in a verdict. No
 * secret may appear in a URL, an error, the log or a verdict.
 * @param folder absolute; holds plugin.json
 * @throws Error for a fixture that is none, naming file and field
 */
export function testGuardrailFixtures(folder: string, definition: Guardrail): void {
  const manifest = JSON.parse(readFileSync(join(folder, 'plugin.json'), 'utf8')) as Manifest;
  describe(`guardrail ${basename(folder)}`, () => {
    const names = checkFixtureNames(folder);
    it('has a fixture for every check that calls out', () => {
      const remote = Object.keys(definition.checks).filter((name) => definition.checks[name]?.remote !== undefined);
      const bare = remote.filter((check) => !names.some((name) => name.startsWith(`${check}.`)));
      assert.deepEqual(bare, []);
    });
    for (const name of names) {
      const fixture = readCheckFixture(folder, name);
      const check = Object.hasOwn(definition.checks, fixture.check) ? definition.checks[fixture.check] : undefined;
      if (check === undefined)
        throw new Error(`${join(folder, 'fixtures', name)}: there is no check ${fixture.check}.`);
      const secrets = secretsOf(definition, fixture.credentials ?? {});
      describe(name, () => {
        it('asks and judges as recorded', async () => {
          const replay = await replayFixture(check, fixture, manifest);
          assertRecorded(check, fixture, replay);
          assertSecretsKept(replay, secrets);
        });
        for (const fault of faultsOf(fixture)) {
          const answers = mayAnswer(fixture, fault);
          const place = `${fault.kind} at call ${fault.at + 1}`;
          it(`${answers ? 'keeps its secrets' : 'gives no verdict'} on ${place}`, async () => {
            const replay = await replayFixture(check, fixture, manifest, fault);
            assertSecretsKept(replay, secrets);
            if (!answers) assertNoVerdict(replay);
          });
        }
      });
    }
  });
}
