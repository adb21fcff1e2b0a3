import type { ControlHost, ProviderSummary } from 'portcullis/sdk';
import { refuse } from '../refuse.ts';
import { aliases, documentedProviders } from './aliases.ts';
import { closeNames } from './close-names.ts';
import { type ConfigurationField, commonFields } from './configuration-field.ts';
import { configurationFields } from './configuration-fields.ts';

/** A provider that an integration may be for. */
export interface KnownProvider {
  /** The unit's name, or the documented one of a provider that is not installed. */
  readonly name: string;
  /** Undefined: not installed. */
  readonly unit: ProviderSummary | undefined;
  readonly fields: ReadonlyMap<string, ConfigurationField>;
}

/** Undefined: no provider, installed or documented, has this name. */
export function findProvider(host: Pick<ControlHost, 'providers'>, id: string): KnownProvider | undefined {
  const installed = host.providers();
  const canonical = Object.hasOwn(aliases, id) ? aliases[id] : undefined;
  const unit = installed.find(({ name }) => name === id) ?? installed.find(({ name }) => name === canonical);
  const name = unit?.name ?? documentedProviders.find((known) => known === (canonical ?? id));
  return name === undefined ? undefined : { name, unit, fields: fieldsOf(name, unit) };
}

/** @throws GatewayError `bad_request` with the names that come close */
export function providerNamed(host: Pick<ControlHost, 'providers'>, id: string, param: string): KnownProvider {
  const found = findProvider(host, id);
  if (found !== undefined) return found;
  const names = host.providers().map(({ name }) => name);
  const close = closeNames(id, [...names, ...documentedProviders, ...Object.keys(aliases)]);
  const hint = close.length > 0 ? `close to it are ${close.join(', ')}` : `installed are ${names.join(', ')}`;
  return refuse(param, `"${id.slice(0, 100)}" is no provider that this gateway knows; ${hint}`);
}

/** The documented fields, then what the unit takes beside them, then those of every provider. */
function fieldsOf(name: string, unit: ProviderSummary | undefined): ReadonlyMap<string, ConfigurationField> {
  const documented = (Object.hasOwn(configurationFields, name) ? configurationFields[name] : undefined) ?? [];
  const covered = new Set(['api_key', ...documented.map((field) => field.setting ?? field.name)]);
  const own = (unit?.settings ?? [])
    .filter((setting) => !covered.has(setting.name))
    .map((setting): ConfigurationField => ({ name: setting.name, kind: 'text', secret: setting.secret }));
  return new Map([...documented, ...own, ...commonFields].map((field) => [field.name, field]));
}
