import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { caller, onEachPlane } from './plane.ts';

const openai = (name: string) => ({ name, ai_provider_id: 'openai', key: 'sk-abcdefghijklmnop' });

onEachPlane((plane) => {
  describe('an integration', () => {
    it('is created in the organisation, or in the workspace that is named', async () => {
      const shared = await plane().call('POST', '/integrations', openai('Shared'));
      const own = await plane().call('POST', '/integrations', { ...openai('Own'), workspace_id: 'ws-a' });
      assert.deepEqual([shared.status, own.status], [200, 200]);
      const get = async (slug: string) => (await plane().call('GET', `/integrations/${slug}`)).body;
      assert.deepEqual(
        [(await get(shared.body.slug)).workspace_id, (await get(shared.body.slug)).type],
        [null, 'organisation'],
      );
      assert.deepEqual(
        [(await get(own.body.id)).workspace_id, (await get(own.body.id)).type],
        [plane().a, 'workspace'],
      );
    });

    it('shows the mask of its key, and no key', async () => {
      const { body } = await plane().call('POST', '/integrations', openai('Masked'));
      const shown = await plane().call('GET', `/integrations/${body.slug}`);
      assert.equal(shown.body.masked_key, 'sk*****nop');
      assert.equal('key' in shown.body, false);
      assert.doesNotMatch(shown.text, /abcdefghij/);
    });

    it('takes a slug of its own, once in the organisation', async () => {
      const first = await plane().call('POST', '/integrations', { ...openai('Slug'), slug: 'my_slug' });
      assert.equal(first.body.slug, 'my_slug');
      const second = await plane().call('POST', '/integrations', { ...openai('Slug'), slug: 'my_slug' });
      assert.deepEqual([second.status, second.body.error.code], [409, 'AB07']);
      assert.match(second.text, /One such integration with the slug \\"[a-zA-Z0-9_-]+\\" is there already\./);
    });

    for (const [name, change, param] of [
      ['a slug with a dot', { slug: 'a.b' }, 'slug'],
      ['a name of 256 characters', { name: 'n'.repeat(256) }, 'name'],
      ['a provider that nobody knows', { ai_provider_id: 'opnai' }, 'ai_provider_id'],
      ['a multiplier that there is not', { pricing_adjustments: { multiplier: { tokens: 1 } } }, 'pricing_adjustments'],
      ['a negative multiplier', { pricing_adjustments: { multiplier: { default: -1 } } }, 'pricing_adjustments'],
      ['an adjustment that there is not', { pricing_adjustments: { factor: 1 } }, 'pricing_adjustments'],
      ['a tag that is no text', { tags: { a: 1 } }, 'tags'],
      ['a host that is not called', { configurations: { custom_host: 'http://169.254.169.254/' } }, 'configurations'],
    ] as const)
      it(`refuses ${name}`, async () => {
        const reply = await plane().call('POST', '/integrations', { ...openai('Refused'), ...change });
        assert.equal(reply.status, 400);
        assert.match(String(reply.body.error.param), new RegExp(`^${param}`));
      });

    it('keeps an alias of its provider as it was written', async () => {
      const { body } = await plane().call('POST', '/integrations', { ...openai('Alias'), ai_provider_id: 'open-ai' });
      assert.equal((await plane().call('GET', `/integrations/${body.slug}`)).body.ai_provider_id, 'open-ai');
    });

    it('gives up its credentials to no other host: they have to be given again', async () => {
      const { body } = await plane().call('POST', '/integrations', openai('Stays'));
      const path = `/integrations/${body.slug}`;
      const moved = { configurations: { custom_host: 'https://elsewhere.example.com/v1' } };
      const refused = await plane().call('PUT', path, moved);
      assert.deepEqual([refused.status, refused.body.error.param], [400, 'key']);
      assert.equal((await plane().call('PUT', path, { ...moved, key: 'sk-for-elsewhere' })).status, 200);
      // What stays where it is needs nothing.
      assert.equal((await plane().call('PUT', path, { ...moved, name: 'Renamed' })).status, 200);
    });

    it('never changes its provider', async () => {
      const { body } = await plane().call('POST', '/integrations', openai('Fixed'));
      const put = (ai_provider_id: string) =>
        plane().call('PUT', `/integrations/${body.slug}`, { ai_provider_id, name: 'Renamed' });
      const reply = await put('anthropic');
      assert.deepEqual([reply.status, reply.body.error.param], [400, 'ai_provider_id']);
      assert.equal((await put('openai')).status, 200);
      const { ai_provider_id, name } = (await plane().call('GET', `/integrations/${body.slug}`)).body;
      assert.deepEqual([ai_provider_id, name], ['openai', 'Renamed']);
    });

    it('keeps what an update leaves out and clears what it sets to null', async () => {
      const { body } = await plane().call('POST', '/integrations', {
        ...openai('Merged'),
        description: 'first',
        tags: { team: 'a' },
        pricing_adjustments: { multiplier: { default: 1.5, request_token: null } },
        configurations: { openai_organization: 'org', custom_headers: { 'x-tenant': 'tenant-secret-value' } },
      });
      const path = `/integrations/${body.slug}`;
      const updated = await plane().call('PUT', path, {
        description: null,
        configurations: { openai_project: 'p', openai_organization: null },
      });
      assert.deepEqual([updated.status, updated.body], [200, {}]);
      const shown = (await plane().call('GET', path)).body;
      assert.deepEqual(
        [shown.description, shown.tags, shown.configurations, shown.pricing_adjustments, shown.masked_key],
        [
          null,
          { team: 'a' },
          { openai_project: 'p', masked_custom_headers: { 'x-tenant': 'te*****lue' } },
          { multiplier: { default: 1.5, request_token: null } },
          'sk*****nop',
        ],
      );
      await plane().call('PUT', path, { key: null, tags: null });
      const cleared = (await plane().call('GET', path)).body;
      assert.deepEqual([cleared.masked_key, cleared.tags], [null, null]);
    });

    it('is archived by removal, frees its slug, and forgets its credentials', async () => {
      const { body } = await plane().call('POST', '/integrations', { ...openai('Gone'), slug: 'gone' });
      assert.deepEqual((await plane().call('DELETE', '/integrations/gone')).body, {});
      assert.equal((await plane().call('GET', `/integrations/${body.id}`)).status, 404);
      const row = await plane().db('integrations').where({ id: body.id }).first();
      assert.deepEqual([row.status, row.sealed], ['archived', null]);
      assert.equal((await plane().call('POST', '/integrations', { ...openai('Gone'), slug: 'gone' })).status, 200);
    });
  });

  describe('the provider that comes with an integration of a workspace', () => {
    const providersOf = async (integration: string) =>
      (await plane().call('GET', '/providers?workspace_id=ws-a')).body.data.filter(
        (one) => one.integration_id === integration,
      );

    it('is made by itself', async () => {
      const { body } = await plane().call('POST', '/integrations', { ...openai('With one'), workspace_id: 'ws-a' });
      assert.equal((await providersOf(body.id)).length, 1);
    });

    it('is left out on request', async () => {
      const given = { ...openai('Without'), workspace_id: 'ws-a', create_default_provider: false };
      const { body } = await plane().call('POST', '/integrations', given);
      assert.deepEqual(await providersOf(body.id), []);
    });

    it('gets the slug that is given, and nothing is made when that is taken', async () => {
      const given = { ...openai('Named'), workspace_id: 'ws-a', default_provider_slug: 'named-one' };
      const { body } = await plane().call('POST', '/integrations', given);
      assert.equal((await providersOf(body.id))[0]?.slug, 'named-one');
      const again = await plane().call('POST', '/integrations', { ...given, slug: 'named-again' });
      assert.deepEqual([again.status, again.body.error.param], [400, 'default_provider_slug']);
      assert.equal((await plane().call('GET', '/integrations/named-again')).status, 404);
    });
  });

  describe('the list of integrations', () => {
    const slugs = async (query: string, as?: ReturnType<typeof caller>) =>
      (await plane().call('GET', `/integrations${query}`, undefined, as)).body.data.map((one) => one.slug);

    it('has those of the organisation and of workspaces, by type, without the archived ones', async () => {
      await plane().call('POST', '/integrations', { ...openai('L'), slug: 'l-org' });
      await plane().call('POST', '/integrations', { ...openai('L'), slug: 'l-ws', workspace_id: 'ws-b' });
      await plane().call('POST', '/integrations', { ...openai('L'), slug: 'l-gone' });
      await plane().call('DELETE', '/integrations/l-gone');
      const all = await slugs('');
      assert.deepEqual(
        ['l-org', 'l-ws', 'l-gone'].map((slug) => all.includes(slug)),
        [true, true, false],
      );
      assert.equal((await slugs('?type=organisation')).includes('l-ws'), false);
      assert.equal((await slugs('?type=workspace')).includes('l-org'), false);
      assert.equal((await plane().call('GET', '/integrations?type=mine')).status, 400);
    });

    it('of a workspace has its own and those that are shared with it', async () => {
      await plane().call('POST', '/integrations', { ...openai('S'), slug: 's-shared' });
      await plane().call('POST', '/integrations', { ...openai('S'), slug: 's-other', workspace_id: 'ws-a' });
      await plane().call('PUT', '/integrations/s-shared/workspaces', { workspaces: [{ id: 'ws-b', enabled: true }] });
      const seen = await slugs('?workspace_id=ws-b');
      assert.deepEqual([seen.includes('s-shared'), seen.includes('s-other')], [true, false]);
      const bound = caller(['organisation_integrations.list', 'workspace_integrations.list'], plane().b);
      assert.deepEqual(await slugs('', bound), seen);
    });

    it('leaves out the type whose permission is missing', async () => {
      const bound = caller(['workspace_integrations.list'], plane().b);
      assert.equal((await slugs('', bound)).includes('s-shared'), false);
    });

    it('comes in pages', async () => {
      const first = (await plane().call('GET', '/integrations?page_size=1&current_page=0')).body;
      const second = (await plane().call('GET', '/integrations?page_size=1&current_page=1')).body;
      assert.equal(first.data.length, 1);
      assert.notEqual(first.data[0]?.id, second.data[0]?.id);
      assert.equal(first.total, second.total);
    });
  });

  describe('the permissions of integrations', () => {
    it('are two families: one does not open the other', async () => {
      const { body: shared } = await plane().call('POST', '/integrations', openai('P'));
      const { body: own } = await plane().call('POST', '/integrations', { ...openai('P'), workspace_id: 'ws-a' });
      const all = ['list', 'read', 'create', 'update', 'delete'];
      const ofWorkspaces = caller(all.map((verb) => `workspace_integrations.${verb}`));
      const status = async (method: string, path: string, body?: Record<string, string | boolean>) =>
        (await plane().call(method, path, body, ofWorkspaces)).status;
      assert.equal(await status('GET', `/integrations/${shared.slug}`), 403);
      assert.equal(await status('GET', `/integrations/${own.slug}`), 200);
      assert.equal(await status('POST', '/integrations', openai('P2')), 403);
      assert.equal(await status('PUT', `/integrations/${shared.slug}/models`, { allow_all_models: false }), 403);
      assert.equal(await status('GET', `/integrations/${shared.slug}/workspaces`), 403);
      assert.equal(await status('PUT', `/integrations/${own.slug}/models`, { allow_all_models: false }), 200);
    });

    it('do not reach other workspaces and other organisations', async () => {
      const { body: own } = await plane().call('POST', '/integrations', { ...openai('Q'), workspace_id: 'ws-a' });
      const inB = caller(['workspace_integrations.read'], plane().b);
      const elsewhere = caller(['organisation_integrations.read', 'workspace_integrations.read'], undefined, 'other');
      assert.equal((await plane().call('GET', `/integrations/${own.id}`, undefined, inB)).status, 404);
      assert.equal((await plane().call('GET', `/integrations/${own.id}`, undefined, elsewhere)).status, 404);
    });
  });
});
