import { type ControlHost, field, type JsonObject, type Resource, schema } from 'portcullis/sdk';
import { credentialActions } from './actions.ts';

/** Credentials by guardrail unit. Its routes are named by the units, which are there before anything is stored for them. */
export function checkCredentials(host: ControlHost): Resource {
  return {
    name: 'check_credentials',
    object: 'plugin',
    title: 'Credentials of guardrails',
    path: '/plugins',
    owner: 'organisation',
    permission: 'plugins',
    operations: [],
    columns: ['unit'],
    fields: {
      unit: field.id(),
      credentials: schema.Unsafe<JsonObject>({ type: 'object', 'x-secret': true }),
    },
    actions: credentialActions(host),
  };
}
