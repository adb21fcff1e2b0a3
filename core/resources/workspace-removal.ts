import { GatewayError, type Reaction } from 'portcullis/sdk';
import type { ResourceModel } from './model.ts';

/** Reactions that take care of what hangs on a workspace: it blocks the removal, or it goes too. */
export function workspaceRemoval(
  models: ReadonlyMap<string, ResourceModel>,
): Readonly<Record<'workspaces.removing' | 'workspaces.removed', Reaction>> {
  const owned = [...models.values()].filter(({ resource }) => resource.owner !== 'organisation');
  return {
    'workspaces.removing': async (operation, workspace, detail) => {
      if (detail.force === true) return;
      const left: string[] = [];
      for (const { name, resource } of owned) {
        if (resource.onWorkspaceRemoval === 'follow') continue;
        const scope = { organisationId: workspace.organisation_id, workspaceId: workspace.id };
        const { total } = await operation.records(name).list(scope, { archived: false, pageSize: 1 });
        if (total > 0) left.push(`${total} ${name}`);
      }
      if (left.length === 0) return;
      throw new GatewayError(
        'conflict',
        `The workspace still holds ${left.join(', ')}: remove them first, or send force_delete: true.`,
        { param: 'force_delete' },
      );
    },
    'workspaces.removed': async (operation, workspace, detail) => {
      const scope = { organisationId: workspace.organisation_id, workspaceId: workspace.id };
      for (const { name } of owned) {
        const records = operation.records(name);
        for (const { id } of (await records.list(scope, { archived: false })).records) {
          await records.remove(scope, id, detail);
        }
      }
    },
  };
}
