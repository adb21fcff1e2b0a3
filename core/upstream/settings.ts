import {
  type CallFacts,
  GatewayError,
  type Json,
  type JsonObject,
  type RequestContext,
  type Settings,
} from 'portcullis/sdk';
import { holdsGatewayKey } from '../gateway-key.ts';
import type { Leaf } from '../routing/plan.ts';
import { configured } from './headers.ts';
import { checkKept } from './kept-settings.ts';
import type { ProviderUnit } from './provider-unit.ts';

/** A saved provider: credentials and settings under a name, used as virtual key. */
export interface SavedSettings {
  readonly customHost?: string;
  /** By snake_case name. */
  readonly settings: JsonObject;
  /** Headers of every call to it, which may hold secrets. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SettingSources {
  readonly unit: ProviderUnit;
  readonly leaf: Leaf;
  readonly saved: SavedSettings | undefined;
  /**
   * The saved provider is not the config's: who may write configs in a workspace need not know its credentials, so a saved
   * config cannot send them elsewhere either. Default: both are the operator's.
   */
  readonly savedApart?: boolean;
  /** The leaf's own fields came from the caller, not from a saved config. */
  readonly leafIsCallers: boolean;
  /** The custom host came from the caller. */
  readonly hostIsCallers: boolean;
  /** Where the saved config points, when the caller's host took its place. */
  readonly operatorHost?: string | undefined;
  /** What the caller's headers supply: see `headerSettings`. */
  readonly fromHeaders: Settings | undefined;
  readonly env: (name: string) => string | undefined;
  /** Whether these sources may spend the identity of the machine, unless the caller has a say in them. */
  readonly machine?: boolean;
}

export interface ResolvedSettings {
  readonly settings: Settings;
  /** Base URL without a slash at the end. */
  readonly base: string;
  /** The base is not the provider's own. */
  readonly customHost: boolean;
  /** Headers of the saved provider, lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** They may spend the identity of the machine. */
  readonly machine?: boolean;
}

