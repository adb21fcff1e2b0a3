import type { AnyCheck, CodeRunner, Guardrail } from '../../contracts/guardrail.ts';
import type { Manifest } from '../../contracts/manifest.ts';
import type { Example } from './examples.ts';
import type { Usage } from './usage.ts';

export interface GuardrailUnit {
  /** Absolute; holds plugin.json and, in `fixtures`, recorded runs. */
  readonly folder: string;
  readonly manifest: Manifest;
  readonly definition: Guardrail;
  /** Its checks run in the sandbox: inputs cross by copy, so which parts of a request are read cannot be seen. Default false. */
  readonly sandboxed?: boolean;
}

export interface ConformanceOptions {
  /** The median that a check which asks nobody may take for 10 KB of text. Default 5. */
  readonly budgetMs?: number;
  /** How long a check may take for any one input, whatever its size. Default 10,000. */
  readonly timeMs?: number;
  /** How long a check may take for all inputs together. Default 60,000. */
  readonly allMs?: number;
  /** Runs code of others, for checks that do. Absent: what the fixture says. */
  readonly code?: CodeRunner;
  /** Whether a check that threw this had not ended by itself: whoever ran it had to end it. */
  readonly endedByForce?: (error: unknown) => boolean;
}

/** One thing that was looked at. */
export interface ConformanceResult {
  /** Name of the check, or `unit` for what is true of the whole. */
  readonly group: string;
  /** A sentence's end: `ends in a verdict or an error of the gateway`. */
  readonly name: string;
  readonly pass: boolean;
  /** It passes, but somebody should look at it. */
  readonly warning: boolean;
  /** What was found; '' when there is nothing to say. Holds no credential. */
  readonly detail: string;
}

export interface ConformanceReport {
  readonly unit: string;
  readonly version: string;
  /** Whether every result passes. */
  readonly pass: boolean;
  readonly results: readonly ConformanceResult[];
}

/** A check on its way through the kit. */
export interface Subject {
  readonly unit: GuardrailUnit;
  readonly name: string;
  readonly check: AnyCheck;
  readonly options: ConformanceOptions;
  /** At least one. */
  readonly examples: readonly [Example, ...Example[]];
  /** What the check has reached for so far. */
  readonly usage: Usage;
}

const shownFaults = 5;

/** Passes when there are no faults; the first few are shown. */
export function resultOf(group: string, name: string, faults: readonly string[], detail = ''): ConformanceResult {
  const more = faults.length > shownFaults ? `\nand ${faults.length - shownFaults} more` : '';
  const found = faults.length === 0 ? detail : faults.slice(0, shownFaults).join('\n') + more;
  return { group, name, pass: faults.length === 0, warning: false, detail: found };
}

/** Passes either way; with faults it is a warning. */
export function warningOf(group: string, name: string, faults: readonly string[]): ConformanceResult {
  return { ...resultOf(group, name, faults), pass: true, warning: faults.length > 0 };
}
