import assert from 'node:assert/strict';
import type { AnyCheck } from '../contracts/guardrail.ts';
import { GatewayError } from '../errors.ts';
import type { CheckFixture } from './check-fixture.ts';
import { checkInput } from './check-input.ts';
import { compareCalls, type Replay, type ReplayFault } from './check-replay.ts';
import { holdsSecret, wordsOf } from './check-secrets.ts';
import { editedTexts } from './check-verdict.ts';

/** Whether the check may read this fault as an answer. */
export function mayAnswer({ shape, answered = [] }: CheckFixture, { kind }: ReplayFault): boolean {
  return answered.includes(kind) || (kind === 'other-shape' && shape === 'any');
}

/** @throws AssertionError where calls or verdict differ from what is recorded, and what the check has thrown */
export function assertRecorded({ phases: [phase] }: AnyCheck, fixture: CheckFixture, replay: Replay): void {
  const { verdict } = replay;
  compareCalls(fixture, replay);
  if (verdict === undefined) throw replay.error;
  assert.deepEqual(replay.missed, []);
  const { pass, why, data, edited } = fixture.verdict;
  assert.equal(verdict.pass, pass, `The verdict: ${JSON.stringify(verdict)}`);
  if (why !== undefined) assert.equal(verdict.why, why);
  if (data !== undefined) assert.deepEqual(verdict.data, data);
  const input = checkInput({ phase, ...fixture.input });
  if (edited !== undefined) assert.deepEqual(editedTexts(input, verdict), edited);
}

/** @throws AssertionError for anything but an error of the gateway's table */
export function assertNoVerdict({ verdict, error }: Replay): void {
  assert.equal(verdict, undefined, `It gave a verdict: ${JSON.stringify(verdict)}`);
  assert.ok(GatewayError.is(error), `It threw what is no GatewayError: ${wordsOf(error)}`);
}

/** @throws AssertionError naming the place in which a secret stands, but not the secret */
export function assertSecretsKept({ verdict, error, host }: Replay, secrets: readonly string[]): void {
  const places = {
    verdict: JSON.stringify(verdict ?? null),
    log: JSON.stringify(host.logged),
    error: wordsOf(error),
    'URL of a call': host.fetched.map(({ url }) => url.href).join('\n'),
  };
  for (const [place, text] of Object.entries(places))
    assert.ok(!holdsSecret(text, secrets), `A credential stands in the ${place}.`);
}