/** What one party gives. */
interface Layer {
  readonly settings: Settings;
  readonly host: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Merges the settings of a target: environment, saved provider, config, request headers; the later wins.
 * The secrets of a party are only ever sent where it and those before it point: when what a later one gives leads to
 * another origin, they are left out, and the later one must bring its own.
 */
export function resolveSettings(sources: SettingSources): ResolvedSettings {
  const { unit } = sources;
  const parties = layersOf(sources);
  const layers = parties.filter(
    ({ settings, host, headers }) => host !== undefined || headers !== undefined || !isEmpty(settings),
  );
  const machine = sources.machine === true && !isSteeredBySomeone(sources);
  if (layers.length < 2) return finish(unit, layers[0]?.settings ?? {}, layers[0]?.host, layers[0]?.headers, machine);

  checkKept(
    unit,
    parties.map(({ settings }) => settings),
  );
  const merged = Object.assign({}, ...layers.map(({ settings }) => settings)) as Settings;
  const host = layers.findLast((layer) => layer.host !== undefined)?.host;
  const origin = originOf(unit, merged, host);
  let below: Settings = {};
  let hostBelow: string | undefined;
  let kept: Settings = {};
  let headers: Layer['headers'];
  for (const layer of layers) {
    below = { ...below, ...layer.settings };
    hostBelow = layer.host ?? hostBelow;
    const meant = layer === layers.at(-1) || (origin !== undefined && origin === originOf(unit, below, hostBelow));
    kept = { ...kept, ...(meant ? layer.settings : withoutSecrets(unit, layer.settings)) };
    if (meant) headers ??= layer.headers;
  }
  return finish(unit, kept, host, headers, machine);
}

/** Whether what somebody gives says more than what every SDK sends in any case, such as the name of another account. */
function isSteered(unit: ProviderUnit, given: Settings | undefined): boolean {
  return unit.fields.some(({ name, header }) => header === undefined && given?.[name] !== undefined);
}

/** The machine's token goes to the provider alone, and as nobody but the operator, or whoever saved the provider, says. */
function isSteeredBySomeone({ unit, leaf, saved, savedApart, leafIsCallers, fromHeaders }: SettingSources): boolean {
  if (isSteered(unit, fromHeaders) || (leafIsCallers && saved === undefined)) return true;
  // Who names what is saved, and nothing else, steers nothing.
  return (leafIsCallers || savedApart === true) && isSteered(unit, leafSettings(unit, leaf));
}

/** The parties in the order of their precedence, the weakest first. */
function layersOf(sources: SettingSources): readonly Layer[] {
  const { unit, leaf, saved, hostIsCallers } = sources;
  const fromLeaf = leafSettings(unit, leaf);
  const config = {
    settings: sources.leafIsCallers ? {} : fromLeaf,
    host: hostIsCallers ? sources.operatorHost : leaf.customHost,
  };
  const provider = {
    settings: { ...environmentSettings(sources), ...snakeSettings(unit, saved?.settings) },
    host: saved?.customHost,
    headers: saved?.headers,
  };
  const caller = {
    settings: { ...(sources.leafIsCallers ? fromLeaf : {}), ...sources.fromHeaders },
    host: hostIsCallers ? leaf.customHost : undefined,
  };
  if (sources.savedApart === true) return [provider, config, caller];
  const operator = {
    settings: { ...provider.settings, ...config.settings },
    host: config.host ?? provider.host,
    headers: provider.headers,
  };
  return [operator, caller];
}

function isEmpty(settings: Settings): boolean {
  for (const _ in settings) return false;
  return true;
}

function finish(
  unit: ProviderUnit,
  merged: Settings,
  customHost: string | undefined,
  headers: Layer['headers'],
  machine: boolean,
): ResolvedSettings {
  const settings = unit.validate(merged);
  return {
    settings,
    base: customHost === undefined ? baseOf(unit, settings) : trimmed(customHost),
    customHost: customHost !== undefined,
    ...(headers === undefined ? {} : { headers: configured(headers) }),
    ...(machine && customHost === undefined ? { machine } : {}),
  };
}

function leafSettings(unit: ProviderUnit, leaf: Leaf): Settings {
  const fromConfig = snakeSettings(unit, leaf.settings);
  return leaf.apiKey === undefined || unit.credential === undefined
    ? fromConfig
    : { ...fromConfig, [unit.credential]: leaf.apiKey };
}

function snakeSettings(unit: ProviderUnit, given: JsonObject | undefined): Settings {
  if (given === undefined) return {};
  const settings: { [name: string]: Json } = {};
  for (const field of unit.fields) {
    const value = given[field.snake];
    if (value !== undefined) settings[field.name] = value;
  }
  return settings;
}

function environmentSettings({ unit, env, saved }: SettingSources): Settings {
  // A saved provider is complete in itself: the gateway's own account must not stand in for a missing key of another.
  if (saved !== undefined) return {};
  const settings: { [name: string]: Json } = {};
  for (const field of unit.fields) {
    const value = field.env === undefined ? undefined : env(field.env);
    if (value !== undefined && value !== '') settings[field.name] = value;
  }
  return settings;
}

/** Headers that mean the gateway itself, whatever a provider calls its settings: `x-gw-api-key` holds the gateway's key. */
export const gatewayHeaders: ReadonlySet<string> = new Set([
  'api-key',
  'config',
  'provider',
  'virtual-key',
  'custom-host',
  'metadata',
]);

/**
 * The settings in the caller's headers; undefined when there are none. `secrets`: the caller's own credential as well,
 * which is only taken where nothing saved stands against it.
 */
export function headerSettings(unit: ProviderUnit, request: RequestContext, secrets: boolean): Settings | undefined {
  const settings: { [name: string]: Json } = {};
  for (const field of unit.fields) {
    if (field.secret && !secrets) continue;
    const value =
      (gatewayHeaders.has(field.kebab) ? undefined : request.control(field.kebab)) ??
      (field.header === undefined ? undefined : nativeHeader(field.header, request));
    if (value !== undefined && value !== '') settings[field.name] = value;
  }
  const credential = secrets && unit.credential !== undefined ? callerCredential(request) : undefined;
  if (credential !== undefined && unit.credential !== undefined) settings[unit.credential] = credential;
  for (const _ in settings) return settings;
  return undefined;
}

/** A provider's own header; what selects the version of an interface has a name of the gateway's too. */
function nativeHeader(name: string, request: RequestContext): string | undefined {
  const sent = request.headers[name];
  return sent === undefined && name.endsWith('-beta') ? request.control('interface-version') : sent;
}

/** The provider's key that the caller sent, in any of the forms of the SDKs; never the gateway's own key. */
function callerCredential({ headers, principal }: RequestContext): string | undefined {
  const sent = (name: string) => (holdsGatewayKey(name, headers, principal) ? undefined : headers[name]);
  const bearer = sent('authorization');
  if (bearer !== undefined) return bearer.replace(/^bearer\s+/i, '') || undefined;
  for (const name of ['x-api-key', 'api-key', 'x-goog-api-key']) {
    const value = sent(name);
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

function withoutSecrets(unit: ProviderUnit, settings: Settings): Settings {
  const secrets = new Set(unit.fields.filter((field) => field.secret).map((field) => field.name));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !secrets.has(name)));
}

function originOf(unit: ProviderUnit, settings: Settings, customHost: string | undefined): string | undefined {
  try {
    return new URL(customHost ?? baseOf(unit, settings)).origin;
  } catch {
    return undefined;
  }
}

function baseOf(unit: ProviderUnit, settings: Settings): string {
  const { base } = unit.definition;
  return trimmed(typeof base === 'function' ? base(settings) : fill(base, (name) => String(settings[name] ?? '')));
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

function fill(template: string, value: (name: string) => string): string {
  return template.replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => value(name));
}

/** The path of an endpoint, with `{model}` and the path parameters filled in, URL-encoded. */
export function pathOf(path: string | ((facts: CallFacts) => string), facts: CallFacts): string {
  if (typeof path === 'function') return path(facts);
  if (!path.includes('{')) return path;
  return fill(path, (name) => {
    // A path itself, as the client has encoded it.
    if (name === 'rest') return facts.params.rest ?? '';
    const value = name === 'model' ? facts.model : (facts.params[name] ?? String(facts.settings[name] ?? ''));
    if (value === '') throw new GatewayError('bad_request', `The request needs ${name}.`, { param: name });
    // Encoding leaves dots alone, and servers take a segment of them for a step up.
    if (value === '.' || value === '..')
      throw new GatewayError('bad_request', `${name} may not be "${value}".`, { param: name });
    return encodeURIComponent(value.toWellFormed());
  });
}
