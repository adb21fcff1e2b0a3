import type { AnyCheck } from '../../contracts/guardrail.ts';
import { GatewayError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { type CheckFixture, checkFixtureNames, readCheckFixture } from '../check-fixture.ts';
import { readyCheck } from '../check-run.ts';
import { type ConformanceResult, type GuardrailUnit, resultOf, warningOf } from './report.ts';

/** Parameters that fit a check, and how the world answers it. */
export interface Example {
  /** Name of its fixture file, or `{}`. */
  readonly name: string;
  readonly parameters: JsonObject;
  readonly fixture: CheckFixture | undefined;
}

export interface UnitFixtures {
  readonly fixtures: ReadonlyMap<string, CheckFixture>;
  readonly results: readonly ConformanceResult[];
}

/** Reads all fixtures of a unit; what cannot be read is a result. */
export function readFixtures({ folder, definition }: GuardrailUnit): UnitFixtures {
  const fixtures = new Map<string, CheckFixture>();
  const faults: string[] = [];
  for (const name of namesIn(folder, faults)) {
    try {
      const fixture = readCheckFixture(folder, name);
      if (Object.hasOwn(definition.checks, fixture.check)) fixtures.set(name, fixture);
      else faults.push(`${name}: there is no check ${fixture.check}.`);
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  }
  return {
    fixtures,
    results: [resultOf('unit', 'has fixtures that can be read', faults, `${fixtures.size} fixtures`)],
  };
}

function namesIn(folder: string, faults: string[]): readonly string[] {
  try {
    return checkFixtureNames(folder);
  } catch {
    faults.push(`${folder}/fixtures is no folder that can be read.`);
    return [];
  }
}

const mostExamples = 6;

/** One example for each set of parameters in the fixtures; without fixtures, the defaults alone. */
export function examplesOf(name: string, check: AnyCheck, fixtures: ReadonlyMap<string, CheckFixture>) {
  const own = [...fixtures].filter(([, fixture]) => fixture.check === name);
  const examples = new Map<string, Example>();
  const faults: string[] = [];
  for (const [file, fixture] of own) {
    const { parameters = {} } = fixture;
    const refusal = refusalOf(check, parameters);
    if (refusal !== undefined) faults.push(`${file}: ${refusal}`);
    else examples.set(JSON.stringify(parameters), { name: file, parameters, fixture });
  }
  if (own.length === 0) {
    const refusal = refusalOf(check, {});
    if (check.remote !== undefined) faults.push(`It calls out: it needs a fixture, fixtures/${name}.CASE.json.`);
    else if (refusal !== undefined)
      faults.push(`It needs parameters: give an example in fixtures/${name}.CASE.json. ${refusal}`);
    if (refusal === undefined) examples.set('{}', { name: '{}', parameters: {}, fixture: undefined });
  }
  const bare =
    own.length === 0 && faults.length === 0 ? ['There is no fixture: it is tried with its defaults alone.'] : [];
  return {
    examples: [...examples.values()].slice(0, mostExamples),
    results: [
      resultOf(name, 'has example parameters that fit it', faults, `${examples.size} sets`),
      warningOf(name, 'has a fixture', bare),
    ],
  };
}

function refusalOf(check: AnyCheck, parameters: JsonObject): string | undefined {
  try {
    readyCheck(check, parameters);
    return undefined;
  } catch (error) {
    return GatewayError.is(error) ? error.message : `It threw what is no GatewayError: ${String(error)}`;
  }
}
