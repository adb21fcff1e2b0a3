import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, type JsonObject, standardToggles } from 'portcullis/sdk';
import { makeUser, makeWorkspace, onEachControl } from './tenant.ts';

onEachControl((control) => {
  const directory = () => control().gateway.control?.directory ?? assert.fail();
  const put = (body: JsonObject) => control().ok('PUT', '/v1/organisation', { body });

  describe('what the data plane knows of an organisation', () => {
    it('is no more than what is set', async () => {
      const { id, slug, default_workspace_id } = await control().ok('GET', '/v1/organisation');
      assert.deepEqual(await directory().get('organisation', control().organisationId), {
        organisationId: id,
        id,
        slug,
        name: 'Default organisation',
        security: standardToggles,
        blockInlineConfig: false,
        defaults: {},
        defaultWorkspaceId: default_workspace_id,
      });
    });

    it('is everything that is set, at once', async () => {
      const jwks_url = 'https://login.example.com/keys';
      const api_key = { type: 'object', properties: { team: { type: 'string' } } };
      await put({
        block_inline_config: true,
        settings: { cache_max_age: 600 },
        session_settings: { max_session_ttl: 900 },
        auth_settings: { jwks_url },
        metadata_schemas: { api_key },
        defaults: { metadata: { site: 'x' } },
        security_settings: { membersViewLogs: false },
      });
      const entry = await directory().get('organisation', control().organisationId);
      assert.deepEqual(
        [
          entry?.blockInlineConfig,
          entry?.maxSessionTtl,
          entry?.maxCacheAgeSeconds,
          entry?.jwksUrl,
          entry?.metadataSchema,
          entry?.defaults,
          entry?.security.membersViewLogs,
        ],
        [true, 900, 600, jwks_url, api_key, { metadata: { site: 'x' } }, false],
      );
      await put({
        block_inline_config: false,
        settings: { cache_max_age: 0 },
        security_settings: { membersViewLogs: true },
      });
      assert.equal((await directory().get('organisation', control().organisationId))?.maxCacheAgeSeconds, undefined);
    });

    it('is nothing of one that does not exist', async () =>
      assert.equal(await directory().get('organisation', 'none'), undefined));
  });

  describe('what it knows of a workspace', () => {
    it('is found by id and slug, with its limits and defaults', async () => {
      const { id, slug } = await makeWorkspace(control(), {
        name: '🚀 Growth',
        usage_limits: [{ credit_limit: 10 }],
        rate_limits: [{ type: 'tokens', unit: 'rpm', value: 5 }],
        defaults: { metadata: { team: 'red' } },
      });
      const entry = await directory().get('workspace', control().organisationId, String(slug));
      assert.deepEqual(entry, await directory().get('workspace', control().organisationId, String(id)));
      assert.deepEqual(entry, {
        organisationId: control().organisationId,
        id,
        slug,
        name: 'Growth',
        status: 'active',
        security: standardToggles,
        blockInlineConfig: false,
        defaults: { metadata: { team: 'red' } },
        usageLimits: entry?.usageLimits,
        rateLimits: [{ type: 'tokens', unit: 'rpm', value: 5 }],
      });
      assert.equal(asObject(entry?.usageLimits)?.credit_limit, 10);
    });

    it('says that it is archived', async () => {
      const { id } = await makeWorkspace(control());
      await control().ok('DELETE', `/v1/workspaces/${id}`);
      assert.equal((await directory().get('workspace', control().organisationId, String(id)))?.status, 'archived');
    });

    it('says what logs keep only where that is less than all, or differs from the organisation', async () => {
      const { id } = await makeWorkspace(control());
      const logging = async () => [
        (await directory().get('organisation', control().organisationId))?.requestLogging,
        (await directory().get('workspace', control().organisationId, String(id)))?.requestLogging,
      ];
      assert.deepEqual(await logging(), [undefined, undefined]);
      await put({ settings: { debug_log: 0 } });
      assert.deepEqual(await logging(), ['metrics', undefined]);
      await put({ overrides: { log_settings: true } });
      await control().ok('PUT', `/v1/workspaces/${id}`, { body: { settings: { debug_log: 1 } } });
      assert.deepEqual(await logging(), ['metrics', 'full']);
      await put({ overrides: { log_settings: false }, settings: { debug_log: 1 } });
      assert.deepEqual(await logging(), [undefined, undefined]);
    });

    it('follows the organisation where that blocks inline configs', async () => {
      const { id } = await makeWorkspace(control());
      await put({ block_inline_config: true });
      assert.equal((await directory().get('workspace', control().organisationId, String(id)))?.blockInlineConfig, true);
      await put({ block_inline_config: false });
      assert.equal(
        (await directory().get('workspace', control().organisationId, String(id)))?.blockInlineConfig,
        false,
      );
    });

    it('is not another organisation’s to see', async () => {
      const { id } = await makeWorkspace(control());
      assert.equal(await directory().get('workspace', 'another', String(id)), undefined);
    });
  });

  describe('what it knows of a person', () => {
    it('is the role in the organisation and in each active workspace', async () => {
      const [one, gone] = [await makeWorkspace(control()), await makeWorkspace(control())];
      const workspaces = [one, gone].map(({ id }) => ({ id: String(id), role: 'manager' }));
      const { id, email } = await makeUser(control(), { workspaces });
      await control().ok('DELETE', `/v1/workspaces/${gone.id}`);
      assert.deepEqual(await directory().get('member', control().organisationId, String(id)), {
        organisationId: control().organisationId,
        userId: id,
        email,
        role: 'member',
        security: standardToggles,
        workspaces: [{ id: one.id, slug: one.slug, role: 'manager', security: standardToggles }],
      });
    });

    it('ends when the person leaves', async () => {
      const { id } = await makeUser(control());
      assert.ok(await directory().get('member', control().organisationId, String(id)));
      await control().ok('DELETE', `/v1/users/${id}`);
      assert.equal(await directory().get('member', control().organisationId, String(id)), undefined);
    });

    it('holds the toggles of a workspace that has its own', async () => {
      const { id: workspace } = await makeWorkspace(control());
      const { id } = await makeUser(control(), { workspaces: [{ id: String(workspace), role: 'member' }] });
      await put({ overrides: { security_settings: true } });
      await control().ok('PUT', `/v1/workspaces/${workspace}`, {
        body: { security_settings: { membersViewPrompts: false } },
      });
      const entry = await directory().get('member', control().organisationId, String(id));
      assert.deepEqual(
        [entry?.security.membersViewPrompts, entry?.workspaces[0]?.security.membersViewPrompts],
        [true, false],
      );
    });
  });
});
