import { asArray, asObject, type CheckPhase, type HookField, type Json, type JsonObject, omit } from 'portcullis/sdk';
import { actionKeys, readActions } from './actions.ts';
import type { CheckForm, HookForm, Place } from './hook.ts';
import { fault, readChoice, readFlag, readObject, readText, refuseUnknown } from './values.ts';

const maxChecks = 100;

/** Where guardrails of a phase stand, whatever list names them. */
export const guardrailPlaces: Readonly<Record<CheckPhase, Place>> = {
  beforeRequest: { key: 'beforeRequest/guardrail', phase: 'beforeRequest', type: 'guardrail' },
  afterRequest: { key: 'afterRequest/guardrail', phase: 'afterRequest', type: 'guardrail' },
};

const { beforeRequest: input, afterRequest: output } = guardrailPlaces;

/** What a list of the config means. */
export const places: Readonly<Record<HookField, Place>> = {
  before_request_hooks: input,
  after_request_hooks: output,
  input_guardrails: input,
  output_guardrails: output,
  default_input_guardrails: input,
  default_output_guardrails: output,
  input_mutators: { key: 'beforeRequest/mutator', phase: 'beforeRequest', type: 'mutator' },
  output_mutators: { key: 'afterRequest/mutator', phase: 'afterRequest', type: 'mutator' },
};

const longKeys: ReadonlySet<string> = new Set(['id', 'name', 'type', 'checks', ...actionKeys]);
const shorthandKeys: ReadonlySet<string> = new Set(['id', 'name', 'type', ...actionKeys]);
const actionNames: ReadonlySet<string> = new Set(actionKeys);
const checkKeys: ReadonlySet<string> = new Set(['id', 'name', 'parameters', 'is_enabled', 'soft_deny_200', 'on_error']);
/** Keys that stand among the parameters of a shorthand and belong to the check. */
const liftedKeys: ReadonlySet<string> = new Set(['id', 'is_enabled', 'soft_deny_200', 'on_error']);

/** Reads an entry of a config: the long form has `checks`, the shorthand has a key for each check. */
export function readForm(
  entry: JsonObject,
  param: string,
): { readonly form: HookForm; readonly type: Place['type'] | undefined } {
  const type = readChoice(entry.type, ['guardrail', 'mutator'], `${param}.type`);
  const id = readText(entry.id, 200, `${param}.id`);
  const isLong = entry.checks !== undefined;
  if (isLong) refuseUnknown(entry, longKeys, param);
  const checks = isLong
    ? readChecks(entry.checks, `${param}.checks`)
    : readShorthand(omit(entry, shorthandKeys), param);
  const actions = readActions(onlyActions(entry), param);
  return { type, form: { checks, actions, ...(id === undefined ? {} : { id }) } };
}

function onlyActions(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => actionNames.has(key)));
}

/** The checks of a guardrail that are switched on. */
export function readChecks(given: Json | undefined, param: string): readonly CheckForm[] {
  const list = asArray(given);
  if (!Array.isArray(given) || list.length === 0 || list.length > maxChecks)
    throw fault(param, `must be a list of 1 to ${maxChecks} checks, each { id, parameters }`);
  return list.flatMap((item, index) => {
    const at = `${param}[${index}]`;
    const check = asObject(item);
    if (check === undefined) throw fault(at, 'must be an object: { id, parameters }');
    refuseUnknown(check, checkKeys, at);
    const id = readText(check.id, 200, `${at}.id`);
    if (id === undefined) throw fault(`${at}.id`, 'is required: a check such as default.contains');
    const parameters = readObject(check.parameters, `${at}.parameters`) ?? {};
    return enabled({ id, idParam: `${at}.id` }, parameters, `${at}.parameters`, { rules: check, param: at });
  });
}

function readShorthand(entry: JsonObject, param: string): readonly CheckForm[] {
  const checks = Object.entries(entry).flatMap(([key, given]) => {
    const at = `${param}.${key.slice(0, 100)}`;
    const parameters = asObject(given);
    if (parameters === undefined) throw fault(at, 'must be an object: the parameters of the check of this name');
    const own = readText(parameters.id, 200, `${at}.id`);
    const named = own ?? key;
    const id = named.includes('.') ? named : `default.${named}`;
    return enabled({ id, idParam: own === undefined ? at : `${at}.id` }, omit(parameters, new Set(['id'])), at);
  });
  if (Object.keys(entry).length === 0)
    throw fault(param, 'names no check: give checks, or a key such as "default.contains" with its parameters');
  return checks;
}

/** @param beside what stands beside the parameters: its rules come before those among them */
function enabled(
  named: Pick<CheckForm, 'id' | 'idParam'>,
  parameters: JsonObject,
  param: string,
  beside?: { readonly rules: JsonObject; readonly param: string },
): readonly CheckForm[] {
  const rule = (name: 'is_enabled' | 'soft_deny_200' | 'on_error') =>
    beside !== undefined && Object.hasOwn(beside.rules, name)
      ? { given: beside.rules[name], at: `${beside.param}.${name}` }
      : { given: parameters[name], at: `${param}.${name}` };
  const [isOn, softly, failing] = [rule('is_enabled'), rule('soft_deny_200'), rule('on_error')];
  if (!readFlag(isOn.given, true, isOn.at)) return [];
  return [
    {
      ...named,
      parameters: omit(parameters, liftedKeys),
      softDeny: readFlag(softly.given, false, softly.at),
      onError: readChoice(failing.given, ['deny', 'pass'], failing.at),
      param,
    },
  ];
}
