import { type Auth, asString, GatewayError, type JsonObject, type Settings } from 'portcullis/sdk';
import { serviceAccountRequest } from './grants.ts';
import { machineHeaders } from './machine.ts';
import { isApiKey, keyFileOf } from './places.ts';

/**
 * The service account of the settings; else the API key or access token of the caller; else whoever the machine is
 * (https://cloud.google.com/docs/authentication/application-default-credentials).
 */
export function authOf(settings: Settings): Auth {
  const file = keyFileOf(settings);
  if (file !== undefined)
    return { kind: 'token', request: (_, tools) => serviceAccountRequest(keyOf(file), tools.now()) };
  if (isApiKey(settings)) return { kind: 'header', name: 'x-goog-api-key', from: 'apiKey' };
  if (asString(settings.apiKey) !== undefined) return { kind: 'bearer', from: 'apiKey' };
  return { kind: 'signed', headers: (_, __, tools) => machineHeaders(tools) };
}

function keyOf(file: JsonObject): JsonObject {
  if (file.type === undefined || file.type === 'service_account') return file;
  throw new GatewayError('bad_request', 'vertex_service_account_json is not the key of a service account.', {
    param: 'vertex_service_account_json',
  });
}
