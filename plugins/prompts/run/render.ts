import { type Action, type ControlHost, field, GatewayError, omit, schema } from 'portcullis/sdk';
import { readFilling } from './read-filling.ts';
import { fillPrompt } from './versions.ts';

/** `POST /prompts/:id/render`: what a version asks for, as the body of a request to a model. */
export function renderAction(host: Pick<ControlHost, 'directory'>): Action {
  return {
    method: 'post',
    path: '/prompts/:id/render',
    summary: 'Fill in the variables of a prompt, as the body of a completion request',
    needs: ['prompts.render'],
    in: 'workspace',
    // It changes nothing, and reads what the data plane reads.
    transaction: false,
    audited: false,
    body: schema.Object(
      {
        variables: schema.Optional(
          field.object({ description: 'By name: strings; JSON values as JSON-encoded strings. Required.' }),
        ),
      },
      {
        additionalProperties: true,
        description: 'Fields of a completion request take the place of those that are stored.',
      },
    ),
    reply: schema.Object({ success: schema.Boolean(), data: field.object({ description: 'A completion request.' }) }),
    run: async ({ scope, params, body }) => {
      if (scope.workspaceId === undefined) {
        const text = 'workspace_id is required: the id or slug of the workspace whose prompt it is.';
        throw new GatewayError('bad_request', text, { param: 'workspace_id' });
      }
      const find: typeof host.directory.get = (...of) => host.directory.get(...of);
      const filled = await fillPrompt(find, scope, params.id ?? '', readFilling(omit(body, ofTheCall)), 'id');
      return { success: true, data: filled.body };
    },
  };
}

/** Says where the prompt is looked up, and is no member of the request that it becomes. */
const ofTheCall = new Set(['workspace_id']);
