import { defaultNaming, GatewayError, type Reaction } from 'portcullis/sdk';
import type { KeyRecord } from './record.ts';

/** A guardrail that runs on every request of a key may not go, unless the workspace of both goes with it. */
export const keepDefaultGuardrails: Reaction = async (operation, guardrail) => {
  const scope = { organisationId: guardrail.organisation_id };
  if (guardrail.workspace_id !== null) {
    const workspace = await operation.records('workspaces').find(scope, guardrail.workspace_id);
    if (workspace?.status === 'archived') return;
  }
  // Most keys name none, and there may be many: those that hold the id anywhere are looked at.
  const rows = await operation
    .db('api_keys')
    .where('organisation_id', scope.organisationId)
    .andWhereRaw('instr(document, ?) > 0', [guardrail.id])
    .select('id');
  for (const { id } of rows) {
    const key = await operation.records<KeyRecord>('api_keys').get(scope, String(id));
    const name = defaultNaming(key, guardrail.id);
    if (name === undefined) continue;
    throw new GatewayError(
      'conflict',
      `The guardrail is in defaults.${name} of the API key "${key.name}": take it out there first.`,
      { param: `defaults.${name}` },
    );
  }
};
