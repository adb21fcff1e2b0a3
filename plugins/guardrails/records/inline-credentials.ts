import { asObject, type Checks, type JsonArray, type JsonObject } from 'portcullis/sdk';
import { masked, refuseMasks } from './masked.ts';

/** Checks apart from the credentials that they bring themselves, which are kept sealed, by the position of their check. */
export interface Parted {
  readonly checks: readonly JsonObject[];
  /** Null: there are none. */
  readonly check_credentials: JsonObject | null;
}

/** @throws GatewayError `bad_request` for a mask in the place of a credential */
export function refuseMaskedChecks(checks: JsonArray): void {
  for (const [index, check] of checks.entries()) {
    const credentials = credentialsIn(asObject(check) ?? {});
    if (credentials !== undefined) refuseMasks(credentials, `checks[${index}].parameters.credentials`);
  }
}

export function parted(checks: readonly JsonObject[], known: Checks): Parted {
  const sealed: Record<string, JsonObject> = {};
  const shown = checks.map((check, index) => {
    const credentials = credentialsIn(check);
    if (credentials === undefined) return check;
    sealed[index] = credentials;
    return withCredentials(check, masked(credentials, known.find(String(check.id))?.credentials));
  });
  return { checks: shown, check_credentials: Object.keys(sealed).length === 0 ? null : sealed };
}

/** The checks as they were given. @param secrets of the record */
export function joined(checks: readonly JsonObject[], secrets: JsonObject): readonly JsonObject[] {
  const sealed = asObject(secrets.check_credentials) ?? {};
  return checks.map((check, index) => {
    const credentials = asObject(sealed[index]);
    return credentials === undefined ? check : withCredentials(check, credentials);
  });
}

function credentialsIn({ parameters }: JsonObject): JsonObject | undefined {
  return asObject(asObject(parameters)?.credentials);
}

function withCredentials(check: JsonObject, credentials: JsonObject): JsonObject {
  return { ...check, parameters: { ...asObject(check.parameters), credentials } };
}
