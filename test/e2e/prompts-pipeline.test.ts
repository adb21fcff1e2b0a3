import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { completion, statusOf } from '../plugins/cache/serving.ts';
import { chatTemplate, variables } from '../plugins/prompts/run/world.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { furnish } from './control/furnish.ts';
import { until } from './control/processes.ts';
import { refusal } from './control/world.ts';
import { partsOf, world } from './prompts-world.ts';

noUnhandledRejections();

describe('policies for one prompt', () => {
  for (const named of ['slug', 'id'] as const) {
    it(`limit how often it runs, by its ${named}, and nothing else`, async (t) => {
      const { prompt, complete, ask, shop, chat, key } = await world(t);
      const [one, other] = [await prompt(), await prompt()];
      await ask('POST', '/v1/policies/rate-limits', {
        name: 'Not too often',
        workspace_id: shop.workspaceId,
        conditions: [{ key: 'prompt', value: String(one[named]) }],
        group_by: [{ key: 'prompt' }],
        type: 'requests',
        unit: 'rpw',
        value: 2,
      });
      const statuses: number[] = [];
      for (const reference of [one.slug, one.id, `${one.slug}@latest`, other.slug])
        statuses.push((await complete(String(reference))).status);
      statuses.push((await chat(key, { 'x-gw-virtual-key': shop.provider })).status);
      assert.deepEqual(statuses, [200, 200, 429, 200, 200]);
      const refused = refusal(await complete(String(one.slug), { stream: true }), 429);
      assert.match(refused.message, new RegExp(`"Not too often" for prompt:${one.slug}`));
    });

    it(`bound what it may use, by its ${named}, and count it exactly`, async (t) => {
      const { prompt, complete, ask, shop, peer, c } = await world(t);
      const [one, other] = [await prompt(), await prompt()];
      peer.always({
        body: { ...completion('x'), usage: { prompt_tokens: 990, completion_tokens: 10, total_tokens: 1000 } },
      });
      const { id } = await ask('POST', '/v1/policies/usage-limits', {
        name: 'Not too much',
        workspace_id: shop.workspaceId,
        conditions: [{ key: 'prompt', value: String(one[named]) }],
        group_by: [{ key: 'prompt' }],
        type: 'tokens',
        credit_limit: 1000,
      });
      const small = { max_tokens: 10 };
      assert.equal((await complete(String(one.slug), small)).status, 200);
      const counters = c.gateway.control?.counters;
      const name = `budget/policy/${id}/tokens/prompt:${one.slug}`;
      await until('what it has used is settled', 20_000, async () => {
        const [state] = (await counters?.read(c.organisationId, [{ name, start: 0, durable: true }])) ?? [];
        return state?.used === 1000 && state.reserved === 0;
      });
      assert.match(refusal(await complete(String(one.id), small), 412).message, /Not too much/);
      assert.equal((await complete(String(other.slug), small)).status, 200);
      assert.equal(peer.requests.length, 2);
    });
  }
});

describe('a prompt whose replies are kept', () => {
  it('is sent once for equal variables, and answers in one form', async (t) => {
    const { prompt, draft, complete, config, peer, ask } = await world(t);
    const { id, slug } = await prompt();
    let made = 0;
    peer.always(() => {
      made += 1;
      return { body: completion(`reply ${made}`) };
    });
    const headers = await config({ cache: { mode: 'simple' } });
    const run = (more: JsonObject = {}) => complete(String(slug), more, headers);
    const replies = [
      await run(),
      await run(),
      await run({ variables: { ...variables, name: 'Bob' } }),
      await run({ temperature: 0.75 }),
    ];
    assert.deepEqual(replies.map(statusOf), ['MISS', 'HIT', 'MISS', 'MISS']);
    const [first, second] = replies.map(partsOf);
    assert.deepEqual([second?.own, second?.body, second?.status], [first?.own, first?.own, 'success']);
    assert.equal(second?.headers?.['x-gw-trace-id'], replies[1]?.headers.get('x-gw-trace-id'));
    await draft(String(id), { string: chatTemplate.replace('Greet', 'Hail') });
    assert.equal(statusOf(await run()), 'HIT', 'a draft changes nothing');
    await ask('PUT', `/v1/prompts/${slug}/makeDefault`, { version: 2 });
    assert.equal(statusOf(await run()), 'MISS');
    assert.equal(peer.requests.length, 4);
  });
});

describe('who may run a prompt', () => {
  it('has a key of a workspace that may complete', async (t) => {
    const { prompt, c, ask, shop, peer } = await world(t);
    const { slug } = await prompt();
    const run = (key?: string) =>
      c.call('POST', `/v1/prompts/${slug}/completions`, { body: { variables }, key: key ?? '' });
    const made = await ask('POST', '/v1/api-keys/workspace/service', {
      name: 'Only renders',
      workspace_id: shop.workspaceId,
      scopes: ['prompts.render', 'prompts.read'],
    });
    assert.match(refusal(await run(String(made.key)), 403).message, /completions\.write/);
    const everywhere = await c.call('POST', `/v1/prompts/${slug}/completions`, { body: { variables } });
    assert.match(refusal(everywhere, 403).message, /workspace/, 'a key of the organisation with all scopes');
    refusal(await run(c.adminKey), 403);
    refusal(await run('unknown'), 401);
    assert.equal(peer.requests.length, 0);
    const render = (key: string) => c.call('POST', `/v1/prompts/${slug}/render`, { body: { variables }, key });
    assert.equal((await render(String(made.key))).status, 200);
    refusal(await render(shop.key), 403);
  });

  it('may do so where nothing inline is accepted', async (t) => {
    const { prompt, complete, ask, peer, shop } = await world(t);
    const { slug } = await prompt();
    await ask('PUT', '/v1/organisation', { data_plane_security_settings: { block_inline_config: true } });
    assert.equal((await complete(String(slug))).status, 200);
    assert.equal((await complete(String(slug), { model: `@${shop.provider}/gpt-4o-mini` })).status, 200);
    const inline = { 'x-gw-config': JSON.stringify({ provider: `@${shop.provider}` }) };
    assert.equal(refusal(await complete(String(slug), {}, inline), 400).code, 'inline_config_blocked');
    const host = { 'x-gw-custom-host': peer.origin };
    assert.equal(refusal(await complete(String(slug), {}, host), 400).code, 'inline_custom_host_blocked');
    refusal(await complete(String(slug), { model: '@echo/m' }), 400);
    assert.equal(peer.requests.length, 2);
  });
});

