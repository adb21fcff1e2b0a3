import { type Operation, plugin, schema } from 'portcullis/sdk';
import { keepDefaultGuardrails } from './guardrails.ts';
import { invites } from './invites/index.ts';
import { loaders } from './loaders.ts';
import { workspaceMembers } from './members/index.ts';
import { foundOrganisation } from './organisations/create.ts';
import { organisations } from './organisations/index.ts';
import { migrations } from './tables.ts';
import { leaveWorkspaces, users } from './users/index.ts';
import { keepDefaultConfigs } from './workspaces/defaults.ts';
import { workspaces } from './workspaces/index.ts';
import { keepDefaultWorkspace } from './workspaces/removal.ts';

export default plugin({
  config: schema.Object({}, { additionalProperties: false }),
  setup: () => ({}),
  migrations,
  control: (host) => ({
    resources: [organisations(host), workspaces, workspaceMembers, users, invites(host)],
    reactions: {
      'users.removed': leaveWorkspaces,
      'configs.removing': keepDefaultConfigs,
      'guardrails.removing': keepDefaultGuardrails,
      'workspaces.removing': keepDefaultWorkspace,
    },
    loaders,
    bootstrap: foundFirst,
  }),
});

/** Everything belongs to an organisation, so a gateway that starts for the first time has one. */
async function foundFirst(operation: Operation): Promise<readonly string[]> {
  const id = operation.scope.organisationId === '' ? operation.newId() : operation.scope.organisationId;
  await foundOrganisation(operation, id, { name: 'Default organisation' });
  return [];
}
