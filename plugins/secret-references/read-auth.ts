import { GatewayError, type JsonObject } from 'portcullis/sdk';
import { type AuthField, authForms } from './auth-variants.ts';
import type { ManagerName } from './backends/index.ts';

const longest = 8192;

/** `auth_config`, checked, in its two parts. */
export interface Auth {
  readonly shown: JsonObject;
  readonly secret: JsonObject;
  /** The URL that the gateway is to call, where the caller chooses it. */
  readonly url?: { readonly value: string; readonly param: string };
}

/**
 * Checks `auth_config` against the one form that its selector names; members of other forms are left out.
 * @param before what is stored already, for a body that gives only what changes
 * @throws GatewayError `bad_request`, `param` the member at fault
 */
export function readAuth(manager: ManagerName, given: JsonObject, before: JsonObject = {}): Auth {
  const { selector, forms } = authForms[manager];
  const merged = { ...before, ...given };
  const form = merged[selector];
  if (typeof form !== 'string' || !Object.hasOwn(forms, form)) {
    return refuse(selector, `must be one of ${Object.keys(forms).join(', ')} for ${manager}`);
  }
  const fields = Object.entries(forms[form] ?? {});
  const moved = fields.some(([name, field]) => field.url && name in before && merged[name] !== before[name]);
  const shown: Record<string, string> = { [selector]: form };
  const secret: Record<string, string> = {};
  for (const [name, field] of fields) {
    const value = merged[name];
    if (value === undefined || value === null || value === '') {
      if (field.required === true) refuse(name, `is needed for ${selector} ${form}`);
      continue;
    }
    if (field.secret === true && moved && given[name] === undefined) {
      refuse(name, 'must be given again when the address changes: it would be sent to another place');
    }
    (field.secret === true ? secret : shown)[name] = checked(name, field, value);
  }
  const [url] = fields.filter(([, field]) => field.url === true).map(([name]) => name);
  const target = url === undefined ? undefined : { value: String(merged[url]), param: `auth_config.${url}` };
  return { shown, secret, ...(target === undefined ? {} : { url: target }) };
}

function checked(name: string, { pattern, accepts }: AuthField, value: unknown): string {
  if (typeof value !== 'string' || value.length > longest) {
    return refuse(name, `must be a text of at most ${longest} characters`);
  }
  return pattern === undefined || pattern.test(value) ? value : refuse(name, `must be ${accepts}`);
}

function refuse(name: string, why: string): never {
  const param = `auth_config.${name}`;
  throw new GatewayError('bad_request', `${param} ${why}.`, { param });
}

/** As the API shows it: `masked_vault_token` in place of `vault_token`. */
export function shownAuth(shown: JsonObject, secret: JsonObject): JsonObject {
  const masked = Object.entries(secret).map(([name, value]) => [`masked_${name}`, maskedText(String(value))]);
  return { ...shown, ...Object.fromEntries(masked) };
}

/** Short secrets show nothing: five characters would be too much of them. */
function maskedText(text: string): string {
  return text.length < 12 ? '*****' : `${text.slice(0, 2)}*****${text.slice(-3)}`;
}
