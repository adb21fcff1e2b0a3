import {
  type AnyCheck,
  asObject,
  type CheckCall,
  type CheckHost,
  type CheckSummary,
  type Checks,
  GatewayError,
  type Guardrail,
  type JsonObject,
  type Manifest,
  misplacedSecrets,
  type ReadyCheck,
  type RequestPart,
  type Verdict,
} from 'portcullis/sdk';
import { nearest } from '../config/nearest.ts';
import { faultSentence, schemaFaults } from '../config/schema-faults.ts';
import {
  boundedValidatorOf,
  carefulValidatorOf,
  fillingValidatorOf,
  lateValidator,
  type Validator,
} from '../config/validator.ts';
import { isWithin } from '../json-size.ts';
import { type CheckCapabilities, hostsOf } from './check-host.ts';
import { narrowing } from './narrowed-input.ts';

/** A guardrail unit that has been loaded, wherever its code runs. */
export interface GuardrailUnit {
  readonly manifest: Manifest;
  readonly trust: CheckSummary['trust'];
  /** Of a built-in unit its code is imported when this is read for the first time. */
  readonly definition: Guardrail;
}

/** Bytes of JSON: the data of all checks stand in one reply. */
const maxData = 64 * 1024;

interface Known {
  readonly summary: CheckSummary;
  readonly check: AnyCheck;
  readonly unit: GuardrailUnit;
  readonly hostFor: (call: CheckCall) => CheckHost;
  readonly validate: Validator;
}

/** The units of one name: of a check that stands twice, the unit of the highest version serves. */
interface Opened {
  /** By id. */
  readonly checks: ReadonlyMap<string, Known>;
  readonly credentials: Validator | undefined;
}

/**
 * Every check of the given units, by id. The definitions of built-in units are read when one of their checks is first asked for: a
 * gateway serves few of them.
 * @param units those of a name in the order of their versions
 */
export function createChecks(units: readonly GuardrailUnit[], capabilities: CheckCapabilities): Checks {
  const named = Map.groupBy(units, ({ manifest }) => manifest.name);
  const opened = new Map<string, Opened>();
  const open = (name: string): Opened | undefined => {
    const same = named.get(name);
    if (same === undefined) return undefined;
    const known = opened.get(name) ?? openedUnits(same, capabilities);
    opened.set(name, known);
    return known;
  };
  const all = () => [...named.keys()].flatMap((name) => [...(open(name)?.checks.values() ?? [])]);
  const find = (id: string) => open(id.slice(0, Math.max(0, id.indexOf('.'))))?.checks.get(id);
  let summaries: readonly CheckSummary[] | undefined;
  for (const { manifest, trust } of units) if (trust !== 'built-in') open(manifest.name);
  return {
    get summaries() {
      summaries ??= all()
        .map(({ summary }) => summary)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1));
      return summaries;
    },
    find: (id) => find(id)?.summary,
    ready: (id, parameters, param) => {
      const found = find(id);
      if (found === undefined) {
        throw unknownCheck(
          id,
          param,
          all().map(({ summary }) => summary.id),
        );
      }
      return readyCheck(found, parameters, param);
    },
    checkCredentials: (unit, given, param) => {
      const found = open(unit);
      if (found === undefined) throw fault(param, `No guardrail unit has the name "${unit.slice(0, 100)}".`);
      if (found.credentials === undefined) throw fault(param, `The guardrail unit ${unit} takes no credentials.`);
      validated(found.credentials, given, param);
    },
  };
}

function openedUnits(units: readonly GuardrailUnit[], capabilities: CheckCapabilities): Opened {
  const checks = new Map<string, Known>();
  let credentials: Validator | undefined;
  for (const unit of units) {
    const secrets = unit.definition.credentials;
    credentials = secrets === undefined ? undefined : validatorFor(unit, secrets, 'credentials');
    const hostFor = hostsOf(unit, credentials, capabilities);
    for (const [name, check] of Object.entries(unit.definition.checks)) {
      const summary = summaryOf(unit, name, check);
      checks.set(summary.id, {
        summary,
        check,
        unit,
        hostFor,
        validate: validatorFor(unit, check.config, `${name}.config`),
      });
    }
  }
  return { checks, credentials };
}

/**
 * Schemas from elsewhere are compiled at once.
 * @throws GatewayError `invalid_config`: a fault in one ends the start
 */
