import { Ajv2020 } from 'ajv/dist/2020.js';
import type { CheckFixture } from '../check-fixture.ts';
import { assertNoVerdict, assertRecorded, assertSecretsKept, mayAnswer } from '../check-recorded.ts';
import { faultsOf, replayFixture } from '../check-replay.ts';
import { secretsOf } from '../check-secrets.ts';
import { type ConformanceResult, type GuardrailUnit, resultOf, type Subject } from './report.ts';

const shortestSecret = 6;

/** Replays the fixtures of a check over real connections: as recorded, and with every fault at every call. */
export async function vendorResults(
  { unit, name, check, options }: Subject,
  fixtures: ReadonlyMap<string, CheckFixture>,
): Promise<readonly ConformanceResult[]> {
  const own = [...fixtures].filter(([, fixture]) => fixture.check === name);
  const recorded: string[] = [];
  const faulty: string[] = [];
  const short: string[] = [];
  const misfits: string[] = [];
  for (const [file, fixture] of own) {
    const secrets = secretsOf(unit.definition, fixture.credentials ?? {});
    if (secrets.some((secret) => secret.length < shortestSecret)) short.push(file);
    const needsNone = check.remote === undefined && fixture.credentials === undefined;
    if (!needsNone && !fitsCredentials(unit, fixture))
      misfits.push(`${file}: credentials do not fit the unit's schema.`);
    const replay = await replayFixture(check, fixture, unit.manifest);
    note(
      recorded,
      file,
      () => assertRecorded(check, fixture, replay),
      () => assertSecretsKept(replay, secrets),
    );
    for (const fault of faultsOf(fixture)) {
      const broken = await replayFixture(check, fixture, unit.manifest, fault);
      const where = `${file}, ${fault.kind} at call ${fault.at + 1}`;
      if (!mayAnswer(fixture, fault)) note(faulty, where, () => assertNoVerdict(broken));
      note(faulty, where, () => assertSecretsKept(broken, secrets));
      if (options.endedByForce?.(broken.error) === true) faulty.push(`${where}: It had to be ended.`);
    }
  }
  const tooShort = short.map(
    (file) => `${file}: a secret must have ${shortestSecret} characters to be told from other text.`,
  );
  return [
    resultOf(name, 'asks and judges as its fixtures record', recorded, `${own.length} fixtures`),
    resultOf(name, 'gives no verdict when a vendor or a model fails', faulty),
    resultOf(name, 'has secrets in its fixtures that can be found again', tooShort),
    resultOf(name, 'has credentials in its fixtures that the gateway would take', misfits),
  ];
}

function fitsCredentials({ definition }: GuardrailUnit, { credentials = {} }: CheckFixture): boolean {
  const { credentials: schema } = definition;
  if (schema === undefined) return Object.keys(credentials).length === 0;
  return new Ajv2020({ strict: false, validateFormats: false }).compile(schema)(credentials);
}

function note(faults: string[], where: string, ...looks: readonly (() => void)[]): void {
  for (const look of looks) {
    try {
      look();
    } catch (error) {
      faults.push(`${where}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
