import { field, type Resource, schema, several } from 'portcullis/sdk';
import { addMembers } from '../members/add.ts';
import { memberShape, shape } from '../reply.ts';
import { workspaceFields } from './fields.ts';
import { isVisible, listConditions, showWorkspace } from './read.ts';
import { checkName, refuseArchived } from './removal.ts';
import { createWorkspace, moveDefault, updateWorkspace } from './write.ts';

export const workspaces: Resource = {
  name: 'workspaces',
  object: 'workspace',
  title: 'Workspaces',
  path: '/workspaces',
  admin: true,
  owner: 'organisation',
  permission: { families: ['workspaces'], of: () => 'workspaces', place: ({ id }) => id },
  slug: { prefix: 'ws', given: true },
  removal: 'archive',
  columns: ['name', 'is_default'],
  fields: workspaceFields,
  filters: {
    name: field.text(),
    exact_name: field.text(),
    status: several(field.text({ max: 64 })),
    name_format: field.oneOf(['display', 'plain']),
  },
  hooks: {
    list: listConditions,
    visible: isVisible,
    create: createWorkspace,
    created: async (operation, workspace) => {
      const users = (operation.body.users ?? []) as readonly string[];
      const added = users.map((id) => ({ id, role: 'member' as const }));
      if (added.length > 0) await addMembers(operation, workspace.id, added);
    },
    update: (operation, workspace, body) => {
      refuseArchived(workspace);
      return updateWorkspace(operation, workspace, body);
    },
    updated: moveDefault,
    remove: checkName,
    show: showWorkspace,
  },
  shown: {
    name: schema.String(),
    created_by: shape.text(),
    users: schema.Array(memberShape),
  },
  replies: { create: { schema: shape.members(), of: ({ shown }) => shown } },
};
