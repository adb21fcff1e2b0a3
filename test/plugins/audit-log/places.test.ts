import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObjects, type JsonObject } from 'portcullis/sdk';
import type { TestControl } from '../../support/control.ts';
import { logWorld } from '../logs/world.ts';

interface Here {
  readonly id: string;
  readonly slug: string;
  readonly configId: string;
}

/** What is done in a workspace by a caller who is not bound to it, and what its entry tells. */
const writes: readonly (readonly [string, number, (here: Here) => readonly [string, string, JsonObject]])[] = [
  ['api_keys', 200, ({ id }) => ['POST', '/v1/api-keys/workspace/service', { workspace_id: id, ...key }]],
  ['log_exports', 200, ({ slug }) => ['POST', '/v1/logs/exports', { workspace_id: slug, ...drafted }]],
  ['providers', 200, ({ id }) => ['POST', '/v1/virtual-keys', { name: 'v', provider: 'echo', workspace_id: id }]],
  ['workspaces', 200, ({ id }) => ['PUT', `/v1/workspaces/${id}`, { description: 'new' }]],
  ['configs', 400, ({ id }) => ['POST', '/v1/configs', { name: 'c', config: {}, workspace_id: id }]],
  ['configs', 400, ({ configId }) => ['PUT', `/v1/configs/${configId}`, { config: 'no config' }]],
  ['Workspace members', 404, ({ id }) => ['POST', `/v1/workspaces/${id}/users`, { user_id: 'nobody', role: 'member' }]],
];
const key = { name: 'App', scopes: ['completions.write'] };
const drafted = { filters: {}, requested_data: ['id'] };

describe('the audit log of a workspace', () => {
  const started = async (control: TestControl): Promise<Here> => {
    const { id, slug } = await control.ok('POST', '/v1/workspaces', { body: { name: 'Here' } });
    const config = { name: 'c', config: { retry: { attempts: 1 } }, workspace_id: String(id) };
    const made = await control.ok('POST', '/v1/configs', { body: config });
    return { id: String(id), slug: String(slug), configId: String(made.id) };
  };

  for (const [type, status, write] of writes) {
    it(`has what is done to ${type} in it, with ${status}`, async (t) => {
      const { control } = await logWorld(t);
      const here = await started(control);
      const [method, path, body] = write(here);
      const reply = await control.call(method, path, { body });
      assert.equal(reply.status, status, reply.text);
      const asked = `workspace_id=${here.id}&uri=${path}&response_status_code=${status}`;
      const entries = asObjects((await control.ok('GET', `/v1/audit-logs?${asked}`)).records);
      const entry = entries.find((one) => one.method === method);
      assert.deepEqual([entry?.workspace_id, entry?.resource_type], [here.id, type]);
      if (status === 200) assert.equal(entry?.resource_id, reply.json.id ?? here.id);
    });
  }

  it('has nothing of what is done in the organisation itself, or refused to strangers', async (t) => {
    const { control } = await logWorld(t);
    const here = await started(control);
    await control.ok('POST', '/v1/integrations', { body: { name: 'Shared', ai_provider_id: 'echo' } });
    await control.call('DELETE', '/v1/configs/none');
    const { records } = await control.ok('GET', `/v1/audit-logs?workspace_id=${here.id}`);
    assert.deepEqual(
      asObjects(records).map(({ resource_type: type, action }) => `${type} ${action}`),
      ['configs create', 'workspaces create'],
    );
  });
});
