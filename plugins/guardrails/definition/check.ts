import { asArray, asObject, type CheckSummary, type Checks, type Json, type JsonObject, omit } from 'portcullis/sdk';
import { isForwardable } from '../run/forward-headers.ts';
import type { CheckForm, ErrorPolicy, HookCheck, Place } from './hook.ts';
import { scanScopes } from './hook.ts';
import { fault, readChoice, readFlag, readInteger, readObject } from './values.ts';

const longestTimeoutMs = 60_000;
/** Of checks that call nobody: only what they run in the sandbox can last. */
const localTimeoutMs = 10_000;
const maxForwarded = 50;

/** The parameters that the runner acts on. A check that has one of them as its own keeps it. */
const common = ['credentials', 'timeout', 'forwardHeaders', 'failOnError', 'scan_scope', 'strip_scaffolding'] as const;
type Common = (typeof common)[number];

/**
 * Makes a check ready for a place.
 * @param denies whether its guardrail denies: then a check without verdict denies as well, unless it says otherwise
 * @throws GatewayError `invalid_config` naming the field; also for a check that could not run in that place
 */
export function readCheck(form: CheckForm, place: Place, denies: boolean, checks: Checks): HookCheck {
  const { param } = form;
  const summary = checks.find(form.id);
  // Asked for although it is not there: the registry says which name is near.
  if (summary === undefined) throw missing(form, checks);
  refuseMisplaced(summary, place, form.idParam);
  const own = new Set(Object.keys(asObject(summary.config.properties) ?? {}));
  const given = (name: Common): Json | undefined => (own.has(name) ? undefined : form.parameters[name]);
  const lifted = new Set(common.filter((name) => !own.has(name)));
  refuseForeign(summary, form, lifted);
  return {
    ready: checks.ready(form.id, omit(form.parameters, lifted), param),
    scope: readChoice(given('scan_scope'), scanScopes, `${param}.scan_scope`) ?? 'last_message',
    strip: readFlag(given('strip_scaffolding'), false, `${param}.strip_scaffolding`),
    softDeny: form.softDeny,
    onError: form.onError ?? failOnError(form.parameters, own, `${param}.failOnError`) ?? (denies ? 'deny' : 'pass'),
    timeoutMs: readInteger(
      given('timeout'),
      summary.remote?.timeoutMs ?? localTimeoutMs,
      [1, longestTimeoutMs],
      `${param}.timeout`,
    ),
    forwardHeaders: readForwarded(given('forwardHeaders'), `${param}.forwardHeaders`),
    credentials: readCredentials(given('credentials'), summary, checks, `${param}.credentials`),
  };
}

function missing(form: CheckForm, checks: Checks): unknown {
  try {
    checks.ready(form.id, {}, form.idParam);
  } catch (error) {
    return error;
  }
  return fault(form.idParam, 'names a check that is not there');
}

function refuseMisplaced({ id, phases, edits }: CheckSummary, { phase, type }: Place, idParam: string): void {
  if (!phases.includes(phase)) {
    const where = phase === 'beforeRequest' ? 'requests' : 'replies';
    throw fault(idParam, `is ${id}, which does not run on ${where}: it would never check anything`);
  }
  if (type === 'mutator' && edits === undefined)
    throw fault(idParam, `is ${id}, which changes nothing: as a mutator it would have no effect`);
}

/** A parameter of the runner that means nothing for this check would silently do nothing. */
function refuseForeign(summary: CheckSummary, { parameters, param }: CheckForm, lifted: ReadonlySet<string>): void {
  const refuse = (name: Common, why: string): void => {
    if (lifted.has(name) && parameters[name] !== undefined) throw fault(`${param}.${name}`, why);
  };
  if (summary.remote === undefined) {
    refuse('timeout', `is for checks that call out, and ${summary.id} does not`);
    refuse('forwardHeaders', `is for checks that call out, and ${summary.id} does not`);
  }
  if (summary.credentials === undefined) refuse('credentials', `are not needed by ${summary.id}`);
  if (!summary.scans) {
    refuse('scan_scope', `is for checks that look at texts, and ${summary.id} does not`);
    refuse('strip_scaffolding', `is for checks that look at texts, and ${summary.id} does not`);
  }
}

/** A check that has the parameter as its own says by it when it fails; what that counts as is the same. */
function failOnError(
  { failOnError: given }: JsonObject,
  own: ReadonlySet<string>,
  param: string,
): ErrorPolicy | undefined {
  if (given === undefined || (own.has('failOnError') && typeof given !== 'boolean')) return undefined;
  return readFlag(given, false, param) ? 'deny' : 'pass';
}

function readForwarded(given: Json | undefined, param: string): readonly string[] {
  if (given === undefined) return [];
  const names = asArray(given).map((name) => (typeof name === 'string' ? name.toLowerCase() : undefined));
  if (!Array.isArray(given) || names.length > maxForwarded || names.includes(undefined))
    throw fault(param, `must be a list of at most ${maxForwarded} header names`);
  const refused = names.find((name) => name !== undefined && !isForwardable(name));
  if (refused !== undefined) throw fault(param, `may not hold ${refused.slice(0, 64)}: it is never forwarded`);
  return names.filter((name) => name !== undefined);
}

function readCredentials(
  given: Json | undefined,
  { unit }: CheckSummary,
  checks: Checks,
  param: string,
): JsonObject | undefined {
  const credentials = readObject(given, param);
  if (credentials !== undefined) checks.checkCredentials(unit, credentials, param);
  return credentials;
}
