import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { onEachPlane } from './plane.ts';

const plain = 'PLAINTEXT';
/** Long enough to be masked at both ends, with a middle that nothing else holds. */
const secret = (name: string) => `aa-${plain}-${name}-zzz`;

onEachPlane((plane) => {
  const seen: string[] = [];
  const call = async (method: string, path: string, body?: JsonObject) => {
    const reply = await plane().call(method, path, body);
    seen.push(reply.text);
    return reply;
  };

  describe('secrets', () => {
    it('stand in no reply, no table, no log line and no audit entry', async () => {
      const bedrock = {
        aws_auth_type: 'accessKey',
        aws_region: 'r',
        aws_access_key_id: secret('id'),
        aws_secret_access_key: secret('aws'),
        custom_headers: { 'x-team': secret('header') },
      };
      const made = await call('POST', '/integrations', {
        name: 'B',
        ai_provider_id: 'bedrock',
        key: secret('key'),
        configurations: bedrock,
        workspace_id: 'ws-a',
      });
      assert.equal(made.status, 200);
      const shared = await call('POST', '/integrations', {
        name: 'C',
        ai_provider_id: 'openai',
        key: secret('shared'),
      });
      await call('PUT', `/integrations/${shared.body.id}/workspaces`, { workspaces: [{ id: 'ws-b', enabled: true }] });
      const path = `/integrations/${made.body.id}`;
      await call('PUT', path, { key: secret('key2'), configurations: { aws_secret_access_key: secret('aws2') } });
      await call('PUT', `${path}/models`, {
        models: [{ slug: 'm', enabled: true, configurations: { custom_headers: { 'x-model': secret('model') } } }],
      });
      const service = { type: 'service_account', private_key: secret('private') };
      const key = await call('POST', '/virtual-keys', {
        name: 'V',
        provider: 'vertex-ai',
        key: secret('vk'),
        model_config: { vertexAuthType: 'serviceAccount', vertexRegion: 'r', vertexServiceAccountJson: service },
        workspace_id: 'ws-a',
      });
      assert.equal(key.status, 200);
      await call('PUT', `/virtual-keys/${key.body.id}`, { key: secret('vk2') });
      // Refusals tell what was wrong, and repeat nothing of it.
      await call('PUT', path, { configurations: { aws_secret_access_key: [secret('list')] } });
      await call('PUT', path, { key: { nested: secret('nested') } });
      await call('PUT', path, { configurations: { custom_headers: { host: secret('host') } } });
      for (const one of [path, `${path}/models`, `/virtual-keys/${key.body.id}`, '/virtual-keys?workspace_id=ws-a'])
        await call('GET', one);
      assert.doesNotMatch(seen.join('\n'), new RegExp(plain));
      const tables = ['integrations', 'integration_models', 'integration_workspaces', 'providers', 'audit_logs'];
      const rows = await Promise.all(tables.map((table) => plane().db(table).select()));
      assert.ok(rows.every((one) => one.length > 0));
      assert.doesNotMatch(JSON.stringify(rows), new RegExp(plain));
      assert.doesNotMatch(JSON.stringify(plane().control.log), new RegExp(plain));
    });

    it('are there for the data plane all the same', async () => {
      const body = {
        name: 'A',
        ai_provider_id: 'anthropic',
        key: secret('there'),
        workspace_id: 'ws-a',
        default_provider_slug: 'there',
      };
      await call('POST', '/integrations', body);
      const entry = await plane().load('provider', plane().organisationId, plane().a, 'there');
      assert.deepEqual(entry?.settings, { api_key: secret('there') });
    });
  });
});