function validatorFor({ manifest, trust }: GuardrailUnit, schema: object, what: string): Validator {
  if (trust === 'built-in') return lateValidator(() => fillingValidatorOf(schema));
  const [misplaced] = misplacedSecrets(schema);
  if (misplaced !== undefined) {
    const text = `The guardrail unit ${manifest.name}: ${what}.${misplaced} is not accepted: only properties, and properties of these, can be secret.`;
    throw new GatewayError('invalid_config', text);
  }
  try {
    return trust === 'sandboxed' ? boundedValidatorOf(schema) : carefulValidatorOf(schema);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const text = `The guardrail unit ${manifest.name}: ${what} is no JSON Schema that can be used: ${why}`;
    throw new GatewayError('invalid_config', text, { cause });
  }
}

function summaryOf({ manifest, trust, definition }: GuardrailUnit, name: string, check: AnyCheck): CheckSummary {
  const { title, description, phases, endpoints, scans = true, edits, remote } = check;
  return Object.freeze({
    id: `${manifest.name}.${name}`,
    unit: manifest.name,
    version: manifest.version,
    trust,
    title,
    ...(description === undefined ? {} : { description }),
    phases,
    endpoints,
    scans,
    edits,
    remote,
    runsCode: manifest.permissions?.sandbox === true,
    config: plain(check.config),
    credentials: definition.credentials === undefined ? undefined : plain(definition.credentials),
  });
}

/** A schema without what only its library reads. */
function plain(schema: object): JsonObject {
  return asObject(JSON.parse(JSON.stringify(schema))) ?? {};
}

function readyCheck({ summary, check, unit, hostFor, validate }: Known, given: JsonObject, param: string): ReadyCheck {
  const config = validated(validate, given, param) as never;
  const ready = (check.prepare === undefined ? config : prepared(check, config, param)) as never;
  const sees = narrowing(new Set<RequestPart>(unit.manifest.permissions?.request));
  return {
    summary,
    whole: typeof check.whole === 'function' ? check.whole(config) : check.whole === true,
    accept: async (call) => {
      if (check.accept === undefined) return;
      try {
        await check.accept(ready, hostFor(call) as never);
      } catch (error) {
        throw placed(error, param);
      }
    },
    run: (input, call) => {
      const verdict = check.run(sees(input), ready, hostFor(call) as never);
      return verdict instanceof Promise
        ? verdict.then((settled) => checkedVerdict(settled, summary))
        : checkedVerdict(verdict, summary);
    },
  };
}

function prepared(check: AnyCheck, config: never, param: string): unknown {
  try {
    return check.prepare?.(config);
  } catch (error) {
    throw placed(error, param);
  }
}

/** What a check refuses, with the place where its parameters stand. */
function placed(error: unknown, param: string): GatewayError {
  if (!GatewayError.is(error)) {
    const why = error instanceof Error ? error.message : 'it threw something that is no error';
    return new GatewayError('invalid_config', `${param}: the check cannot use these parameters: ${why}`, {
      param,
      cause: error,
    });
  }
  const at = error.param === undefined || error.param === '' ? param : `${param}.${error.param}`;
  // It could not look: that says nothing about the parameters.
  const code = error.code === 'not_ready' ? 'not_ready' : 'invalid_config';
  return new GatewayError(code, `${at}: ${error.message}`, { param: at, headers: error.headers, cause: error });
}

/** A copy of the value with defaults filled in and nothing that may be changed. */
function validated(check: Validator, given: JsonObject, param: string): JsonObject {
  const filled = structuredClone(given);
  if (check(filled)) return Object.freeze(filled);
  const faults = schemaFaults(check.errors, filled);
  const lines = faults.map((found) => `${param}: ${faultSentence(found, 'It')}`);
  const [first] = faults;
  const at = first === undefined || first.path.length === 0 ? param : `${param}.${first.path.join('.')}`;
  throw fault(at, lines.join('\n') || `${param} does not fit.`);
}

/** Only edits that were declared count: what a check does to a request is known before it runs. */
function checkedVerdict(verdict: Verdict, { id, edits }: CheckSummary): Verdict {
  if (typeof verdict?.pass !== 'boolean')
    throw new GatewayError('check_failed', `The check ${id} gave something that is no verdict.`);
  if (edits === undefined && verdict.edits !== undefined && verdict.edits.length > 0)
    throw new GatewayError('check_failed', `The check ${id} wants to change a text, and does not declare edits.`);
  if (verdict.data === undefined || isWithin(verdict.data, maxData)) return verdict;
  // Its verdict counts all the same: what is left out is only told.
  return { ...verdict, data: { omitted: `The data of the check are larger than ${maxData} bytes of JSON.` } };
}

function unknownCheck(id: string, param: string, names: Iterable<string>): GatewayError {
  const shown = id.slice(0, 100);
  const close = nearest(shown, names);
  const hint = close === undefined ? '' : ` Did you mean ${close}?`;
  return fault(param, `No check has the id "${shown}".${hint}`);
}

function fault(param: string, message: string): GatewayError {
  return new GatewayError('invalid_config', message, { param });
}
