import { asObject, type JsonObject } from 'portcullis/sdk';
import { refusal } from '../refusal.ts';
import { changeableFields } from './fields.ts';

const sections = ['session_settings', 'auth_settings', 'metadata_schemas'] as const;

/**
 * A member that none of these sections has would be a setting that does nothing: `auth_settings.session_settings` ends no session.
 * @throws GatewayError `bad_request` naming it
 */
export function refuseUnknownMembers(body: JsonObject): void {
  for (const section of sections) {
    const accepted = Object.keys(changeableFields[section].properties);
    const unknown = Object.keys(asObject(body[section]) ?? {}).find((name) => !accepted.includes(name));
    if (unknown !== undefined)
      throw refusal(`${section}.${unknown.slice(0, 100)}`, `is not known here; accepted are ${accepted.join(', ')}`);
  }
}
