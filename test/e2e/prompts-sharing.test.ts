import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { startPromptWorld, variables } from '../plugins/prompts/run/world.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { furnish, integrate } from './control/furnish.ts';
import { refusal } from './control/world.ts';

noUnhandledRejections();

/** A prompt of one workspace that another may run, with a key of its own. */
async function shared(t: TestContext, given: JsonObject = {}) {
  const world = await startPromptWorld(t);
  const { ask, c, peer, prompt } = world;
  const other = await furnish(ask, peer.origin, 'Other');
  const { slug } = await prompt(given);
  await ask('POST', `/v1/prompts/${slug}/share`, { workspaces: [other.workspaceId] });
  return {
    ...world,
    other,
    slug: String(slug),
    run: (body: JsonObject = {}, headers: Readonly<Record<string, string>> = {}) =>
      c.call('POST', `/v1/prompts/${slug}/completions`, { key: other.key, headers, body: { variables, ...body } }),
    /** Gives the other workspace a provider of its own that goes by this slug. */
    provide: async (provider: string) => {
      const secret = 'sk-upstream-secret-of-the-recipient';
      const integration = await integrate(ask, { slug: `int-${provider}-too`, secret, origin: peer.origin });
      await ask('PUT', `/v1/integrations/${integration}/workspaces`, {
        workspaces: [{ id: other.workspaceId, enabled: true }],
        create_default_provider: false,
      });
      await ask('POST', '/v1/providers', {
        name: provider,
        slug: provider,
        integration_id: integration,
        workspace_id: other.workspaceId,
      });
      return `Bearer ${secret}`;
    },
  };
}

describe('a shared prompt that its recipient runs', () => {
  it("goes to the recipient's provider of that slug, with the recipient's credential", async (t) => {
    const { run, provide, shop, peer, complete, slug } = await shared(t);
    const authorization = await provide(shop.provider);
    const reply = await run();
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json.status, 'success');
    await complete(slug);
    assert.deepEqual(
      peer.requests.map(({ headers }) => headers.authorization),
      [authorization, shop.authorization],
    );
    assert.deepEqual(peer.requests[0]?.body, peer.requests[1]?.body);
  });

  it('names the slug where the recipient has no such provider, and sends nothing', async (t) => {
    const { run, shop, peer, other, ask } = await shared(t);
    const message = new RegExp(`"${shop.provider}"`);
    assert.match(refusal(await run(), 400).message, message);
    assert.match(refusal(await run({ stream: true }), 400).message, message);
    const { slug: config } = await ask('POST', '/v1/configs', {
      name: 'Without a provider',
      workspace_id: other.workspaceId,
      config: { override_params: { user: 'u' } },
    });
    assert.match(refusal(await run({}, { 'x-gw-config': String(config) }), 400).message, message);
    assert.equal(peer.requests.length, 0);
  });

  it('is not served by a unit that goes by the slug', async (t) => {
    const { run, peer, other, ask, slug } = await shared(t, { virtual_key: 'echo' });
    assert.match(refusal(await run(), 400).message, /"echo"/);
    for (const config of [{ override_params: { user: 'u' } }, { prompt_id: slug }]) {
      const made = await ask('POST', '/v1/configs', { name: 'Any', workspace_id: other.workspaceId, config });
      assert.match(refusal(await run({}, { 'x-gw-config': String(made.slug) }), 400).message, /"echo"/);
    }
    await ask('PUT', '/v1/organisation', { data_plane_security_settings: { block_inline_config: true } });
    assert.match(refusal(await run(), 400).message, /"echo"/);
    assert.equal(peer.requests.length, 0);
  });

  it('goes where the recipient says instead', async (t) => {
    const { run, peer, other } = await shared(t);
    const ways: readonly (readonly [JsonObject, Record<string, string>])[] = [
      [{}, { 'x-gw-virtual-key': other.provider }],
      [{}, { 'x-gw-provider': `@${other.provider}` }],
      [{}, { 'x-gw-config': other.config }],
      [{ model: `@${other.provider}/gpt-4o` }, {}],
    ];
    for (const [body, headers] of ways) {
      const reply = await run(body, headers);
      assert.equal(reply.status, 200, `${JSON.stringify([body, headers])}: ${reply.text}`);
      const sent = peer.requests.at(-1);
      assert.deepEqual([sent?.headers.authorization, sent?.body.model], [other.authorization, 'gpt-4o']);
    }
    assert.equal(peer.requests.length, ways.length);
  });

  it('is out of reach again when it is no longer shared', async (t) => {
    const { run, provide, shop, peer, ask, slug } = await shared(t);
    await provide(shop.provider);
    assert.equal((await run()).status, 200);
    await ask('DELETE', `/v1/prompts/${slug}/share`);
    assert.match(refusal(await run(), 404).message, new RegExp(slug));
    assert.equal(peer.requests.length, 1);
  });
});
