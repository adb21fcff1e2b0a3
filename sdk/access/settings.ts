import type { SecurityToggles } from '../contracts/directory.ts';
import { GatewayError } from '../errors.ts';
import { asObject, type Json, type JsonObject } from '../json.ts';
import { standardToggles, toggleNames } from './toggles.ts';

/** What one setting takes. Whole numbers are seconds where the name says `ttl` or `age`. */
export interface SettingRule {
  readonly kind: 'boolean' | 'flag' | 'integer' | 'days';
  /** What holds while nobody has set it. */
  readonly standard: Json;
  /** Bounds of whole numbers and days. */
  readonly least?: number;
  readonly most?: number;
  /** Workspaces have no such setting. */
  readonly organisationOnly?: true;
}

const tenYears = 315_360_000;
/** As old as a cache rule lets a reply become. */
const ninetyDays = 7_776_000;

/** The members of `settings` of organisations and workspaces. */
export const settingRules: Readonly<Record<string, SettingRule>> = Object.freeze({
  user_api_key_auto_create: { kind: 'boolean', standard: false },
  default_workspace_user_api_key_auto_create: { kind: 'boolean', standard: false, organisationOnly: true },
  user_api_key_ttl: { kind: 'integer', standard: 0, least: 0, most: tenYears },
  user_api_key_max_ttl: { kind: 'integer', standard: 0, least: 0, most: tenYears },
  user_api_key_count: { kind: 'integer', standard: -1, least: -1, most: 10_000 },
  user_api_key_rotation_period: { kind: 'days', standard: null, least: 1, most: 365 },
  user_key_metadata: { kind: 'flag', standard: 1 },
  user_key_metadata_override: { kind: 'flag', standard: 1 },
  debug_log: { kind: 'flag', standard: 1 },
  cache_max_age: { kind: 'integer', standard: 0, least: 0, most: ninetyDays, organisationOnly: true },
});

/** The fields of a record that hold settings, each with what holds where nothing is set. */
const standards = {
  settings: Object.fromEntries(Object.entries(settingRules).map(([name, { standard }]) => [name, standard])),
  security_settings: standardToggles,
  // A gateway that has just been set up must answer before anything is saved in it, so requests may bring configs.
  data_plane_security_settings: { block_inline_config: false },
} as const satisfies Readonly<Record<string, JsonObject>>;

export type SettingsField = keyof typeof standards;

export const settingsFields = Object.keys(standards) as readonly SettingsField[];

/** A part of the settings that the organisation opens to its workspaces, or keeps. */
export interface SettingsSection {
  readonly field: SettingsField;
  readonly names: readonly string[];
  /** Follows the organisation until the workspace sets it; the others are copied when the section is opened. */
  readonly security: boolean;
  /** Opening this one opens the section too. */
  readonly within?: string;
}

const visibility = ['membersViewAllData', 'managersViewAllData'];
const named = (test: (name: string) => boolean) =>
  Object.keys(settingRules).filter((name) => settingRules[name]?.organisationOnly !== true && test(name));

/** By the name that `overrides` of the organisation knows it. */
export const settingsSections: Readonly<Record<string, SettingsSection>> = Object.freeze({
  security_settings: {
    field: 'security_settings',
    names: toggleNames.filter((name) => !visibility.includes(name)),
    security: true,
  },
  data_visibility: { field: 'security_settings', names: visibility, security: true, within: 'security_settings' },
  data_plane_security_settings: {
    field: 'data_plane_security_settings',
    names: ['block_inline_config'],
    security: true,
  },
  user_api_key_settings: { field: 'settings', names: named((name) => name.startsWith('user_')), security: false },
  log_settings: { field: 'settings', names: named((name) => name === 'debug_log'), security: false },
});

/** A record of an organisation or a workspace, as far as settings are concerned. */
export interface SettingsHolder {
  readonly [field: string]: unknown;
}

export interface EffectiveSettings {
  readonly blockInlineConfig: boolean;
  /** Whether whoever joins the workspace gets a key of their own. */
  readonly userApiKeyAutoCreate: boolean;
  /** Seconds that a user's key lives where nothing else is asked for; undefined: for ever. */
  readonly userApiKeyTtl: number | undefined;
  /** Seconds that it may live at most; undefined: any. */
  readonly userApiKeyMaxTtl: number | undefined;
  /** Keys that one user may have; -1: any number. */
  readonly userApiKeyCount: number;
  /** Days, 1 to 365, after which users' keys must be rotated; undefined: never. */
  readonly userApiKeyRotationPeriod: number | undefined;
  /** Seconds, 900 and more; undefined: sessions live as long as they were issued for. */
  readonly maxSessionTtl: number | undefined;
  /** Seconds that a reply out of the cache may be old at most, whatever a config says; undefined: as old as that says. */
  readonly maxCacheAge: number | undefined;
  /** Whether logs keep what was said (`debug_log` 1), or numbers alone (0). */
  readonly requestLogging: 'full' | 'metrics';
  /** Every toggle by its name. */
  readonly security: SecurityToggles;
}

