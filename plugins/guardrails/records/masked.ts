import { asObject, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';

const mask = '*****';

/** Credentials as replies show them: what their schema calls secret is masked, and so is what it does not know. */
export function masked(credentials: JsonObject, schema: JsonObject | undefined): JsonObject {
  const properties = asObject(schema?.properties) ?? {};
  return Object.fromEntries(
    Object.entries(credentials).map(([name, value]) => {
      const known = asObject(Object.hasOwn(properties, name) ? properties[name] : undefined);
      return [name, known === undefined || known['x-secret'] === true ? mask : value];
    }),
  );
}

/**
 * A mask that comes back is no credential, and what it stood for does not stay: beside another address it would be sent to
 * whoever asks for it.
 * @throws GatewayError `bad_request`
 */
export function refuseMasks(credentials: JsonObject, param: string): void {
  const name = Object.keys(credentials).find((one) => isMask(credentials[one]));
  if (name === undefined) return;
  throw new GatewayError(
    'bad_request',
    `${param}.${name} holds the mask that replies show: send the credential itself.`,
    { param: `${param}.${name}` },
  );
}

function isMask(value: Json | undefined): boolean {
  return value === mask;
}
