import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { caller, onEachPlane } from './plane.ts';

onEachPlane((plane) => {
  let count = 0;
  /** An integration of the workspace ws-a, without a provider. */
  const integration = async (more: JsonObject = { workspace_id: 'ws-a', create_default_provider: false }) => {
    count += 1;
    const body = { name: `P${count}`, ai_provider_id: 'openai', key: 'sk-abcdefghijklmnop', ...more };
    return (await plane().call('POST', '/integrations', body)).body;
  };
  const post = async (more: JsonObject = {}, integrationId?: string) =>
    plane().call('POST', '/providers', {
      name: 'Production',
      integration_id: integrationId ?? (await integration()).id,
      workspace_id: 'ws-a',
      ...more,
    });
  const path = (slug: string) => `/providers/${slug}?workspace_id=ws-a`;
  const get = async (slug: string) => (await plane().call('GET', path(slug))).body;

  describe('a provider', () => {
    it('is made from an integration of its workspace, named by id or slug', async () => {
      const { id, slug } = await integration();
      const byId = await post({}, id);
      const bySlug = await post({}, slug);
      assert.deepEqual([byId.status, bySlug.status], [200, 200]);
      assert.match(byId.body.slug, /^produc-[0-9a-f]{6}$/);
      assert.equal((await get(bySlug.body.slug)).integration_id, id);
    });

    it('reads as it was recorded', async () => {
      const { body } = await post({
        note: 'for the site',
        usage_limits: { credit_limit: 5, alert_threshold: 4, periodic_reset: 'monthly' },
        rate_limits: { type: 'tokens', unit: 'rpd', value: 0 },
        expires_at: '2030-01-01T00:00:00Z',
        tags: { team: 'a' },
      });
      const { id, integration_id, created_at, last_updated_at, organisation_id, ...shown } = await get(body.slug);
      assert.deepEqual(shown, {
        slug: body.slug,
        workspace_id: plane().a,
        name: 'Production',
        note: 'for the site',
        status: 'active',
        usage_limits: {
          credit_limit: 5,
          type: 'cost',
          alert_threshold: 4,
          periodic_reset: 'monthly',
          periodic_reset_days: null,
          next_usage_reset_at: '2026-12-01T00:00:00.000Z',
        },
        rate_limits: [{ type: 'tokens', unit: 'rpd', value: 0 }],
        reset_usage: null,
        expires_at: 1893456000,
        last_reset_at: null,
        tags: { team: 'a' },
        object: 'provider',
      });
    });

    it('has a slug once in its workspace, and again in another', async () => {
      const shared = await integration({});
      const workspaces = ['ws-a', 'ws-b'].map((id) => ({ id, enabled: true, create_default_provider: false }));
      await plane().call('PUT', `/integrations/${shared.id}/workspaces`, { workspaces });
      const inWorkspace = async (workspace_id: string) =>
        (await post({ slug: 'same-slug', workspace_id }, shared.id)).status;
      assert.deepEqual(
        [await inWorkspace('ws-a'), await inWorkspace('ws-a'), await inWorkspace('ws-b')],
        [200, 409, 200],
      );
    });

    it('is not made from an integration that is foreign, not shared, archived, or made for a virtual key', async () => {
      const other = await integration({ workspace_id: 'ws-b' });
      const unshared = await integration({});
      const archived = await integration();
      await plane().call('DELETE', `/integrations/${archived.id}`);
      const key = { name: 'K', provider: 'openai', workspace_id: 'ws-a' };
      const { id } = (await plane().call('POST', '/virtual-keys', key)).body;
      const hidden = (await get(id)).integration_id;
      const status = async (one: string) => (await post({}, one)).status;
      assert.equal(await status(other.id), 404);
      assert.equal(await status(unshared.id), 400);
      assert.equal(await status(archived.id), 404);
      assert.equal(await status(hidden), 404);
      assert.equal(await status('nothing'), 404);
    });

    it('gets a slug where the body leaves it out or gives null', async () => {
      const integration = { name: 'I', ai_provider_id: 'openai', workspace_id: 'ws-a', slug: null };
      const { body: made } = await plane().call('POST', '/integrations', integration);
      const { status, body } = await plane().call('POST', '/providers', {
        name: 'Null slug',
        integration_id: made.slug,
        workspace_id: 'ws-a',
        slug: null,
      });
      assert.equal(status, 200);
      assert.match(body.slug, /^null-s-[0-9a-f]{6}$|^[a-z-]+-[0-9a-f]{6}$/);
    });

    it('needs a workspace to stand in', async () => {
      const { id } = await integration();
      const reply = await plane().call('POST', '/providers', { name: 'X', integration_id: id });
      assert.deepEqual([reply.status, reply.body.error.param], [400, 'workspace_id']);
    });

    for (const [name, more, param] of [
      ['an expiry that is over', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
      [
        'a threshold above its limit',
        { usage_limits: { credit_limit: 1, alert_threshold: 2 } },
        'usage_limits.alert_threshold',
      ],
      ['an unknown unit', { rate_limits: [{ type: 'requests', unit: 'rpy', value: 1 }] }, 'rate_limits[0].unit'],
      ['a slug with a space', { slug: 'a b' }, 'slug'],
    ] as const)
      it(`refuses ${name}`, async () => {
        const reply = await post(more);
        assert.deepEqual([reply.status, reply.body.error.param], [400, param]);
      });

    it('is updated in part, and answers with id and slug', async () => {
      const { body } = await post({ note: 'n', usage_limits: { credit_limit: 5 } });
      const reply = await plane().call('PUT', path(body.slug), { name: 'Other', usage_limits: null });
      assert.deepEqual(reply.body, { id: body.id, slug: body.slug });
      const shown = await get(body.slug);
      assert.deepEqual([shown.name, shown.note, shown.usage_limits], ['Other', 'n', null]);
    });

    it('never moves to another integration', async () => {
      const { body } = await post();
      const before = (await get(body.slug)).integration_id;
      const put = (id: string) => plane().call('PUT', path(body.slug), { integration_id: id });
      const moved = await put(String((await integration()).id));
      assert.deepEqual([moved.status, moved.body.error.param], [400, 'integration_id']);
      const { slug } = (await plane().call('GET', `/integrations/${before}`)).body;
      for (const same of [before, slug]) assert.equal((await put(String(same))).status, 200);
      assert.equal((await get(body.slug)).integration_id, before);
    });

    it('is exhausted until its usage is reset or its budget raised', async () => {
      const { body } = await post({ usage_limits: { credit_limit: 5 } });
      const exhaust = () => plane().db('providers').where({ id: body.id }).update({ status: 'exhausted' });
      const statusAfter = async (change: JsonObject) => {
        await exhaust();
        await plane().call('PUT', path(body.slug), change);
        return (await get(body.slug)).status;
      };
      assert.equal(await statusAfter({ note: 'x' }), 'exhausted');
      assert.equal(await statusAfter({ usage_limits: { credit_limit: 3 } }), 'exhausted');
      assert.equal(await statusAfter({ usage_limits: { credit_limit: 9 } }), 'active');
      assert.equal((await get(body.slug)).last_reset_at, null);
      assert.equal(await statusAfter({ reset_usage: true }), 'active');
      assert.notEqual((await get(body.slug)).last_reset_at, null);
    });

    it('expires by the clock, and lives again with a later date', async () => {
      const { body } = await post({ expires_at: Math.floor(plane().control.now() / 1000) + 3600 });
      plane().control.advance(3_600_000);
      assert.equal((await get(body.slug)).status, 'expired');
      const { expires_at } = (await plane().call('GET', path(body.slug))).body;
      assert.equal((await plane().call('PUT', path(body.slug), { note: 'late', expires_at })).status, 200);
      assert.equal((await get(body.slug)).status, 'expired');
      await plane().call('PUT', path(body.slug), { expires_at: null });
      assert.equal((await get(body.slug)).status, 'active');
    });

    it('is gone when it is removed', async () => {
      const { body } = await post();
      assert.deepEqual((await plane().call('DELETE', path(body.slug))).body, {});
      assert.equal((await plane().call('GET', path(body.slug))).status, 404);
    });

    it('is seen by callers of its own workspace with the permission, and by no others', async () => {
      const { body } = await post();
      const status = async (scopes: readonly string[], workspace: string) =>
        (await plane().call('GET', `/providers/${body.id}`, undefined, caller(scopes, workspace))).status;
      assert.equal(await status(['providers.read'], plane().a), 200);
      assert.equal(await status(['providers.list'], plane().a), 403);
      assert.equal(await status(['providers.read'], plane().b), 404);
    });

    it('stands in the list of its workspace alone, 50 to a page', async () => {
      const { body } = await post();
      const ids = async (workspace: string) =>
        (await plane().call('GET', `/providers?workspace_id=${workspace}&page_size=1000`)).body.data.map(
          (one) => one.id,
        );
      assert.equal((await ids('ws-a')).includes(body.id), true);
      assert.equal((await ids('ws-b')).includes(body.id), false);
    });
  });
});
