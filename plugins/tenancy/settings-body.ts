import {
  asObject,
  field,
  input,
  type Json,
  type JsonObject,
  type SettingRule,
  type SettingsField,
  schema,
  securityToggles,
  settingRules,
} from 'portcullis/sdk';
import { refusal } from './refusal.ts';

const periods: Readonly<Record<string, number>> = { weekly: 7, monthly: 30 };

const days = (description: string) =>
  schema.Unsafe<Json>({ type: ['integer', 'string', 'null'], minimum: 1, maximum: 365, description });

function schemaOf({ kind, least = 0, most = Number.MAX_SAFE_INTEGER }: SettingRule) {
  if (kind === 'days') return days('Days, 1 to 365; weekly is 7, monthly is 30; null: none.');
  return kind === 'integer' ? field.integer(least, most) : field.flag();
}

const membersOf = (organisation: boolean) =>
  Object.entries(settingRules).filter(([, { organisationOnly }]) => organisation || organisationOnly !== true);

/** The fields of a body that carry settings; those of `settings` may stand beside it as well. */
export function settingsFieldsOf(holder: 'organisation' | 'workspace') {
  const members = membersOf(holder === 'organisation').map(([name, rule]) => [name, schemaOf(rule)] as const);
  return {
    settings: schema.Partial(schema.Object(Object.fromEntries(members))),
    security_settings: schema.Unsafe<JsonObject>({
      type: 'object',
      additionalProperties: { type: 'boolean' },
      description: `Toggles: ${Object.keys(securityToggles).join(', ')}.`,
    }),
    data_plane_security_settings: schema.Partial(schema.Object({ block_inline_config: field.boolean() })),
    block_inline_config: input(field.boolean()),
    ...Object.fromEntries(members.map(([name, rule]) => [name, input(rule)])),
  };
}

/**
 * The settings that a body gives, in the form in which they are stored; fields that it does not give are absent.
 * @throws GatewayError `bad_request` for a name that does not exist here, or a value out of bounds
 */
export function readSettings(
  body: JsonObject,
  holder: 'organisation' | 'workspace',
): Readonly<Partial<Record<SettingsField, JsonObject>>> {
  const rules = Object.fromEntries(membersOf(holder === 'organisation'));
  const beside = Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(rules, name))) as JsonObject;
  const blocking = body.block_inline_config === undefined ? {} : { block_inline_config: body.block_inline_config };
  const dataPlane = joined(blocking, asObject(body.data_plane_security_settings), 'data_plane_security_settings');
  return {
    ...present('settings', joined(beside, asObject(body.settings), 'settings'), (name, value) => {
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
      if (rule === undefined) throw unknownName(`settings.${name}`, Object.keys(rules));
      return readSetting(value, rule, `settings.${name}`);
    }),
    ...present('security_settings', asObject(body.security_settings) ?? {}, (name, value) => {
      const param = `security_settings.${name}`;
      if (!Object.hasOwn(securityToggles, name)) throw unknownName(param, Object.keys(securityToggles));
      return readBoolean(value, param);
    }),
    ...present('data_plane_security_settings', dataPlane, (name, value) => {
      const param = `data_plane_security_settings.${name}`;
      if (name !== 'block_inline_config') throw unknownName(param, ['block_inline_config']);
      return readBoolean(value, param);
    }),
  };
}

/** What stands beside a section and in it. Of two that differ, clients who changed one of them would lose it in silence. */
function joined(beside: JsonObject, inside: JsonObject | undefined, section: string): JsonObject {
  const other = Object.keys(beside).find((name) => inside?.[name] !== undefined && inside[name] !== beside[name]);
  if (other !== undefined)
    throw refusal(`${section}.${other}`, `differs from ${other} beside it: send one of them, or both with one value`);
  return { ...beside, ...inside };
}

function present(name: SettingsField, given: JsonObject, read: (name: string, value: Json) => Json) {
  const entries = Object.entries(given).map(([member, value]) => [member, read(member, value)] as const);
  return entries.length === 0 ? {} : { [name]: Object.fromEntries(entries) as JsonObject };
}

function readSetting(value: Json, { kind, least = 0, most = 0 }: SettingRule, param: string): Json {
  if (kind === 'boolean') return readBoolean(value, param);
  if (kind === 'flag') return Number(readBoolean(value, param));
  if (kind === 'days' && value === null) return null;
  const number = kind === 'days' && typeof value === 'string' ? (periods[value] ?? Number.NaN) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most) return number;
  const words = kind === 'days' ? ' of days, weekly, monthly or null' : '';
  throw refusal(param, `must be a whole number from ${least} to ${most}${words}`);
}

function readBoolean(value: Json, param: string): boolean {
  if (value === true || value === 1) return true;
  if (value === false || value === 0) return false;
  throw refusal(param, 'must be true or false');
}

function unknownName(param: string, accepted: readonly string[]) {
  return refusal(param, `is not known here; accepted are ${accepted.join(', ')}`);
}
