import type { TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { startWorld, type World } from '../../../e2e/control/world.ts';
import type { ControlOptions } from '../../../support/control.ts';
import type { Reply } from '../../../support/gateway.ts';

/** A world whose workspace has prompts, and a key that may run them. */
export interface PromptWorld extends World {
  readonly key: string;
  /** Makes a prompt of the workspace, published as it is. */
  prompt(given?: JsonObject): Promise<JsonObject>;
  /** A new version of it, a draft. */
  draft(id: string, changes: JsonObject): Promise<JsonObject>;
  complete(reference: string, body?: JsonObject, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  render(reference: string, body?: JsonObject): Promise<Reply>;
}

export const chatTemplate = JSON.stringify([
  { role: 'system', content: 'You speak {{language}}.' },
  { role: 'user', content: 'Greet {{name}}.' },
]);

export const variables = { language: 'Danish', name: 'Ada "the first"' };

export async function startPromptWorld(
  t: Pick<TestContext, 'after'>,
  options: ControlOptions = {},
): Promise<PromptWorld> {
  const world = await startWorld(t, options);
  const { ask, shop, c } = world;
  const made = await ask('POST', '/v1/api-keys/workspace/service', {
    name: 'Runs prompts',
    workspace_id: shop.workspaceId,
    scopes: ['completions.write', 'prompts.render'],
  });
  const key = String(made.key);
  return {
    ...world,
    key,
    prompt: (given = {}) =>
      ask('POST', '/v1/prompts', {
        name: 'Greeting',
        workspace_id: shop.workspaceId,
        string: chatTemplate,
        parameters: { temperature: 0.5 },
        virtual_key: shop.provider,
        model: 'gpt-4o',
        ...given,
      }),
    draft: (id, changes) => ask('PUT', `/v1/prompts/${id}`, { patch: true, ...changes }),
    complete: (reference, body = {}, headers = {}) =>
      c.call('POST', `/v1/prompts/${reference}/completions`, { key, headers, body: { variables, ...body } }),
    render: (reference, body = {}) =>
      c.call('POST', `/v1/prompts/${reference}/render`, { key, body: { variables, ...body } }),
  };
}
