import {
  asString,
  detail,
  field,
  nullable,
  type Resource,
  type ResourceHooks,
  readOnly,
  required,
} from 'portcullis/sdk';
import { demandFreeName, labelName } from './names.ts';
import { getLabel, listLabels } from './read.ts';
import type { LabelRecord } from './table.ts';
import { refuseUniversal } from './universal.ts';

/** Names that point at versions of prompts. Reading has routes of its own: workspaces see the organisation's as well. */
export function labels(): Resource {
  return {
    name: 'labels',
    object: 'label',
    title: 'Labels',
    path: '/labels',
    owner: 'either',
    permission: 'prompts',
    onWorkspaceRemoval: 'follow',
    operations: ['create', 'update', 'remove'],
    fields: {
      name: required(labelName()),
      description: nullable(field.text({ max: 1024 })),
      color_code: nullable(field.text({ max: 32 })),
      is_universal: readOnly(field.boolean()),
      place: detail(readOnly(field.text())),
    },
    columns: ['name', 'is_universal', 'place'],
    hooks: hooks as ResourceHooks,
    actions: [listLabels, getLabel],
  };
}

const hooks: ResourceHooks<LabelRecord> = {
  create: async (operation, body) => {
    const place = operation.scope.workspaceId ?? '';
    await demandFreeName(operation, String(body.name), place);
    return { place, is_universal: false };
  },
  update: async (operation, record, body) => {
    refuseUniversal(record);
    const name = asString(body.name);
    if (name !== undefined && name !== record.name) await demandFreeName(operation, name, record.place, record.id);
    return {};
  },
  remove: (_, record) => refuseUniversal(record),
};
