import {
  defaultNaming,
  field,
  GatewayError,
  type JsonObject,
  nullable,
  type Operation,
  type Reaction,
  type StoredRecord,
  schema,
} from 'portcullis/sdk';

/** Guardrails, each by its id or slug, or an object that names it. */
export const guardrailList = () =>
  nullable(field.list(schema.Unsafe<string | JsonObject>({ type: ['string', 'object'] }), { maxItems: 100 }));

/** A guardrail that runs on every request of the organisation or of a workspace may not go, unless the workspace goes with it. */
export const keepDefaultGuardrails: Reaction = async (operation, guardrail) => {
  const scope = { organisationId: guardrail.organisation_id };
  const organisation = await operation.records('organisations').get(scope, scope.organisationId);
  refuseWhileNamed(guardrail, organisation, 'the organisation');
  for (const workspace of await workspacesOf(operation, guardrail))
    refuseWhileNamed(guardrail, workspace, `the workspace ${workspace.slug}`);
};

/** Those whose requests could run it. */
async function workspacesOf(operation: Operation, guardrail: StoredRecord): Promise<readonly StoredRecord[]> {
  const scope = { organisationId: guardrail.organisation_id };
  const where = guardrail.workspace_id === null ? {} : { where: { id: guardrail.workspace_id } };
  return (await operation.records('workspaces').list(scope, { ...where, archived: false })).records;
}

function refuseWhileNamed(guardrail: StoredRecord, { defaults }: StoredRecord, whose: string): void {
  const name = defaultNaming(defaults, guardrail.id);
  if (name === undefined) return;
  throw new GatewayError('conflict', `The guardrail is in defaults.${name} of ${whose}: take it out there first.`, {
    param: `defaults.${name}`,
  });
}
