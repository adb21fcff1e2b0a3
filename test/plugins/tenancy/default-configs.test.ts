import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { makeWorkspace, onEachControl } from './tenant.ts';

onEachControl(
  (control) => {
    const makeConfig = (workspace_id: JsonObject[string] | undefined) =>
      control().ok('POST', '/v1/configs', {
        body: { name: 'Fast', config: { retry: { attempts: 3 } }, workspace_id: String(workspace_id) },
      });
    const defaultOf = async (id: JsonObject[string] | undefined) =>
      asObject((await control().ok('GET', `/v1/workspaces/${id}`)).defaults)?.user_api_key_config;
    const setDefault = (id: JsonObject[string] | undefined, user_api_key_config: string | null) =>
      control().call('PUT', `/v2/workspaces/${id}`, { body: { defaults: { user_api_key_config } } });

    describe('the config that new keys of a workspace start with', () => {
      it('is set by id or slug, shown by its slug, and cleared by null', async () => {
        const { id } = await makeWorkspace(control());
        const config = await makeConfig(id);
        for (const named of [String(config.id), String(config.slug)]) {
          assert.equal((await setDefault(id, named)).status, 200);
          assert.equal(await defaultOf(id), config.slug);
          assert.equal((await setDefault(id, null)).status, 200);
          assert.equal(await defaultOf(id), null);
        }
      });

      it('is one of the workspace itself', async () => {
        const { id } = await makeWorkspace(control());
        const config = await makeConfig((await makeWorkspace(control())).id);
        const reply = await setDefault(id, String(config.id));
        assert.equal(reply.status, 400);
        assert.equal(asObject(reply.json.error)?.param, 'defaults.user_api_key_config');
      });

      it('is not removed until it is cleared', async () => {
        const { id } = await makeWorkspace(control());
        const config = await makeConfig(id);
        await setDefault(id, String(config.id));
        for (const query of ['', '?force=true'])
          assert.equal((await control().call('DELETE', `/v1/configs/${config.id}${query}`)).status, 409);
        await setDefault(id, null);
        assert.equal((await control().call('DELETE', `/v1/configs/${config.id}`)).status, 200);
      });

      it('goes with its workspace when that is removed by force, and keeps it otherwise', async () => {
        const { id } = await makeWorkspace(control());
        const config = await makeConfig(id);
        await setDefault(id, String(config.id));
        assert.equal((await control().call('DELETE', `/v1/workspaces/${id}`)).status, 409);
        const forced = await control().call('DELETE', `/v1/workspaces/${id}`, { body: { force_delete: true } });
        assert.equal(forced.status, 200, forced.text);
      });
    });

    describe('the config that an organisation starts with', () => {
      it('is one that exists', async () => {
        const config = await makeConfig((await makeWorkspace(control())).id);
        const put = (config_id: string) => control().call('PUT', '/v1/organisation/defaults', { body: { config_id } });
        assert.equal((await put('pc-none')).status, 400);
        assert.equal((await put(String(config.id))).json.config_id, config.slug);
      });
    });
  },
  { plugins: ['tenancy', 'configs'] },
);
