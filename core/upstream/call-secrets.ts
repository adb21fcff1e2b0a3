import { namesCredential, repeatedForms } from 'portcullis/sdk';
import type { Outbound } from './outbound.ts';
import type { ResolvedSettings } from './settings.ts';

const mask = '****';

/** As whom a provider is called. */
export type Called = Pick<Outbound, 'unit' | 'settings'>;

/** Some providers repeat the key that they refuse. */
export function masked(message: string, outbound: Called): string {
  return maskedForms(message, repeatedSecrets(outbound));
}

export function maskedForms(message: string, forms: readonly string[]): string {
  return forms.reduce((text, form) => text.replaceAll(form, mask), message);
}

const known = new WeakMap<ResolvedSettings, readonly string[]>();

/** All forms in which its provider may repeat the credentials of a call; settings stay the same from call to call. */
export function repeatedSecrets(called: Called): readonly string[] {
  const forms = known.get(called.settings) ?? repeatedForms(secretsOf(called));
  known.set(called.settings, forms);
  return forms;
}

/** The credentials of a call that are no part of its body. */
export function secretsOf({ unit, settings: { settings, headers = {} } }: Called): readonly string[] {
  const fields = unit.fields.flatMap(({ name, secret }) => (secret ? [settings[name]] : []));
  const added = Object.entries(headers).flatMap(([name, value]) => (namesCredential(name) ? [value] : []));
  return [...fields, ...added].filter((value) => typeof value === 'string');
}
