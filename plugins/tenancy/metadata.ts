import { applyMetadataSchema, asObject, type JsonObject, type StoredRecord } from 'portcullis/sdk';
import { refusal } from './refusal.ts';

const mostMembers = 100;

/** The schema of a metadata field: strings of at most 128 characters each. */
export const metadataSchema = {
  type: ['object', 'null'],
  maxProperties: mostMembers,
  additionalProperties: { type: 'string', maxLength: 128 },
} as const;

/** The metadata of a body as strings by their names; null is none. @throws GatewayError `bad_request` */
export function readMetadata(value: unknown, param: string): Record<string, string> {
  const given = value === null || value === undefined ? {} : asObject(value);
  if (given === undefined) throw refusal(param, 'must be an object of strings');
  if (Object.keys(given).length > mostMembers) throw refusal(param, `has more than ${mostMembers} members`);
  for (const [name, member] of Object.entries(given)) {
    if (typeof member !== 'string' || member.length > 128)
      throw refusal(`${param}.${name}`, 'must be a string of at most 128 characters');
    if (name === '' || name.length > 128 || name === '__proto__')
      throw refusal(param, 'has a member with a name that is not accepted: 1 to 128 characters');
  }
  return { ...(given as Record<string, string>) };
}

/** The metadata of a workspace under the organisation's schema for it, where there is one. */
export function workspaceMetadata(organisation: StoredRecord, value: unknown): Record<string, string> {
  const param = 'defaults.metadata';
  const metadata = readMetadata(value, param);
  const schema: JsonObject | undefined = asObject(asObject(organisation.metadata_schemas)?.workspace);
  return schema === undefined ? metadata : applyMetadataSchema(schema, metadata, param);
}
