import { asObject, type Control, guardrailInReach } from 'portcullis/sdk';
import { credentialsOf } from './credentials/table.ts';
import { joined } from './secret-parameters.ts';
import type { GuardrailRecord } from './table.ts';

/** What requests need of guardrails, credentials in clear. */
export const loaders: NonNullable<Control['loaders']> = {
  guardrail: async (reader, [organisationId = '', workspaceId = '', idOrSlug = '']) => {
    const guardrails = reader.records<GuardrailRecord>('guardrails');
    const record = await guardrailInReach(guardrails, { organisationId, workspaceId }, idOrSlug);
    if (record === undefined) return undefined;
    return {
      organisationId,
      id: record.id,
      slug: record.slug ?? record.id,
      name: record.name,
      ...(record.workspace_id === null ? {} : { workspaceId: record.workspace_id }),
      versionId: record.version_id,
      checks: joined(record.checks, await guardrails.secrets(record)),
      actions: record.actions,
    };
  },
  checkCredentials: async (reader, [organisationId = '', unit = '']) => {
    const records = reader.records('check_credentials');
    const record = await credentialsOf(records, organisationId, unit);
    if (record === undefined) return undefined;
    const credentials = asObject((await records.secrets(record)).credentials) ?? {};
    return { organisationId, unit, credentials };
  },
};
