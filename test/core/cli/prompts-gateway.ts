import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { startControl } from '../../support/control.ts';
import { type Folder, prompts } from './prompts-folder.ts';

const chat = JSON.stringify([
  { role: 'system', content: 'Be {{tone}}.\nAnswer in {{language}}.' },
  { role: 'user', content: '{{question}}' },
]);
export const basic = { string: chat, parameters: { temperature: 0.2 }, virtual_key: 'openai-prod', model: 'gpt-4.1' };

/** A gateway with a workspace, and the command line for both. */
export async function gateway(t: TestContext) {
  const control = await startControl(t, { plugins: ['audit-log', 'tenancy', 'api-keys', 'prompts'] });
  const newWorkspace = async (name: string) =>
    String((await control.ok('POST', '/v1/admin/workspaces', { body: { name } })).id);
  const workspace = await newWorkspace('Team');
  const send = (method: string, path: string, body: JsonObject) =>
    control.ok(method, `/v1${path}`, { body, as: { workspaceId: workspace } });
  const get = (path: string) => control.ok('GET', `/v1${path}`, { as: { workspaceId: workspace } });
  const run = (action: string, folder: Folder, ...options: readonly string[]) =>
    prompts(control.adminKey, action, folder.path, '--url', control.url, '--workspace', workspace, ...options);
  const done = async (action: string, folder: Folder, ...options: readonly string[]) => {
    const { code, printed, complained } = await run(action, folder, ...options);
    assert.equal(code, 0, complained);
    return printed;
  };
  const versions = async (path: string) => Number((await get(`${path}/versions`)).total);
  return { control, workspace, newWorkspace, send, get, run, done, versions };
}

export type Gateway = Awaited<ReturnType<typeof gateway>>;

/** A partial, a prompt that includes it in a collection of a collection, and a plain one. */
export async function filled({ send }: Gateway) {
  const partial = String(
    (await send('POST', '/prompts/partials', { name: 'Greeting', string: 'Hello {{name}}' })).slug,
  );
  const support = await send('POST', '/collections', { name: 'Support' });
  const mails = await send('POST', '/collections', { name: 'Mails', parent_collection_id: support.id ?? '' });
  const welcome = await send('POST', '/prompts', {
    ...basic,
    name: 'Welcome',
    collection_id: mails.id ?? '',
    string: JSON.stringify([{ role: 'user', content: `{{>${partial}}}, {{question}}` }]),
    tools: [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }],
    tool_choice: 'auto',
    version_description: 'first',
  });
  const plain = await send('POST', '/prompts', {
    ...basic,
    name: 'Plain',
    string: 'Say {{what}}\nin one line.',
    template_metadata: { template_type: 'text' },
  });
  return { partial, welcome: String(welcome.slug), plain: String(plain.slug) };
}
