import { asObject, type ControlHost, type Json, type JsonObject, parseJson, snakeName } from 'portcullis/sdk';
import { closeNames } from '../catalogue/close-names.ts';
import type { ConfigurationField } from '../catalogue/configuration-field.ts';
import type { KnownProvider } from '../catalogue/known-provider.ts';
import { mask } from '../mask.ts';
import { refuse } from '../refuse.ts';
import { customHeaders } from './custom-headers.ts';
import { deployments } from './deployments.ts';

/** Configurations as they are kept: what may be shown, what may not, and what stands for the latter. */
export interface KeptConfigurations {
  readonly clear: JsonObject;
  readonly secret: JsonObject;
  readonly masked: JsonObject;
}

export interface Merging {
  readonly host: Pick<ControlHost, 'checkUrl'>;
  readonly provider: KnownProvider;
  /** Members of the body: absent ones stay, null clears one; null for all of them clears all. */
  readonly given: JsonObject | null | undefined;
  readonly stored: { readonly clear: JsonObject; readonly secret: JsonObject };
  /** Fields that a secret manager gives. */
  readonly mapped: ReadonlySet<string>;
}

/** @throws GatewayError `bad_request` (`url_blocked` for a host) naming `configurations.<field>` */
export async function mergeConfigurations({ host, provider, given, stored, mapped }: Merging) {
  const clear: Record<string, Json> = given === null ? {} : { ...stored.clear };
  const secret: Record<string, Json> = given === null ? {} : { ...stored.secret };
  for (const [written, value] of Object.entries(given ?? {})) {
    const name = provider.fields.has(written) ? written : snakeName(written);
    if (isMask(provider, name)) continue;
    const field = provider.fields.get(name);
    // Clients write null for what they leave out.
    if (field === undefined && (value === null || value === undefined)) continue;
    if (field === undefined) return unknown(provider, written);
    delete clear[name];
    delete secret[name];
    if (value === null || value === undefined) continue;
    const checked = await checks[field.kind](value, field, `configurations.${name}`, host);
    if (field.secret === true) secret[name] = checked;
    else clear[name] = checked;
  }
  for (const field of provider.fields.values()) {
    const absent = clear[field.name] === undefined && secret[field.name] === undefined;
    if (field.required === true && absent && !mapped.has(field.name))
      refuse(`configurations.${field.name}`, `is missing; the provider ${provider.name} needs it`);
  }
  return { clear, secret, masked: maskedOf(secret) } satisfies KeptConfigurations;
}

/** What the gateway shows in place of a secret may come back with the rest, and changes nothing. */
function isMask(provider: KnownProvider, name: string): boolean {
  return name.startsWith('masked_') && provider.fields.get(name.slice('masked_'.length))?.secret === true;
}

function unknown(provider: KnownProvider, name: string): never {
  const known = [...provider.fields.keys()];
  const close = closeNames(name, known);
  const accepted = (close.length > 0 ? close : known).join(', ');
  return refuse(
    `configurations.${name.slice(0, 100)}`,
    `is no configuration of the provider ${provider.name}; accepted: ${accepted}`,
  );
}

type Check = (
  value: Json,
  field: ConfigurationField,
  param: string,
  host: Pick<ControlHost, 'checkUrl'>,
) => Json | Promise<Json>;

const checks: Readonly<Record<ConfigurationField['kind'], Check>> = {
  text: (value, { values, max = 8192 }, param) => {
    if (values !== undefined)
      return values.find((one) => one === value) ?? refuse(param, `must be ${values.join(', ')}`);
    if (typeof value === 'string' && value !== '' && value.length <= max) return value;
    return refuse(param, `must be a text of 1 to ${max} characters`);
  },
  flag: (value, _, param) => {
    if (value === 0 || value === 1) return value === 1;
    return typeof value === 'boolean' ? value : refuse(param, 'must be true or false');
  },
  url: (value, _, param, host) => checkedUrl(value, param, host),
  headers: (value, _, param) => customHeaders(value, param),
  json: (value, _, param) => {
    const object = asObject(typeof value === 'string' ? parseJson(value) : value);
    return object ?? refuse(param, 'must be a JSON object, or the text of one');
  },
  deployments: (value, _, param) => deployments(value, param),
};

/** @throws GatewayError `bad_request`, or `url_blocked` for a place that the gateway does not call */
export async function checkedUrl(value: Json, param: string, host: Pick<ControlHost, 'checkUrl'>): Promise<string> {
  if (typeof value !== 'string' || value === '' || value.length > 2048)
    return refuse(param, 'must be a URL of at most 2048 characters');
  await host.checkUrl(value, param);
  return value;
}

function maskedOf(secret: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(secret).map(([name, value]) => [name, maskedValue(name, value)]));
}

function maskedValue(name: string, value: Json | undefined): Json {
  const object = name === 'custom_headers' ? asObject(value) : undefined;
  if (object === undefined) return typeof value === 'string' ? mask(value) : '*****';
  return maskedHeaders(object);
}

/** Header names tell operators what is set; values may be credentials. */
export function maskedHeaders(headers: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(headers).map(([header, content]) => [header, mask(String(content))]));
}

/** As `GET` shows them. */
export function shownConfigurations(clear: JsonObject, masked: JsonObject): JsonObject {
  const shown = Object.entries(masked).map(([name, value]) => [`masked_${name}`, value] as const);
  return { ...clear, ...Object.fromEntries(shown) } as JsonObject;
}
