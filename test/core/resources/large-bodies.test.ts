import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { startControl } from '../../support/control.ts';

const plugins = ['audit-log', 'tenancy', 'configs'];
const padding = 'x'.repeat(100_000);

it('strangers are listened to for 64 KiB', async (t) => {
  const c = await startControl(t, { plugins });
  const accept = (more: JsonObject) =>
    c.call('POST', '/v1/invites/accept', { body: { token: 'x'.repeat(43), ...more } });
  assert.equal((await accept({ padding })).status, 413);
  assert.equal((await accept({})).status, 404);
});

it('a refused call cannot fill the audit log with its body', async (t) => {
  const c = await startControl(t, { plugins });
  const { id } = await c.ok('POST', '/v1/workspaces', { body: { name: 'W' } });
  const body = { name: 'C', config: {}, padding };
  const as = { scopes: ['completions.write'], workspaceId: String(id), keyType: 'workspace-service' as const };
  assert.equal((await c.call('POST', '/v1/configs', { as, body })).status, 403);
  const { records } = await c.ok('GET', '/v1/audit-logs?response_status_code=403');
  const [entry] = records as readonly JsonObject[];
  assert.match(String(entry?.request_body), /omitted/);
  assert.ok(JSON.stringify(entry).length < 5000);
});

it('a config that comes as a text leaves no credential in the audit log', async (t) => {
  const c = await startControl(t, { plugins });
  const { id } = await c.ok('POST', '/v1/workspaces', { body: { name: 'W' } });
  const config = JSON.stringify({ provider: 'openai', api_key: 'sk-quokka' });
  await c.ok('POST', '/v1/configs', { body: { name: 'C', workspace_id: String(id), config } });
  const rows = await c.gateway.control?.store.db('audit_logs').select('*');
  assert.equal(rows?.length, 2);
  assert.equal(JSON.stringify(rows).includes('quokka'), false);
});
