import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { startControl } from '../../support/control.ts';

async function serve(t: TestContext, answer: (request: IncomingMessage) => { status?: number; body: object }) {
  const server = createServer((request, reply) => {
    request.resume();
    const { status = 200, body } = answer(request);
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A workspace with a provider whose key stands in a vault, and a model behind it that tells what it was sent. */
async function start(t: TestContext) {
  const plugins = ['audit-log', 'tenancy', 'integrations', 'configs', 'secret-references'];
  const outside = { secret: 'sk-from-the-vault', sealed: false, reads: 0 };
  const keys: string[] = [];
  const vault = await serve(t, () => {
    outside.reads += 1;
    const data = { data: { api_key: outside.secret }, metadata: { version: 1 } };
    return outside.sealed ? { status: 503, body: { errors: ['Vault is sealed'] } } : { body: { data } };
  });
  const model = await serve(t, ({ headers }) => {
    keys.push(String(headers.authorization));
    const message = { role: 'assistant', content: 'Hi' };
    return {
      body: {
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
      },
    };
  });
  const control = await startControl(t, { plugins });
  const workspace = await control.ok('POST', '/v1/admin/workspaces', { body: { name: 'Team' } });
  const reference = await control.ok('POST', '/v1/secret-references', {
    body: {
      name: 'Key',
      slug: 'the-key',
      manager_type: 'hashicorp_vault',
      auth_config: { vault_auth_type: 'token', vault_addr: vault, vault_token: 'a-token-of-vault' },
      secret_path: 'hidden/data/path',
      secret_key: 'api_key',
    },
  });
  const integration = await control.ok('POST', '/v1/integrations', {
    body: {
      name: 'Model',
      ai_provider_id: 'openai',
      configurations: { custom_host: `${model}/v1` },
      secret_mappings: [{ target_field: 'key', secret_reference_id: reference.slug ?? '' }],
    },
  });
  await control.ok('PUT', `/v1/integrations/${integration.id}/workspaces`, {
    body: { workspaces: [{ id: workspace.id ?? '', enabled: true, default_provider_slug: 'model' }] },
  });
  const ask = () =>
    control.call('POST', '/v1/chat/completions', {
      body: { model: '@model/m', messages: [{ role: 'user', content: 'Hi' }] },
      as: { workspaceId: String(workspace.id), keyType: 'workspace-service', scopes: ['completions.write'] },
    });
  return { control, outside, keys, ask, reference };
}

describe('a request through a provider whose key stands in a secret manager', () => {
  it('is sent with the key from there, which is read once', async (t) => {
    const { outside, keys, ask } = await start(t);
    for (let index = 0; index < 3; index += 1) {
      const reply = await ask();
      assert.equal(reply.status, 200, reply.text);
    }
    assert.deepEqual(keys, Array(3).fill('Bearer sk-from-the-vault'));
    assert.equal(outside.reads, 1);
  });

  it('is sent with the new key five minutes after it was changed there', async (t) => {
    const { control, outside, keys, ask } = await start(t);
    await ask();
    outside.secret = 'sk-rotated';
    control.advance(5 * 60_000);
    await ask();
    assert.deepEqual(keys, ['Bearer sk-from-the-vault', 'Bearer sk-rotated']);
  });

  it('is not sent at all when the secret cannot be had, and names the reference alone', async (t) => {
    const { outside, keys, ask } = await start(t);
    outside.sealed = true;
    const reply = await ask();
    assert.equal(reply.status, 502);
    assert.match(reply.text, /the-key/);
    assert.doesNotMatch(reply.text, /hidden|a-token-of-vault/);
    assert.deepEqual(keys, []);
  });

  it('leaves the secret neither in the store nor in the log', async (t) => {
    const { control, ask } = await start(t);
    await ask();
    const { db } = (control.gateway.control as NonNullable<typeof control.gateway.control>).store;
    const tables = ['secret_references', 'integrations', 'audit_logs'];
    const rows = JSON.stringify([await Promise.all(tables.map((name) => db(name))), control.log]);
    assert.ok(rows.includes('the-key'));
    assert.ok(!rows.includes('sk-from-the-vault'));
    assert.ok(!rows.includes('a-token-of-vault'));
  });

  it('keeps its reference from being removed', async (t) => {
    const { control, reference } = await start(t);
    const { status } = await control.call('DELETE', `/v1/secret-references/${reference.id}`);
    assert.equal(status, 400);
  });
});
