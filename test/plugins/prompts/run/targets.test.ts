import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { messages, refusal } from '../../../e2e/control/world.ts';
import { noUnhandledRejections } from '../../../support/rejections.ts';
import { chatTemplate, startPromptWorld, variables } from './world.ts';

noUnhandledRejections();

const contents = (body: JsonObject | undefined) => JSON.stringify(body?.messages);

describe('a prompt as a target of a config', () => {
  it('is filled with the variables of a chat request, whose model and messages are for the others', async (t) => {
    const { prompt, ask, shop, chat, key, peer } = await startPromptWorld(t);
    const { slug } = await prompt();
    const { slug: config } = await ask('POST', '/v1/configs', {
      name: 'Falls back to a prompt',
      workspace_id: shop.workspaceId,
      config: { strategy: { mode: 'fallback' }, targets: [{ virtual_key: shop.provider }, { prompt_id: slug ?? '' }] },
    });
    peer.next({ status: 503, body: { error: { message: 'away' } } });
    const reply = await chat(key, { 'x-gw-config': String(config) }, { model: 'o3', variables, seed: 4 });
    assert.equal(reply.status, 200, reply.text);
    const [first, second] = peer.requests.map(({ body }) => body);
    assert.deepEqual(first, { model: 'o3', messages, seed: 4 });
    assert.match(contents(second), /Greet Ada/);
    assert.deepEqual([second?.model, second?.seed, second?.temperature], ['gpt-4o', 4, 0.5]);
  });

  it('needs no messages where every target is one', async (t) => {
    const { prompt, ask, shop, c, key, peer } = await startPromptWorld(t);
    const { slug } = await prompt();
    const { slug: config } = await ask('POST', '/v1/configs', {
      name: 'Only a prompt',
      workspace_id: shop.workspaceId,
      config: { prompt_id: slug ?? '' },
    });
    const call = (path: string, body: JsonObject) =>
      c.call('POST', path, { key, headers: { 'x-gw-config': String(config) }, body });
    const reply = await call('/v1/chat/completions', { variables });
    assert.equal(reply.status, 200, reply.text);
    assert.match(contents(peer.requests[0]?.body), /You speak Danish/);
    const wrong = refusal(await call('/v1/completions', { variables }), 400);
    assert.match(wrong.message, /is for chat completions/);
    assert.equal(peer.requests.length, 1);
  });

  it('stands in for a prompt that its path names', async (t) => {
    const { prompt, ask, shop, complete, peer } = await startPromptWorld(t);
    const [first, second] = [await prompt(), await prompt({ string: chatTemplate.replace('Greet', 'Hail') })];
    const { slug: config } = await ask('POST', '/v1/configs', {
      name: 'Two prompts',
      workspace_id: shop.workspaceId,
      config: {
        strategy: { mode: 'fallback' },
        targets: [{ prompt_id: `${first.slug}@7` }, { prompt_id: `${second.slug}@latest` }],
      },
    });
    const reply = await complete(String(first.slug), {}, { 'x-gw-config': String(config) });
    assert.equal(reply.status, 200, reply.text);
    assert.match(contents(peer.requests[0]?.body), /Hail Ada/);
    assert.equal(reply.json.status, 'success');
  });
});
