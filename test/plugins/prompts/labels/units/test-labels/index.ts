import { type Operation, plugin, schema } from 'portcullis/sdk';
import {
  assignLabel,
  dropLabelsOf,
  labelsOf,
  versionOfLabel,
} from '../../../../../../plugins/prompts/labels/assign.ts';

const place = ({ params, scope }: Operation) => ({
  promptId: params.prompt ?? '',
  organisationId: scope.organisationId,
});

export default plugin({
  config: schema.Object({}),
  setup: () => ({}),
  control: () => ({
    actions: [
      {
        method: 'put',
        path: '/test-labels/:prompt',
        summary: 'Labels a version of the prompt',
        needs: ['prompts.update'],
        in: 'workspace',
        hidden: true,
        body: schema.Object({
          version: schema.Integer(),
          label_id: schema.Unsafe<string | null>({ type: ['string', 'null'] }),
        }),
        run: async (operation) => {
          const { version, label_id: label } = operation.body;
          const workspaceId = operation.scope.workspaceId ?? '';
          await assignLabel(
            operation,
            { ...place(operation), workspaceId },
            Number(version),
            label === null ? null : String(label),
          );
          return {};
        },
      },
      {
        method: 'delete',
        path: '/test-labels/:prompt',
        summary: 'Drops the labels of the prompt',
        needs: ['prompts.delete'],
        in: 'workspace',
        hidden: true,
        run: async (operation) => {
          const { organisationId, promptId } = place(operation);
          await dropLabelsOf(operation.db, organisationId, promptId);
          return {};
        },
      },
      {
        method: 'get',
        path: '/test-labels/:prompt',
        summary: 'The labels of the prompt, and where one of them points',
        needs: ['prompts.read'],
        in: 'workspace',
        hidden: true,
        run: async (operation) => {
          const { organisationId, promptId } = place(operation);
          const { name = '' } = operation.query;
          return {
            labels: (await labelsOf(operation.db, organisationId, promptId)).map((label) => ({ ...label })),
            version: (await versionOfLabel(operation.db, organisationId, promptId, name)) ?? null,
          };
        },
      },
    ],
  }),
});
