import { type ControlHost, field, nullable, type Resource, readOnly, schema } from 'portcullis/sdk';
import { exportActions } from './actions.ts';
import { runActions } from './run-actions.ts';
import { statuses, table } from './table.ts';
import { isVisible } from './visibility.ts';
import type { ExportFiles } from './writer.ts';

/** Exports of logs. All their routes need `logs.export`, which is no family of permissions, so they are actions. */
export function logExports(host: ControlHost, files: ExportFiles): Resource {
  return {
    name: table,
    object: 'export',
    title: 'Log exports',
    path: '/logs/exports',
    owner: 'workspace',
    permission: 'logs',
    operations: [],
    fields: {
      status: readOnly(field.oneOf(statuses)),
      filters: field.object(),
      requested_data: field.list(field.text()),
      description: nullable(field.text({ max: 1024 })),
      key_ids: readOnly(schema.Unsafe<readonly string[] | null>({ type: ['array', 'null'] })),
      started_at: readOnly(field.integer(0)),
      lease_until: readOnly(field.integer(0)),
      total_records: readOnly(field.integer(0)),
      failure: readOnly(field.text()),
    },
    columns: ['started_at', 'lease_until', 'total_records', 'failure'],
    onWorkspaceRemoval: 'follow',
    hooks: { visible: isVisible },
    actions: [...exportActions(host), ...runActions(host, files)],
  };
}
