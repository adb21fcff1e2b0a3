import Type from './type-builders.ts';

export type { Static, TObject, TSchema } from 'typebox';
export { Type as schema };

export interface SettingOptions {
  readonly description?: string;
  /** The environment variable that supplies the value for the whole gateway; the manifest must list it under `permissions.env`. */
  readonly env?: string;
  /** A request header that supplies it under its native name, lower case (`acme-organization`), beside `x-gw-<kebab-name>`. */
  readonly header?: string;
  readonly pattern?: string;
  readonly default?: string;
  /**
   * It says where the credential is spent, as a bucket or a role does, so that a later party without a credential of its own does
   * not choose it: `given` where an earlier party has given it, `always` in any case.
   */
  readonly kept?: 'given' | 'always';
}

interface SettingKeywords {
  'x-env'?: string;
  'x-header'?: string;
  'x-kept'?: 'given' | 'always';
  'x-secret'?: true;
  description?: string;
  pattern?: string;
  default?: string;
}

function keywords(options: SettingOptions): SettingKeywords {
  return {
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.pattern === undefined ? {} : { pattern: options.pattern }),
    ...(options.default === undefined ? {} : { default: options.default }),
    ...(options.env === undefined ? {} : { 'x-env': options.env }),
    ...(options.header === undefined ? {} : { 'x-header': options.header }),
    ...(options.kept === undefined ? {} : { 'x-kept': options.kept }),
  };
}

/** A string setting that may be shown. Give a `pattern` to whatever becomes part of a URL. */
export function setting(options: SettingOptions = {}) {
  return Type.String({ minLength: 1, maxLength: 8192, ...keywords(options) });
}

/** A string setting that is never shown: masked by `explain`, absent from logs and errors. */
export function secret(options: SettingOptions = {}) {
  return Type.String({ minLength: 1, maxLength: 65_536, ...keywords(options), 'x-secret': true });
}

/** `acmeRegion` -> `acme_region`, the name in configs and in the operator's file. */
export function snakeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `acmeRegion` -> `acme-region`, the name in headers behind `x-gw-`. */
export function kebabName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
