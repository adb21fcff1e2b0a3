import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { caller, onEachPlane } from './plane.ts';

onEachPlane((plane) => {
  const made = async (): Promise<string> =>
    (await plane().call('POST', '/integrations', { name: 'M', ai_provider_id: 'openai' })).body.id;
  const put = (id: string, body: JsonObject) => plane().call('PUT', `/integrations/${id}/models`, body);
  const get = async (id: string) => (await plane().call('GET', `/integrations/${id}/models`)).body;

  describe('the models of an integration', () => {
    it('are all allowed at first, and none is known', async () => {
      assert.deepEqual(await get(await made()), { total: 0, allow_all_models: true, models: [] });
    });

    it('are enabled, disabled and described', async () => {
      const id = await made();
      const pricing = { type: 'static', pay_as_you_go: { request_token: { price: 0.001 } } };
      const reply = await put(id, {
        allow_all_models: false,
        models: [
          { slug: 'gpt-4o', enabled: true, pricing_config: pricing },
          { slug: 'meta/Mine:1', enabled: false, is_custom: 1, is_finetune: true, base_model_slug: 'gpt-4o' },
        ],
      });
      assert.deepEqual([reply.status, reply.body], [200, {}]);
      const known = {
        name: 'gpt-4o',
        is_custom: false,
        is_finetune: false,
        base_model_slug: null,
        configurations: null,
      };
      assert.deepEqual(await get(id), {
        total: 2,
        allow_all_models: false,
        models: [
          { slug: 'gpt-4o', enabled: true, ...known, pricing_config: pricing },
          {
            slug: 'meta/Mine:1',
            name: 'meta/Mine:1',
            enabled: false,
            is_custom: true,
            is_finetune: true,
            base_model_slug: 'gpt-4o',
            configurations: null,
            pricing_config: null,
          },
        ],
      });
    });

    it('are the same at integration-models', async () => {
      const id = await made();
      const body = { models: [{ slug: 'one', enabled: true }] };
      assert.equal((await plane().call('PUT', `/integrations/${id}/integration-models`, body)).status, 200);
      assert.equal((await plane().call('GET', `/integrations/${id}/integration-models`)).body.total, 1);
    });

    it('keep what a later change leaves out, and clear what it sets to null', async () => {
      const id = await made();
      const configurations = {
        custom_host: 'https://ai.example.com/v1',
        custom_headers: { 'X-Team': 'secret-of-the-team' },
      };
      await put(id, { models: [{ slug: 'm', enabled: true, base_model_slug: 'b', configurations }] });
      await put(id, { models: [{ slug: 'm', enabled: false }] });
      const [kept] = (await get(id)).models;
      assert.deepEqual(
        [kept?.enabled, kept?.base_model_slug, kept?.configurations],
        [false, 'b', { custom_host: 'https://ai.example.com/v1', masked_custom_headers: { 'x-team': 'se*****eam' } }],
      );
      await put(id, { models: [{ slug: 'm', enabled: true, base_model_slug: null, configurations: null }] });
      const [cleared] = (await get(id)).models;
      assert.deepEqual([cleared?.base_model_slug, cleared?.configurations], [null, null]);
    });

    it('get a host of their own, where the stored key goes, from those alone who may change the integration', async () => {
      const families = ['organisation_integrations', 'workspace_integrations'] as const;
      const others = ['list', 'read', 'create', 'delete'].flatMap((verb) => families.map((one) => `${one}.${verb}`));
      const rest = [...others, 'providers.update', 'virtual_keys.update', 'configs.update'];
      const host = { custom_host: 'https://elsewhere.example.com/v1' };
      const models = [{ slug: 'm', enabled: true, configurations: host }];
      for (const [family, place] of [
        ['organisation_integrations', {}],
        ['workspace_integrations', { workspace_id: 'ws-a' }],
      ] as const) {
        const body = { name: 'K', ai_provider_id: 'openai', key: 'sk-stored-0001', ...place };
        const path = `/integrations/${(await plane().call('POST', '/integrations', body)).body.id}`;
        const statuses = async (scopes: readonly string[], workspaceId?: string) => {
          const put = async (at: string, changes: JsonObject) =>
            (await plane().call('PUT', at, changes, caller(scopes, workspaceId))).status;
          return [
            await put(path, { key: 'sk-stored-0002', configurations: host }),
            await put(`${path}/models`, { models }),
            await put(`${path}/integration-models`, { models }),
          ];
        };
        const [other = ''] = families.filter((one) => one !== family);
        assert.deepEqual(await statuses([...rest, `${other}.update`]), [403, 403, 403], family);
        assert.deepEqual(await statuses([`${family}.update`]), [200, 200, 200], family);
        const { a, b } = plane();
        const updates = [`${family}.update`, `${family}.read`];
        for (const workspaceId of [a, b]) {
          const [integration, ...itsModels] = await statuses(updates, workspaceId);
          for (const status of itsModels) assert.equal(status, integration, `${family} in ${workspaceId}`);
        }
      }
    });

    for (const [name, model, param] of [
      ['empty configurations', { configurations: {} }, 'models[0].configurations'],
      ['unknown configurations', { configurations: { region: 'x' } }, 'models[0].configurations.region'],
      [
        'a host that is not called',
        { configurations: { custom_host: 'http://169.254.169.254' } },
        'models[0].configurations.custom_host',
      ],
      [
        'a price below 0',
        { pricing_config: { type: 'static', pay_as_you_go: { a: { price: -1 } } } },
        'models[0].pricing_config.pay_as_you_go.a.price',
      ],
    ] as const)
      it(`refuse ${name}`, async () => {
        const reply = await put(await made(), { models: [{ slug: 'm', enabled: true, ...model }] });
        assert.deepEqual([reply.status, reply.body.error.param], [400, param]);
      });

    const priced = (given: JsonObject): JsonObject => ({
      models: [{ slug: 'm', enabled: true, pricing_config: { type: 'static', pay_as_you_go: given } }],
    });
    for (const [what, prices, message] of [
      ['a quality with no sizes', { image: { default: { price: 1 } } }, /image.*default.*price a size/],
      [
        'a long context without a bound',
        { long_context: { request_token: { price: 1 } } },
        /long_context.*above_input_/,
      ],
      ['a long context of a strange name', { long_context: { above_input_tokens: 1, x: 1 } }, /long_context.* x/],
      ['a request of no unit', { per_request: 5 }, /per_request.*additional_units/],
      ['a request of an unknown unit', { per_request: ['web'] }, /per_request.*additional_units/],
      ['a number as tiers', { tiers: 5 }, /tiers must be an object/],
      ['a tier of a strange name', { tiers: { flex: { x: 1 } } }, /tiers\.flex.* x/],
      ['a region that is a number', { regions: { eu: 2 } }, /regions\.eu must be an object/],
      ['a price in a price', { request_token: { price: { price: 1 } } }, /request_token/],
    ] as const)
      it(`refuse prices that requests could not be charged by: ${what}`, async () => {
        const id = await made();
        const given: JsonObject = { response_token: { price: 1 }, ...prices };
        const { status, body, text } = await put(id, priced(given));
        assert.deepEqual([status, body.error.param], [400, 'models[0].pricing_config.pay_as_you_go'], text);
        assert.match(text, message);
        assert.equal((await get(id)).total, 0);
      });

    it('refuse prices of which none is known', async () => {
      const id = await made();
      for (const given of [{}, { request_tokens: { price: 1 } }, { image: { price: 1 } }, { image: { default: {} } }]) {
        const { status, body, text } = await put(id, priced(given));
        assert.deepEqual([status, body.error.param], [400, 'models[0].pricing_config.pay_as_you_go'], text);
      }
    });

    it('take every price that requests are charged by', async () => {
      const given = {
        request_token: { price: 1 },
        response_text_token: { price: null },
        cache_read_input_token: null,
        unheard_of: 4,
        image: { default: { default: { price: 1 } }, hd: {} },
        additional_units: { web_search: { price: 2 }, thinking_token: 1 },
        per_request: ['web_search'],
        long_context: { above_input_tokens: 200_000, request_token: { price: 2 } },
        tiers: { flex: { multiplier: 0.5 } },
        regions: { eu: { request_token: { price: 3 }, tiers: { flex: { request_token: 1 } } } },
      };
      const id = await made();
      assert.deepEqual((await put(id, priced(given))).status, 200);
      assert.equal((await put(id, { models: [{ slug: 'm', enabled: true, pricing_config: null }] })).status, 200);
      const [cleared] = (await get(id)).models;
      assert.equal((cleared as unknown as JsonObject).pricing_config, null);
    });

    it('refuse one that is named twice, and keep nothing of it', async () => {
      const id = await made();
      const twice = { slug: 'm', enabled: true };
      assert.equal((await put(id, { models: [twice, twice] })).status, 400);
      assert.equal((await get(id)).total, 0);
    });

    for (const how of ['the query', 'the body'] as const)
      it(`are deleted when they are custom, else disabled: named in ${how}`, async () => {
        const id = await made();
        await put(id, {
          models: [
            { slug: 'mine', enabled: true, is_custom: true },
            { slug: 'theirs', enabled: true },
          ],
        });
        const path = `/integrations/${id}/models`;
        const reply =
          how === 'the query'
            ? await plane().call('DELETE', `${path}?slugs=mine,theirs,unheard-of`)
            : await plane().call('DELETE', path, { models: ['mine', 'theirs', 'unheard-of'] });
        assert.equal(reply.status, 200);
        const { models } = await get(id);
        assert.deepEqual(
          models.map((one) => [one.slug, one.enabled]),
          [
            ['theirs', false],
            ['unheard-of', false],
          ],
        );
      });

    it('are not deleted by a call that names none', async () => {
      assert.equal((await plane().call('DELETE', `/integrations/${await made()}/models`)).status, 400);
    });
  });
});
