import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { onEachPlane, type Shown } from './plane.ts';

onEachPlane((plane) => {
  let count = 0;
  const made = async (): Promise<string> => {
    count += 1;
    const body = { name: `G${count}`, ai_provider_id: 'openai', key: 'sk-abcdefghijklmnop' };
    return (await plane().call('POST', '/integrations', body)).body.id;
  };
  const put = (id: string, body: JsonObject) => plane().call('PUT', `/integrations/${id}/workspaces`, body);
  const grants = async (id: string): Promise<readonly Shown[]> =>
    (await plane().call('GET', `/integrations/${id}/workspaces`)).body.workspaces;
  const grantOf = async (id: string, workspace: string) => (await grants(id)).find((one) => one.id === workspace);
  const providers = async (id: string, workspace: string) =>
    (await plane().call('GET', `/providers?workspace_id=${workspace}`)).body.data.filter(
      (one) => one.integration_id === id,
    );
  const budget = (credit_limit: number) => ({
    credit_limit,
    type: 'cost',
    alert_threshold: null,
    periodic_reset: null,
    periodic_reset_days: null,
    next_usage_reset_at: null,
  });

  describe('access of a workspace', () => {
    it('is given by slug or id, with a provider that says where it came from', async () => {
      const id = await made();
      assert.deepEqual((await put(id, { workspaces: [{ id: plane().a, enabled: true }] })).body, {});
      assert.equal((await grantOf(id, 'ws-a'))?.enabled, true);
      const [provider] = await providers(id, 'ws-a');
      assert.equal(provider?.note, 'Created automatically on integration access grant');
      assert.equal((await plane().call('GET', `/integrations/${id}`)).body.workspace_count, 1);
    });

    it('may come without a provider, for one workspace or for all', async () => {
      const id = await made();
      await put(id, {
        create_default_provider: false,
        workspaces: [
          { id: 'ws-a', enabled: true },
          { id: 'ws-b', enabled: true, create_default_provider: true },
        ],
      });
      assert.deepEqual([(await providers(id, 'ws-a')).length, (await providers(id, 'ws-b')).length], [0, 1]);
    });

    it('names its provider as asked, unless the workspace has that name', async () => {
      const [first, second] = [await made(), await made()];
      const body = { workspaces: [{ id: 'ws-a', enabled: true, default_provider_slug: 'chosen' }] };
      await put(first, body);
      assert.equal((await providers(first, 'ws-a'))[0]?.slug, 'chosen');
      const refused = await put(second, body);
      assert.deepEqual([refused.status, refused.body.error.param], [400, 'workspaces[0].default_provider_slug']);
      assert.deepEqual(await grants(second), []);
    });

    it('is taken and given again without a second provider', async () => {
      const id = await made();
      for (const enabled of [true, false, true]) await put(id, { workspaces: [{ id: 'ws-a', enabled }] });
      assert.equal((await providers(id, 'ws-a')).length, 1);
    });

    it('has limits: one object or a list, kept when absent, cleared by null', async () => {
      const id = await made();
      const rate = { type: 'requests', unit: 'rpm', value: 5 };
      const change = (more: JsonObject) => put(id, { workspaces: [{ id: 'ws-a', enabled: true, ...more }] });
      await change({ usage_limits: { credit_limit: 5 }, rate_limits: [rate] });
      await change({});
      const kept = await grantOf(id, 'ws-a');
      assert.deepEqual([kept?.usage_limits, kept?.rate_limits], [[budget(5)], [rate]]);
      await change({ usage_limits: null });
      const cleared = await grantOf(id, 'ws-a');
      assert.deepEqual([cleared?.usage_limits, cleared?.rate_limits], [null, [rate]]);
    });

    it('refuses limits out of bounds, a second rate limit, and strangers', async () => {
      const id = await made();
      const rate = { type: 'requests', unit: 'rpm', value: 5 };
      const status = async (more: JsonObject) =>
        (await put(id, { workspaces: [{ id: 'ws-a', enabled: true, ...more }] })).status;
      assert.equal(await status({ usage_limits: [{ credit_limit: 5, alert_threshold: 6 }] }), 400);
      assert.equal(await status({ rate_limits: [rate, { ...rate, unit: 'rpd' }] }), 400);
      assert.equal(await status({ id: 'ws-nowhere' }), 404);
      assert.equal((await put(id, { workspaces: [] })).status, 400);
    });

    it('works again after a reset, and after its budget is raised', async () => {
      const id = await made();
      const change = (more: JsonObject) => put(id, { workspaces: [{ id: 'ws-a', enabled: true, ...more }] });
      const exhaust = () =>
        plane().db('integration_workspaces').where({ integration_id: id }).update({ status: 'exhausted' });
      await change({ usage_limits: [{ credit_limit: 5 }] });
      await exhaust();
      await change({ usage_limits: [{ credit_limit: 4 }] });
      assert.equal((await grantOf(id, 'ws-a'))?.status, 'exhausted');
      await change({ usage_limits: [{ credit_limit: 6 }] });
      assert.equal((await grantOf(id, 'ws-a'))?.status, 'active');
      await exhaust();
      await change({ reset_usage: true });
      const reset = await grantOf(id, 'ws-a');
      assert.equal(reset?.status, 'active');
      assert.equal(typeof reset?.last_reset_at, 'number');
    });

    it('is none of an integration that belongs to a workspace', async () => {
      const body = { name: 'Own', ai_provider_id: 'openai', workspace_id: 'ws-a' };
      const { id } = (await plane().call('POST', '/integrations', body)).body;
      assert.equal((await put(id, { workspaces: [{ id: 'ws-b', enabled: true }] })).status, 400);
    });
  });

  describe('access of every workspace', () => {
    it('reaches those without a grant of their own, and leaves the others', async () => {
      const id = await made();
      await put(id, { workspaces: [{ id: 'ws-a', enabled: false }] });
      await put(id, { global_workspace_access: { enabled: true, usage_limits: [{ credit_limit: 9 }] } });
      const [a, b] = [await grantOf(id, 'ws-a'), await grantOf(id, 'ws-b')];
      assert.deepEqual([a?.enabled, b?.enabled, b?.usage_limits], [false, true, [budget(9)]]);
      const detail = (await plane().call('GET', `/integrations/${id}`)).body;
      assert.deepEqual(detail.global_workspace_access_settings, {
        enabled: true,
        usage_limits: [budget(9)],
        rate_limits: [],
      });
    });

    it('overrides the others on request', async () => {
      const id = await made();
      await put(id, { workspaces: [{ id: 'ws-a', enabled: false }] });
      await put(id, {
        workspaces: [],
        global_workspace_access: { enabled: true },
        override_existing_workspace_access: true,
      });
      assert.equal((await grantOf(id, 'ws-a'))?.enabled, true);
    });

    it('is left as it is by a call that only names workspaces, override or not', async () => {
      const id = await made();
      await put(id, { workspaces: [{ id: 'ws-a', enabled: true }] });
      await put(id, { workspaces: [{ id: 'ws-b', enabled: true }], override_existing_workspace_access: true });
      assert.equal((await grantOf(id, 'ws-a'))?.enabled, true);
    });

    for (const member of ['override_existing_workspace_access', 'override_existing_workspaces_access']) {
      it(`is taken from all by ${member} that names none`, async () => {
        const id = await made();
        await put(id, { workspaces: [{ id: 'ws-a', enabled: true }] });
        await put(id, { workspaces: [], [member]: true });
        assert.equal((await grantOf(id, 'ws-a'))?.enabled, false);
      });
    }

    it('yields to what the same call says of one workspace', async () => {
      const id = await made();
      await put(id, {
        global_workspace_access: { enabled: true },
        workspaces: [{ id: 'ws-a', enabled: false }],
      });
      assert.deepEqual([(await grantOf(id, 'ws-a'))?.enabled, (await grantOf(id, 'ws-b'))?.enabled], [false, true]);
    });

    it('reaches a new workspace, unless it has ended', async () => {
      const [open, ended] = [await made(), await made()];
      for (const id of [open, ended]) await put(id, { global_workspace_access: { enabled: true } });
      await put(ended, { global_workspace_access: { enabled: false } });
      await plane().call('POST', '/workspaces', { name: 'New', slug: `ws-new-${open.slice(0, 8)}` });
      const slug = `ws-new-${open.slice(0, 8)}`;
      assert.equal((await grantOf(open, slug))?.enabled, true);
      assert.equal((await providers(open, slug)).length, 1);
      assert.equal(await grantOf(ended, slug), undefined);
    });
  });

  describe('a workspace that is removed', () => {
    it('takes its grants along, and what it owns blocks the removal', async () => {
      const id = await made();
      await plane().call('POST', '/workspaces', { name: 'Short', slug: 'ws-short' });
      await put(id, { workspaces: [{ id: 'ws-short', enabled: true }] });
      assert.equal((await plane().call('DELETE', '/workspaces/ws-short')).status, 409);
      assert.equal((await plane().call('DELETE', '/workspaces/ws-short', { force_delete: true })).status, 200);
      assert.deepEqual(await grants(id), []);
    });

    it('takes its own integrations and virtual keys along, and their credentials', async () => {
      await plane().call('POST', '/workspaces', { name: 'Full', slug: 'ws-full' });
      const own = { name: 'Own', ai_provider_id: 'openai', key: 'sk-abcdefghijklmnop', workspace_id: 'ws-full' };
      const { id } = (await plane().call('POST', '/integrations', own)).body;
      const key = { name: 'K', provider: 'openai', key: 'sk-abcdefghijklmnop', workspace_id: 'ws-full' };
      const virtual = (await plane().call('POST', '/virtual-keys', key)).body;
      const { integration_id } = (await plane().call('GET', `/virtual-keys/${virtual.id}`)).body;
      assert.equal((await plane().call('DELETE', '/workspaces/ws-full', { force_delete: true })).status, 200);
      const rows = await plane().db('integrations').whereIn('id', [id, integration_id]);
      assert.deepEqual(
        rows.map(({ status, sealed }) => [status, sealed]),
        [
          ['archived', null],
          ['archived', null],
        ],
      );
      assert.equal((await plane().db('providers').whereIn('integration_id', [id, integration_id])).length, 0);
    });
  });
});
