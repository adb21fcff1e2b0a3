import { asObject, bearsSecret, type Checks, type Json, type JsonArray, type JsonObject } from 'portcullis/sdk';
import { masked, maskedValue, refuseMask, refuseMasks } from './masked.ts';

/** Checks apart from the secrets among their parameters, which are kept sealed, by the position of their check. */
export interface Parted {
  readonly checks: readonly JsonObject[];
  /** Null: there are none. */
  readonly check_credentials: JsonObject | null;
}

/** @throws GatewayError `bad_request` for a mask in the place of a secret */
export function refuseMaskedChecks(checks: JsonArray, known: Checks): void {
  for (const [index, item] of checks.entries()) {
    const check = asObject(item) ?? {};
    for (const [name, value] of Object.entries(secretsIn(check, known))) {
      const param = `checks[${index}].parameters.${name}`;
      const members = asObject(value);
      if (members === undefined) refuseMask(value, param);
      else refuseMasks(members, param);
    }
  }
}

export function parted(checks: readonly JsonObject[], known: Checks): Parted {
  const sealed: Record<string, JsonObject> = {};
  const shown = checks.map((check, index) => {
    const secrets = secretsIn(check, known);
    const names = Object.keys(secrets);
    if (names.length === 0) return check;
    sealed[index] = secrets;
    const hidden = names.map((name) => [
      name,
      shownSecret(secrets[name] ?? null, schemaOf(String(check.id), name, known)),
    ]);
    return withParameters(check, Object.fromEntries(hidden));
  });
  return { checks: shown, check_credentials: Object.keys(sealed).length === 0 ? null : sealed };
}

/** The checks as they were given. @param secrets of the record */
export function joined(checks: readonly JsonObject[], secrets: JsonObject): readonly JsonObject[] {
  const sealed = asObject(secrets.check_credentials) ?? {};
  return checks.map((check, index) => {
    const own = asObject(sealed[index]);
    return own === undefined ? check : withParameters(check, own);
  });
}

/** Credentials of the vendor, and what the check's schema calls secret: headers of a webhook, keys. */
function secretsIn({ id, parameters }: JsonObject, known: Checks): JsonObject {
  const isSecret = ([name, value]: [string, Json]) =>
    name === 'credentials' ? asObject(value) !== undefined : bearsSecret(schemaOf(String(id), name, known));
  return Object.fromEntries(Object.entries(asObject(parameters) ?? {}).filter(isSecret));
}

function schemaOf(id: string, name: string, known: Checks): JsonObject | undefined {
  const { config, credentials } = known.find(id) ?? {};
  if (name === 'credentials') return credentials;
  const properties = asObject(config?.properties) ?? {};
  return Object.hasOwn(properties, name) ? asObject(properties[name]) : undefined;
}

function shownSecret(value: Json, schema: JsonObject | undefined): Json {
  const members = asObject(value);
  return members === undefined ? maskedValue : masked(members, schema?.['x-secret'] === true ? undefined : schema);
}

function withParameters(check: JsonObject, parameters: JsonObject): JsonObject {
  return { ...check, parameters: { ...asObject(check.parameters), ...parameters } };
}