/** The settings in force in the organisation, or in one of its workspaces. */
export function effectiveSettings(organisation: SettingsHolder, workspace?: SettingsHolder): EffectiveSettings {
  const { settings, security_settings, data_plane_security_settings } = settingsInForce(organisation, workspace);
  // Everyone joins the default workspace, so it has a switch of its own.
  const autoCreate =
    workspace !== undefined && Number(workspace.is_default) === 1
      ? membersOf(organisation, 'settings').default_workspace_user_api_key_auto_create
      : settings.user_api_key_auto_create;
  return {
    blockInlineConfig: data_plane_security_settings.block_inline_config === true,
    userApiKeyAutoCreate: autoCreate === true,
    userApiKeyTtl: positive(settings.user_api_key_ttl),
    userApiKeyMaxTtl: positive(settings.user_api_key_max_ttl),
    userApiKeyCount: typeof settings.user_api_key_count === 'number' ? settings.user_api_key_count : -1,
    userApiKeyRotationPeriod: positive(settings.user_api_key_rotation_period),
    maxSessionTtl: positive(asObject(organisation.session_settings)?.max_session_ttl),
    maxCacheAge: positive(membersOf(organisation, 'settings').cache_max_age),
    requestLogging: settings.debug_log === 0 ? 'metrics' : 'full',
    security: security_settings as SecurityToggles,
  };
}

/** Every setting by its field and name, as the API shows it: what the workspace may and does set, else the organisation's. */
export function settingsInForce(
  organisation: SettingsHolder,
  workspace?: SettingsHolder,
): Readonly<Record<SettingsField, JsonObject>> {
  const inForce = settingsFields.map((field) => {
    const values: Record<string, Json> = { ...standards[field], ...known(field, membersOf(organisation, field)) };
    if (workspace === undefined) return [field, values];
    const own = membersOf(workspace, field);
    for (const name of Object.keys(values)) {
      if (settingRules[name]?.organisationOnly === true) delete values[name];
      const value = own[name];
      if (value !== undefined && mayOverride(organisation, sectionOf(field, name))) values[name] = value;
    }
    return [field, values];
  });
  return Object.fromEntries(inForce) as Readonly<Record<SettingsField, JsonObject>>;
}

/** Whether workspaces of the organisation may set the section themselves. */
export function mayOverride(organisation: SettingsHolder, section: string | undefined): boolean {
  if (section === undefined) return false;
  const overrides = asObject(organisation.overrides) ?? {};
  return overrides[section] === true || mayOverride(organisation, settingsSections[section]?.within);
}

/**
 * What a workspace stores after the changes: by field, its own values with the new ones. A value that holds already is no
 * change, so that what was read may be sent back.
 * @throws GatewayError `forbidden`, `param` naming the section, for a change in one that the organisation keeps
 */
export function overriddenSettings(
  organisation: SettingsHolder,
  workspace: SettingsHolder,
  changes: Readonly<Partial<Record<SettingsField, JsonObject>>>,
): Readonly<Partial<Record<SettingsField, JsonObject>>> {
  const inForce = settingsInForce(organisation, workspace);
  const stored: Partial<Record<SettingsField, JsonObject>> = {};
  for (const field of settingsFields) {
    const changed = Object.entries(changes[field] ?? {}).filter(([name, value]) => inForce[field][name] !== value);
    for (const [name] of changed) refuseKept(organisation, field, name);
    if (changed.length > 0)
      stored[field] = { ...membersOf(workspace, field), ...(Object.fromEntries(changed) as JsonObject) };
  }
  return stored;
}

function refuseKept(organisation: SettingsHolder, field: SettingsField, name: string): void {
  const section = sectionOf(field, name);
  if (mayOverride(organisation, section)) return;
  throw new GatewayError(
    'forbidden',
    `${field}.${name} is set by the organisation: its override of ${section ?? field} is off, so a workspace may not change it.`,
    { param: section ?? field },
  );
}

/**
 * What a workspace's own settings become when sections are opened or closed: an opened one starts from the organisation's
 * values, a security one follows them instead. Undefined: nothing changes.
 * @param organisation as it is after the change
 */
export function settingsAfterSwitch(
  organisation: SettingsHolder,
  workspace: SettingsHolder,
  before: SettingsHolder,
): Readonly<Partial<Record<SettingsField, JsonObject>>> | undefined {
  const changes: Partial<Record<SettingsField, JsonObject>> = {};
  for (const [section, { field, names, security }] of Object.entries(settingsSections)) {
    const open = mayOverride(organisation, section);
    if (open === mayOverride(before, section)) continue;
    const kept = Object.entries(changes[field] ?? membersOf(workspace, field)).filter(
      ([name]) => !names.includes(name),
    );
    const inForce = settingsInForce(organisation)[field];
    const copied = open && !security ? names.map((name) => [name, inForce[name]] as const) : [];
    changes[field] = Object.fromEntries([...kept, ...copied]) as JsonObject;
  }
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** The section that a setting belongs to; undefined: workspaces never set it. */
export function sectionOf(field: SettingsField, name: string): string | undefined {
  return sectionNames.get(`${field}.${name}`);
}

const sectionNames: ReadonlyMap<string, string> = new Map(
  Object.entries(settingsSections).flatMap(([section, { field, names }]) =>
    names.map((name): [string, string] => [`${field}.${name}`, section]),
  ),
);

function membersOf(holder: SettingsHolder, field: SettingsField): JsonObject {
  return asObject(holder[field]) ?? {};
}

function known(field: SettingsField, values: JsonObject): JsonObject {
  const kept = Object.entries(values).filter(([name]) => Object.hasOwn(standards[field], name));
  return Object.fromEntries(kept) as JsonObject;
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
