import { asObject, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';

/** What replies show in the place of a secret. */
export const maskedValue = '*****';

/** Credentials as replies show them: what their schema calls secret is masked, and so is what it does not know. */
export function masked(credentials: JsonObject, schema: JsonObject | undefined): JsonObject {
  const properties = asObject(schema?.properties) ?? {};
  return Object.fromEntries(
    Object.entries(credentials).map(([name, value]) => {
      const known = asObject(Object.hasOwn(properties, name) ? properties[name] : undefined);
      if (known === undefined || known['x-secret'] === true) return [name, maskedValue];
      const members = asObject(value);
      return [name, members === undefined || known.properties === undefined ? value : masked(members, known)];
    }),
  );
}

/**
 * A mask that comes back is no credential, and what it stood for does not stay: beside another address it would be sent to
 * whoever asks for it.
 * @throws GatewayError `bad_request`
 */
export function refuseMasks(credentials: JsonObject, param: string): void {
  for (const [name, value] of Object.entries(credentials)) {
    const members = asObject(value);
    if (members === undefined) refuseMask(value, `${param}.${name}`);
    else refuseMasks(members, `${param}.${name}`);
  }
}

/** @throws GatewayError `bad_request` */
export function refuseMask(value: Json, param: string): void {
  if (value !== maskedValue) return;
  const text = `${param} holds the mask that replies show: send the secret itself.`;
  throw new GatewayError('bad_request', text, { param });
}
