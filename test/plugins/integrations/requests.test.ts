import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { caller, onEachPlane } from './plane.ts';

onEachPlane((plane) => {
  let count = 0;
  /** An integration that is shared with ws-a under the slug that is given back. */
  const shared = async (more: JsonObject = {}): Promise<{ readonly id: string; readonly slug: string }> => {
    count += 1;
    const slug = `way-${count}`;
    const { id } = (await plane().call('POST', '/integrations', { name: 'W', ai_provider_id: 'echo', ...more })).body;
    await grant(id, slug, true);
    return { id, slug };
  };
  const grant = (id: string, default_provider_slug: string, enabled: boolean) =>
    plane().call('PUT', `/integrations/${id}/workspaces`, {
      workspaces: [{ id: 'ws-a', enabled, default_provider_slug }],
    });
  const ask = (slug: string, workspace = plane().a, model = 'echo') =>
    plane().call(
      'POST',
      '/chat/completions',
      { model: `@${slug}/${model}`, messages: [{ role: 'user', content: 'Hi' }] },
      caller(['completions.write'], workspace),
    );

  describe('a request that names a provider of its workspace', () => {
    it('is answered through it', async () => {
      const { slug } = await shared();
      const reply = await ask(slug);
      assert.equal(reply.status, 200, reply.text);
    });

    it('is refused from another workspace', async () => {
      const { slug } = await shared();
      assert.equal((await ask(slug, plane().b)).status, 400);
    });

    it('is refused at once when the access of the workspace ends', async () => {
      const { id, slug } = await shared();
      assert.equal((await ask(slug)).status, 200);
      await grant(id, slug, false);
      assert.equal((await ask(slug)).status, 400);
    });

    it('is refused at once when the integration is archived', async () => {
      const { id, slug } = await shared();
      assert.equal((await ask(slug)).status, 200);
      await plane().call('DELETE', `/integrations/${id}`);
      assert.equal((await ask(slug)).status, 400);
    });

    it('is bound to the models that are enabled, where not all are', async () => {
      const { id, slug } = await shared();
      const models = [{ slug: 'echo', enabled: true }];
      await plane().call('PUT', `/integrations/${id}/models`, { allow_all_models: false, models });
      assert.equal((await ask(slug)).status, 200);
      const other = await ask(slug, plane().a, 'echo-2');
      assert.equal(other.status, 400, other.text);
    });

    it('is refused for a model that is disabled, where all others are allowed', async () => {
      const { id, slug } = await shared();
      await plane().call('PUT', `/integrations/${id}/models`, { models: [{ slug: 'echo', enabled: false }] });
      const reply = await ask(slug);
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, /does not serve the model \\"echo\\". The model is disabled there/);
      assert.equal((await ask(slug, plane().a, 'echo-tools')).status, 200);
      await plane().call('PUT', `/integrations/${id}/models`, { models: [{ slug: 'echo', enabled: true }] });
      assert.equal((await ask(slug)).status, 200);
      await plane().call('DELETE', `/integrations/${id}/models?slugs=echo-tools`);
      assert.equal((await ask(slug, plane().a, 'echo-tools')).status, 400);
    });

    it('is refused by name where no such provider is installed', async () => {
      const configurations = { aws_auth_type: 'accessKey', aws_region: 'eu-west-1' };
      const { slug } = await shared({ ai_provider_id: 'bedrock', configurations });
      const reply = await ask(slug);
      assert.equal(reply.status, 400);
      assert.match(reply.text, /bedrock/);
    });

    it('is refused when the provider has expired', async () => {
      const { slug } = await shared();
      const expires_at = Math.floor(plane().control.now() / 1000) + 60;
      await plane().call('PUT', `/providers/${slug}?workspace_id=ws-a`, { expires_at });
      plane().control.advance(61_000);
      const reply = await ask(slug);
      assert.equal(reply.status, 412, reply.text);
      assert.match(reply.text, /expired/);
    });
  });
});
