import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../../contracts/endpoint.ts';
import type { Check, CheckPhase } from '../../contracts/guardrail.ts';
import { GatewayError } from '../../errors.ts';
import { readyCheck } from '../check-run.ts';
import { holdsSecret, secretsOf, wordsOf, written } from '../check-secrets.ts';
import { verdictFaults } from '../check-verdict.ts';
import { type CorpusInput, canary, hostileInputs, shapeInputs, splitPairs, textInputs, windowsOf } from './corpus.ts';
import type { Example } from './examples.ts';
import { type ConformanceResult, resultOf, type Subject } from './report.ts';
import { attempt, endingFault, type Trial } from './trial.ts';

const standardAllMs = 60_000;

interface Faults {
  readonly ending: string[];
  readonly form: string[];
  readonly purity: string[];
  readonly words: string[];
  readonly secrets: string[];
  readonly difference: string[];
}

/** Runs a check on every input of the corpus, and looks at each run from all sides. */
export async function inputResults(subject: Subject): Promise<readonly ConformanceResult[]> {
  const { name, examples } = subject;
  const usual = noFaults();
  for (const example of examples) await tryAll(subject, example, inputsFor(subject), usual, 2);
  const cut = noFaults();
  const windows = [1, 2, 3].flatMap(windowsOf);
  await tryAll(subject, examples[0], inPhases(subject, [...splitPairs, ...windows]), cut, 1);
  const hostile = noFaults();
  await tryAll(subject, examples[0], inPhases(subject, hostileInputs), hostile, 1);
  const all = (kind: keyof Faults) => [...usual[kind], ...cut[kind], ...hostile[kind]];
  return [
    resultOf(name, 'ends in a verdict or an error of the gateway, whatever it is given', usual.ending),
    resultOf(name, 'ends so for texts that are cut anywhere', cut.ending),
    resultOf(name, 'ends so, in time, for hostile texts', hostile.ending),
    resultOf(name, 'gives verdicts that the runner takes', all('form')),
    resultOf(name, 'leaves its input alone', all('purity')),
    resultOf(name, 'gives the same verdict for the same input', usual.difference),
    resultOf(name, 'repeats no text that it has checked in why, errors and the log', all('words')),
    resultOf(name, 'keeps its credentials to calls, and out of their URLs', all('secrets')),
  ];
}

function noFaults(): Faults {
  return { ending: [], form: [], purity: [], words: [], secrets: [], difference: [] };
}

interface PhasedInput extends CorpusInput {
  readonly phase: CheckPhase;
}

function inPhases({ check }: Subject, inputs: readonly CorpusInput[]): readonly PhasedInput[] {
  return check.phases.flatMap((phase) => inputs.map((input) => ({ ...input, phase })));
}

function inputsFor(subject: Subject): readonly PhasedInput[] {
  const { endpoints }: Pick<Check, 'endpoints'> = subject.check;
  const serves = (endpoint: Endpoint = 'chatComplete') => endpoints === undefined || endpoints.includes(endpoint);
  const [first] = endpoints ?? [];
  const texts = textInputs.map(({ name, make }) => ({
    name,
    make: () => (first === undefined ? make() : { endpoint: first, ...make() }),
  }));
  return inPhases(subject, [...texts, ...shapeInputs.filter(({ make }) => serves(make().endpoint))]);
}

async function tryAll(
  subject: Subject,
  example: Example,
  inputs: readonly PhasedInput[],
  faults: Faults,
  times: 1 | 2,
): Promise<void> {
  const secrets = secretsOf(subject.unit.definition, example.fixture?.credentials ?? {});
  const ready = readyCheck(subject.check, example.parameters);
  const { allMs = standardAllMs } = subject.options;
  for (const { name, phase, make } of inputs) {
    const at = `${name} (${phase}, ${example.name})`;
    const trial = await attempt(subject, example, { phase, ...make() }, ready);
    look(subject, example, trial, secrets, at, faults);
    // One that hangs would hang on the rest as well.
    if (trial.overdue) return;
    if (subject.usage.spentMs > allMs) {
      faults.ending.push(`${at}: by then its runs had taken more than ${allMs} ms together.`);
      subject.usage.hung = true;
      return;
    }
    if (times === 1) continue;
    const again = await attempt(subject, example, { phase, ...make() }, ready);
    if (!isDeepStrictEqual(ending(trial), ending(again)))
      faults.difference.push(`${at}: the second run ended otherwise.`);
  }
}

function ending({ verdict, error }: Trial): unknown {
  return verdict ?? (GatewayError.is(error) ? [error.code, error.message] : String(error));
}

function look(
  { check }: Subject,
  { parameters }: Example,
  trial: Trial,
  secrets: readonly string[],
  at: string,
  faults: Faults,
): void {
  const { input, verdict, error, host } = trial;
  const fault = endingFault(trial);
  const wrote = error instanceof TypeError && /read only|not extensible|Cannot delete/.test(error.message);
  if (wrote) faults.purity.push(`${at}: ${error.message}`);
  else if (fault !== undefined) faults.ending.push(`${at}: ${fault}.`);
  if (verdict !== undefined)
    faults.form.push(...verdictFaults(check, input, verdict).map((text) => `${at}: the verdict ${text}.`));
  const given = JSON.stringify(parameters);
  const told = [canary, ...input.texts.map(({ text }) => text)].filter(
    (text) => text.length >= 16 && !given.includes(text),
  );
  const places = {
    why: typeof verdict?.why === 'string' ? verdict.why : '',
    error: GatewayError.is(error) ? error.message : '',
    log: written(host.logged),
  };
  for (const [place, text] of Object.entries(places))
    if (told.some((one) => text.includes(one))) faults.words.push(`${at}: the ${place} holds text that was checked.`);
  const held = { ...places, error: wordsOf(error), verdict: written(verdict) };
  const urls = host.fetched.map(({ url }) => url.href).join('\n');
  for (const [place, text] of Object.entries({ ...held, 'URL of a call': urls }))
    if (holdsSecret(text, secrets)) faults.secrets.push(`${at}: the ${place} holds a credential.`);
}
