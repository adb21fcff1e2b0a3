import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnyCheck, CheckHost, CheckPhase } from '../contracts/guardrail.ts';
import { GatewayError } from '../errors.ts';
import type { Json, JsonObject } from '../json.ts';
import { type CheckHostOptions, createCheckHost } from './check-host.ts';
import { checkInput, type GivenInput } from './check-input.ts';
import { readyCheck, runCheck } from './check-run.ts';
import { editedTexts } from './check-verdict.ts';

/** What a check looks at, with which parameters. */
export interface CheckRow {
  /** Default: made of the parameters and the text. */
  readonly name?: string;
  readonly text?: string;
  readonly input?: GivenInput;
  /** The parameters; default `{}`. */
  readonly config?: JsonObject;
  /** Default: that of `input`, or the first that the check looks at. */
  readonly phase?: CheckPhase;
  /** A host, or what makes one anew for the row. */
  readonly host?: CheckHost | CheckHostOptions;
}

/** What the verdict must say; what is absent is not looked at. */
export interface VerdictRow extends CheckRow {
  readonly data?: Json;
  readonly why?: string | RegExp;
  /** All texts after the edits. */
  readonly edited?: readonly string[];
}

export interface ErrorRow extends CheckRow {
  /** Default: any code. */
  readonly code?: string;
  readonly message?: RegExp;
}

export interface RefusedRow {
  readonly name?: string;
  readonly config: JsonObject;
  readonly message: RegExp;
}

export interface CheckTables {
  readonly pass?: readonly VerdictRow[];
  readonly fail?: readonly VerdictRow[];
  /** The check throws. */
  readonly error?: readonly ErrorRow[];
  /** Parameters that no guardrail is saved with. */
  readonly refused?: readonly RefusedRow[];
}

/** Registers one node:test test for each row. */
export function testCheck(check: AnyCheck, { pass = [], fail = [], error = [], refused = [] }: CheckTables): void {
  describe(check.title, () => {
    for (const row of pass) it(`passes ${nameOf(row)}`, () => compareVerdict(check, row, true));
    for (const row of fail) it(`fails ${nameOf(row)}`, () => compareVerdict(check, row, false));
    for (const row of error) it(`throws on ${nameOf(row)}`, () => compareError(check, row));
    for (const row of refused) it(`refuses ${nameOf(row)}`, () => compareRefusal(check, row));
  });
}

async function compareVerdict(check: AnyCheck, row: VerdictRow, pass: boolean): Promise<void> {
  const input = inputOf(check, row);
  const verdict = await runCheck(check, row.config ?? {}, input, hostOf(row));
  assert.equal(verdict.pass, pass, `The verdict: ${JSON.stringify(verdict)}`);
  if (row.data !== undefined) assert.deepEqual(verdict.data, row.data);
  if (row.why instanceof RegExp) assert.match(verdict.why ?? '', row.why);
  else if (row.why !== undefined) assert.equal(verdict.why, row.why);
  if (row.edited !== undefined) assert.deepEqual(editedTexts(input, verdict), row.edited);
}

async function compareError(check: AnyCheck, row: ErrorRow): Promise<void> {
  const fault = await faultOf(() => runCheck(check, row.config ?? {}, inputOf(check, row), hostOf(row)));
  if (row.code !== undefined) assert.equal(fault.code, row.code, fault.message);
  if (row.message !== undefined) assert.match(fault.message, row.message);
}

async function compareRefusal(check: AnyCheck, { config, message }: RefusedRow): Promise<void> {
  const fault = await faultOf(() => readyCheck(check, config).accept(createCheckHost()));
  assert.equal(fault.code, 'invalid_config', fault.message);
  assert.match(fault.message, message);
}

/** Anything but a GatewayError is a fault of the check itself. */
async function faultOf(work: () => unknown): Promise<GatewayError> {
  try {
    await work();
  } catch (error) {
    if (GatewayError.is(error)) return error;
    throw error;
  }
  assert.fail('Nothing was thrown.');
}

function inputOf({ phases: [first] }: AnyCheck, { text, input, phase }: CheckRow) {
  return checkInput({
    phase: first,
    ...input,
    ...(text === undefined ? {} : { text }),
    ...(phase === undefined ? {} : { phase }),
  });
}

function hostOf({ host = {} }: CheckRow): CheckHost {
  return 'cache' in host ? host : createCheckHost(host);
}

function nameOf({ name, text, input, config = {}, phase }: CheckRow): string {
  if (name !== undefined) return name;
  const shown = text ?? input?.text ?? input?.texts?.map((each) => each.text).join(' / ');
  return `${shown === undefined ? '' : `${excerpt(JSON.stringify(shown))} with `}${excerpt(JSON.stringify(config))}${phase === undefined ? '' : ` (${phase})`}`;
}

function excerpt(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
