import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { caller, onEachPlane } from './plane.ts';

onEachPlane((plane) => {
  let count = 0;
  const reference = async (more: JsonObject = {}): Promise<string> => {
    count += 1;
    return plane().reference(`ref-${count}`, more);
  };
  const post = (secret_mappings: readonly JsonObject[], more: JsonObject = {}) =>
    plane().call('POST', '/integrations', { name: 'S', ai_provider_id: 'openai', secret_mappings, ...more });
  const mapping = (secret_reference_id: string, more: JsonObject = {}) => ({
    target_field: 'key',
    secret_reference_id,
    ...more,
  });

  describe('secret mappings', () => {
    it('are kept with the id of the reference and a full field name', async () => {
      const slug = await reference();
      const id = (await plane().call('GET', `/secret-references/${slug}`)).body.id;
      const { body } = await post([
        mapping(slug),
        { target_field: 'openai_organization', secret_reference_id: id, secret_key: 'org' },
      ]);
      assert.deepEqual((await plane().call('GET', `/integrations/${body.id}`)).body.secret_mappings, [
        { target_field: 'key', secret_reference_id: id, secret_key: null, value_format: 'string' },
        {
          target_field: 'configurations.openai_organization',
          secret_reference_id: id,
          secret_key: 'org',
          value_format: 'string',
        },
      ]);
    });

    it('reach the data plane as settings of the unit', async () => {
      const slug = await reference();
      const { id } = (await plane().call('GET', `/secret-references/${slug}`)).body;
      await post([mapping(slug, { secret_key: 'k' })], { workspace_id: 'ws-a', default_provider_slug: 'mapped' });
      const entry = await plane().load('provider', plane().organisationId, plane().a, 'mapped');
      assert.deepEqual(entry?.secrets, [
        { setting: 'api_key', referenceId: id, referenceSlug: slug, key: 'k', format: 'string' },
      ]);
      assert.deepEqual(entry?.settings, {});
    });

    it('spare a configuration that the provider needs', async () => {
      const slug = await reference();
      const azure = {
        ai_provider_id: 'azure-openai',
        configurations: {
          azure_auth_mode: 'default',
          azure_deployment_config: [
            { azure_deployment_name: 'd', azure_api_version: 'v1', azure_model_slug: 'gpt-4o' },
          ],
        },
      };
      assert.equal((await post([], azure)).status, 400);
      assert.equal((await post([mapping(slug, { target_field: 'azure_resource_name' })], azure)).status, 200);
    });

    for (const [name, more, param] of [
      ['a field that is none', { target_field: 'configurations.nothing' }, 'secret_mappings[0].target_field'],
      ['a host', { target_field: 'configurations.custom_host' }, 'secret_mappings[0].target_field'],
      ['an unknown format', { value_format: 'xml' }, 'secret_mappings[0].value_format'],
      ['an empty key', { secret_key: '' }, 'secret_mappings[0].secret_key'],
      ['a reference that is not there', { secret_reference_id: 'nowhere' }, 'secret_mappings[0].secret_reference_id'],
    ] as const)
      it(`refuse ${name}`, async () => {
        const reply = await post([{ ...mapping(await reference()), ...more }]);
        assert.deepEqual([reply.status, reply.body.error.param], [400, param]);
      });

    it('refuse the same field twice, also under its short name', async () => {
      const slug = await reference();
      const reply = await post([
        mapping(slug, { target_field: 'openai_organization' }),
        mapping(slug, { target_field: 'configurations.openai_organization' }),
      ]);
      assert.deepEqual([reply.status, reply.body.error.param], [400, 'secret_mappings[1].target_field']);
    });

    it('refuse text where the field is an object', async () => {
      const vertex = {
        ai_provider_id: 'vertex-ai',
        configurations: { vertex_auth_type: 'serviceAccount', vertex_region: 'r' },
      };
      const target = { target_field: 'vertex_service_account_json' };
      const slug = await reference();
      assert.equal((await post([mapping(slug, target)], vertex)).status, 400);
      assert.equal((await post([mapping(slug, { ...target, value_format: 'json' })], vertex)).status, 200);
    });

    it('refuse a reference that is not open to the workspace', async () => {
      const slug = await reference({ allowed_workspaces: [plane().b] });
      const status = async (workspace_id: string) => (await post([mapping(slug)], { workspace_id })).status;
      assert.deepEqual([await status('ws-a'), await status('ws-b')], [400, 200]);
    });

    it('keep an integration from workspaces that the reference is not open to', async () => {
      const { body } = await post([mapping(await reference({ allowed_workspaces: [plane().b] }))]);
      const grant = (id: string) =>
        plane().call('PUT', `/integrations/${body.id}/workspaces`, { workspaces: [{ id, enabled: true }] });
      assert.deepEqual([(await grant('ws-a')).status, (await grant('ws-b')).status], [400, 200]);
    });

    it('keep the reference from being removed, until they are gone', async () => {
      const slug = await reference();
      const { body } = await post([mapping(slug)]);
      const remove = async () => (await plane().call('DELETE', `/secret-references/${slug}`)).status;
      assert.equal(await remove(), 400);
      await plane().call('PUT', `/integrations/${body.id}`, { secret_mappings: null });
      assert.equal(await remove(), 200);
    });

    it('of a virtual key are shown under model_config', async () => {
      const mappings = [mapping(await reference(), { target_field: 'model_config.openai_organization' })];
      const key = { name: 'V', provider: 'openai', workspace_id: 'ws-a', secret_mappings: mappings };
      const { id } = (await plane().call('POST', '/virtual-keys', key)).body;
      const shown = (await plane().call('GET', `/virtual-keys/${id}`)).body;
      assert.equal(shown.secret_mappings[0]?.target_field, 'model_config.openai_organization');
    });
  });

  describe('what a secret reference holds', () => {
    const elsewhere = { custom_host: 'https://elsewhere.example.com/v1' };
    const families = ['create', 'update'].flatMap((verb) => [
      `organisation_integrations.${verb}`,
      `workspace_integrations.${verb}`,
      `virtual_keys.${verb}`,
    ]);
    /** May change integrations, and not manage secret references. */
    const team = () => caller(families, plane().a);
    const organisation = caller([...families, 'secret_references.read', 'secret_references.list']);
    const admin = caller([...families, 'secret_references.update']);
    const told = ({ status, body }: Awaited<ReturnType<typeof post>>) => [status, body.error?.param];

    const inTeam = async (more: JsonObject = {}) => {
      const reply = await post([mapping(await reference())], { workspace_id: 'ws-a', ...more });
      assert.equal(reply.status, 200, reply.text);
      return `/integrations/${reply.body.slug}`;
    };

    it('goes to the hosts of the vendor for whoever makes integrations', async () => {
      const create = async (more: JsonObject) =>
        plane().call(
          'POST',
          '/integrations',
          { name: 'S', ai_provider_id: 'openai', secret_mappings: [mapping(await reference())], ...more },
          team(),
        );
      assert.equal((await create({})).status, 200);
      const deployment = { azure_deployment_name: 'd', azure_api_version: 'v1', azure_model_slug: 'gpt-4o' };
      const configurations = {
        azure_auth_mode: 'default',
        azure_resource_name: 'ours',
        azure_deployment_config: [deployment],
      };
      assert.equal((await create({ ai_provider_id: 'azure-openai', configurations })).status, 200);
    });

    it('goes to a chosen host for those alone who manage references', async () => {
      const body = { name: 'S', ai_provider_id: 'openai', secret_mappings: [mapping(await reference())] };
      const create = (as: ReturnType<typeof caller>) =>
        plane().call('POST', '/integrations', { ...body, configurations: elsewhere }, as);
      for (const as of [team(), organisation])
        assert.deepEqual(told(await create(as)), [403, 'configurations.custom_host']);
      assert.equal((await create(admin)).status, 200);
      const key = { ...body, provider: 'openai', customHost: elsewhere.custom_host };
      const made = await plane().call('POST', '/virtual-keys', key, team());
      assert.deepEqual(told(made), [403, 'configurations.custom_host']);
    });

    it('does not follow an integration to another host', async () => {
      const path = await inTeam();
      const move = (as: ReturnType<typeof caller>) => plane().call('PUT', path, { configurations: elsewhere }, as);
      assert.deepEqual(told(await move(team())), [403, 'configurations.custom_host']);
      const tried = await plane().call('POST', `${path}/test`, { configurations: elsewhere }, team());
      assert.deepEqual(told(tried), [403, 'configurations.custom_host']);
      assert.equal((await plane().call('GET', path)).body.configurations?.custom_host, undefined);
      assert.equal((await move(admin)).status, 200);
      // What stays as those have set it is nobody else's choice.
      const same = { name: 'Renamed', configurations: elsewhere };
      assert.equal((await plane().call('PUT', path, same, team())).status, 200);
      assert.equal((await plane().call('PUT', path, { ...same, secret_mappings: null }, team())).status, 200);
    });

    it('is not mapped into an integration that has another host', async () => {
      const body = { name: 'S', ai_provider_id: 'openai', key: 'sk-plain-0001', workspace_id: 'ws-a' };
      const path = `/integrations/${(await plane().call('POST', '/integrations', { ...body, configurations: elsewhere })).body.slug}`;
      const secret_mappings = [mapping(await reference())];
      const map = (as: ReturnType<typeof caller>) => plane().call('PUT', path, { secret_mappings }, as);
      assert.deepEqual(told(await map(team())), [403, 'secret_mappings[0].secret_reference_id']);
      assert.equal((await map(admin)).status, 200);
    });

    it('goes to no host of a model either, whichever of the two is set first', async () => {
      const path = await inTeam();
      const models = [{ slug: 'gpt-4o', enabled: true, configurations: elsewhere }];
      const host = (at: string, as: ReturnType<typeof caller>) => plane().call('PUT', `${at}/models`, { models }, as);
      assert.deepEqual(told(await host(path, team())), [403, 'models[0].configurations.custom_host']);
      assert.equal((await host(path, admin)).status, 200);
      assert.equal((await host(path, team())).status, 200);
      const plain = { name: 'S', ai_provider_id: 'openai', key: 'sk-plain-0001', workspace_id: 'ws-a' };
      const other = `/integrations/${(await plane().call('POST', '/integrations', plain)).body.slug}`;
      assert.equal((await host(other, team())).status, 200);
      const mapped = await plane().call('PUT', other, { secret_mappings: [mapping(await reference())] }, team());
      assert.deepEqual(told(mapped), [403, 'secret_mappings[0].secret_reference_id']);
    });

    it('says no host by itself for those who do not manage references', async () => {
      const body = {
        name: 'S',
        ai_provider_id: 'azure-ai',
        secret_mappings: [
          mapping(await reference()),
          mapping(await reference(), { target_field: 'configurations.azure_foundry_url' }),
        ],
      };
      const create = (as: ReturnType<typeof caller>) => plane().call('POST', '/integrations', body, as);
      assert.deepEqual(told(await create(team())), [403, 'configurations.azure_foundry_url']);
      assert.equal((await create(admin)).status, 200);
    });
  });
});
