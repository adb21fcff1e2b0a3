import type { ControlHost, ProviderSummary } from 'portcullis/sdk';
import { refuse } from '../refuse.ts';
import { aliases } from './aliases.ts';
import { closeNames } from './close-names.ts';
import { type ConfigurationField, commonFields } from './configuration-field.ts';
import { configurationFields } from './configuration-fields.ts';

/** A provider that an integration may be for. */
export interface KnownProvider {
  /** The unit's name. */
  readonly name: string;
  /** Undefined: it is not installed any more. */
  readonly unit: ProviderSummary | undefined;
  readonly fields: ReadonlyMap<string, ConfigurationField>;
}

/** Undefined: no provider of this gateway has this name. */
export function findProvider(host: Pick<ControlHost, 'providers'>, id: string): KnownProvider | undefined {
  const installed = host.providers();
  const canonical = Object.hasOwn(aliases, id) ? aliases[id] : undefined;
  const unit = installed.find(({ name }) => name === id) ?? installed.find(({ name }) => name === canonical);
  return unit === undefined ? undefined : { name: unit.name, unit, fields: fieldsOf(unit) };
}

/** @throws GatewayError `bad_request` with the names that come close */
export function providerNamed(host: Pick<ControlHost, 'providers'>, id: string, param: string): KnownProvider {
  const found = findProvider(host, id);
  if (found !== undefined) return found;
  const names = host.providers().map(({ name }) => name);
  const close = closeNames(id, [...names, ...Object.keys(aliases)]);
  const hint = close.length > 0 ? `close to it are ${close.join(', ')}` : `installed are ${names.join(', ')}`;
  return refuse(param, `"${id.slice(0, 100)}" is no provider that this gateway knows; ${hint}`);
}

/** The documented fields, then what the unit takes beside them, then those of every provider. */
function fieldsOf({ name, settings }: ProviderSummary): ReadonlyMap<string, ConfigurationField> {
  const documented = (Object.hasOwn(configurationFields, name) ? configurationFields[name] : undefined) ?? [];
  const covered = new Set(['api_key', ...documented.map((field) => field.setting ?? field.name)]);
  const own = settings
    .filter((setting) => !covered.has(setting.name))
    .map((setting): ConfigurationField => ({ name: setting.name, kind: 'text', secret: setting.secret }));
  return new Map([...documented, ...own, ...commonFields].map((field) => [field.name, field]));
}
