import { Ajv2020 } from 'ajv/dist/2020.js';
import { GatewayError, kebabName, type Manifest, type Provider, type Settings, snakeName } from 'portcullis/sdk';

import { lateValidator, type Validator } from '../config/validator.ts';

/** One field of a provider's settings, under each name that it goes by. */
export interface SettingField {
  readonly name: string;
  /** In configs and in the operator's file. */
  readonly snake: string;
  /** In request headers, behind the vendor segment. */
  readonly kebab: string;
  /** A native request header that supplies it, if any. */
  readonly header: string | undefined;
  readonly env: string | undefined;
  readonly secret: boolean;
  /** When a party without a credential of its own may not say it: see `SettingOptions`. */
  readonly kept: 'given' | 'always' | undefined;
}

/** A provider as the loader hands it over, with its settings schema compiled. */
export interface ProviderUnit {
  readonly name: string;
  readonly title: string;
  readonly definition: Provider;
  readonly fields: readonly SettingField[];
  /** The field that the caller's own credential fills; undefined when the provider takes none. */
  readonly credential: string | undefined;
  /** The places that its manifest names, as `host:port`. */
  readonly net: readonly string[];
  /** @throws GatewayError `missing_credentials` or `bad_request`, naming the setting */
  validate(settings: Settings): Settings;
}

// One for all: making one costs more than the schemas that it compiles.
const settingsCheckers = new Ajv2020({ strict: false, useDefaults: true });

export function compileProvider(manifest: Manifest, definition: Provider): ProviderUnit {
  const properties = definition.settings.properties as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    snake: snakeName(name),
    kebab: kebabName(name),
    header: typeof schema['x-header'] === 'string' ? schema['x-header'] : undefined,
    env: typeof schema['x-env'] === 'string' ? schema['x-env'] : undefined,
    secret: schema['x-secret'] === true,
    kept: keptOf(schema['x-kept']),
  }));
  const check = lateValidator(() => settingsCheckers.compile(definition.settings));
  const credential = definition.credential ?? 'apiKey';
  return {
    name: manifest.name,
    title: manifest.title,
    definition,
    fields,
    credential: credential in properties ? credential : undefined,
    net: manifest.permissions?.net ?? [],
    validate: (settings) => validated(manifest.name, fields, check, settings),
  };
}

function keptOf(word: unknown): SettingField['kept'] {
  return word === 'given' || word === 'always' ? word : undefined;
}

function validated(provider: string, fields: readonly SettingField[], check: Validator, given: Settings): Settings {
  const settings = { ...given };
  if (check(settings)) return settings;
  const fault = check.errors?.[0];
  const missing = fault?.keyword === 'required' ? String(fault.params.missingProperty) : undefined;
  const name = missing ?? fault?.instancePath.slice(1).split('/')[0] ?? '';
  const field = fields.find((candidate) => candidate.name === name);
  const param = field?.snake ?? name;
  if (missing === undefined) {
    throw new GatewayError('bad_request', `The ${provider} setting ${param} ${fault?.message ?? 'is not valid'}.`, {
      param,
    });
  }
  throw new GatewayError('missing_credentials', missingText(provider, field, param), { param });
}

function missingText(provider: string, field: SettingField | undefined, param: string): string {
  const ways = [`the config's ${param}`, `the header x-gw-${field?.kebab ?? param}`];
  if (field?.secret === true) ways.splice(1, 1, 'an Authorization header');
  if (field?.env !== undefined) ways.push(`the gateway's environment variable ${field.env}`);
  return `The provider ${provider} needs ${param}: give it by ${ways.join(', or ')}.`;
}