describe('a prompt that goes through a config', () => {
  it('falls back to another provider, filled in the same', async (t) => {
    const { prompt, complete, config, peer, ask, shop } = await world(t);
    const { slug } = await prompt();
    const spare = await furnish(ask, peer.origin, 'Spare');
    await ask('PUT', `/v1/integrations/${spare.integration}/workspaces`, {
      workspaces: [{ id: shop.workspaceId, enabled: true, default_provider_slug: 'spare' }],
    });
    const headers = await config({
      strategy: { mode: 'fallback' },
      targets: [{ virtual_key: shop.provider }, { virtual_key: 'spare', override_params: { model: 'gpt-4o-mini' } }],
    });
    peer.next({ status: 503, body: { error: { message: 'away' } } });
    const reply = await complete(String(slug), {}, headers);
    assert.equal(reply.status, 200, reply.text);
    const { status, body, own } = partsOf(reply);
    assert.deepEqual([status, body], ['success', own]);
    const [first, second] = peer.requests;
    assert.deepEqual(
      [first?.headers.authorization, second?.headers.authorization],
      [shop.authorization, spare.authorization],
    );
    assert.deepEqual([first?.body.model, second?.body.model], ['gpt-4o', 'gpt-4o-mini']);
    assert.deepEqual(second?.body.messages, first?.body.messages);
  });

  it('keeps its provider where the config has none, whatever model that puts in', async (t) => {
    const { prompt, complete, config, peer, ask, shop } = await world(t);
    const { slug } = await prompt();
    const headers = await config({ override_params: { model: 'gpt-4o-mini' } });
    const models = async (given?: Record<string, string>) => {
      const reply = await complete(String(slug), {}, given);
      assert.equal(reply.status, 200, reply.text);
      const sent = peer.requests.at(-1);
      assert.equal(sent?.headers.authorization, shop.authorization);
      return sent?.body.model;
    };
    assert.equal(await models(headers), 'gpt-4o-mini');
    await ask('PUT', `/v1/admin/workspaces/${shop.workspaceId}`, {
      defaults: { config_id: headers['x-gw-config'] ?? '' },
    });
    assert.equal(await models(), 'gpt-4o', 'a default is for requests that lead nowhere by themselves');
  });

  it('is run by a key that has a config which nothing may replace', async (t) => {
    const { prompt, ask, shop, c, peer } = await world(t);
    const { slug } = await prompt();
    const { key } = await ask('POST', '/v1/api-keys/workspace/service', {
      name: 'Pinned',
      workspace_id: shop.workspaceId,
      scopes: ['completions.write'],
      defaults: { config_id: shop.config, allow_config_override: false },
    });
    const reply = await c.call('POST', `/v1/prompts/${slug}/completions`, { key: String(key), body: { variables } });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(peer.requests[0]?.body.user, 'config-1');
  });

  it('is tried again, and fails as the provider does', async (t) => {
    const { prompt, complete, config, peer } = await world(t);
    const { slug } = await prompt();
    const headers = await config({ retry: { attempts: 2, on_status_codes: [503] } });
    const away = { status: 503, body: { error: { message: 'away' } } };
    peer.next(away, away);
    const reply = await complete(String(slug), {}, headers);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get('x-gw-retry-attempt-count'), '2');
    peer.next(away, away, away);
    const failed = await complete(String(slug), {}, headers);
    assert.match(refusal(failed, 503).message, /away/);
    assert.equal('body' in failed.json, false);
    assert.equal(peer.requests.length, 6);
  });
});

describe('the explanation of a call of a prompt', () => {
  it('names the prompt, and shows the body as it is filled in', async (t) => {
    const { prompt, draft, c, key, shop, peer } = await world(t);
    const { id, slug } = await prompt();
    await draft(String(id), { string: chatTemplate.replace('Greet', 'Hail') });
    const explain = (reference: string, body: JsonObject = { variables }) =>
      c.gateway.explain({ path: `/v1/prompts/${reference}/completions`, headers: { 'x-gw-api-key': key }, body });
    const report = await explain(`${slug}@latest`);
    assert.equal(report.error, undefined, JSON.stringify(report.error));
    const [target] = report.targets;
    assert.deepEqual(target?.body, {
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: 'You speak Danish.' },
        { role: 'user', content: 'Hail Ada "the first".' },
      ],
      temperature: 0.5,
    });
    assert.equal(target?.url, `${peer.origin}/v1/chat/completions`);
    assert.ok(target?.notes?.includes(`Runs the prompt ${slug}, version 2.`), String(target?.notes));
    assert.equal(JSON.stringify(report).includes(shop.authorization), false);
    assert.deepEqual((await explain('pp-nothing')).error?.code, 'not_found');
    assert.equal((await explain(String(slug), {})).error?.code, 'bad_request');
    assert.equal(peer.requests.length, 0);
  });
});
