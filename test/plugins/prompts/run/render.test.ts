import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refusal } from '../../../e2e/control/world.ts';
import { noUnhandledRejections } from '../../../support/rejections.ts';
import { startPromptWorld, variables } from './world.ts';

noUnhandledRejections();

const filled = [
  { role: 'system', content: 'You speak Danish.' },
  { role: 'user', content: 'Greet Ada "the first".' },
];

describe('a prompt that is rendered', () => {
  it('is the request that a client would send, with its own members over those that are stored', async (t) => {
    const { prompt, render, peer } = await startPromptWorld(t);
    const { slug } = await prompt();
    const reply = await render(String(slug), { temperature: 1, top_p: 0.5 });
    const data = { model: 'gpt-4o', messages: filled, temperature: 1, top_p: 0.5 };
    assert.deepEqual(reply.json, { success: true, data });
    assert.equal(peer.requests.length, 0);
  });

  it('is refused by the path or the body at fault', async (t) => {
    const { prompt, render, c, key } = await startPromptWorld(t);
    const { slug } = await prompt();
    const path = `/v1/prompts/${slug}/render`;
    for (const reference of ['pp-none', `${slug}@9`, `${slug}@nowhere`]) refusal(await render(reference), 404);
    for (const reference of ['a%2Fb', 'a%20b', `${slug}@`]) refusal(await render(reference), 400);
    refusal(await c.call('POST', path, { key, body: {} }), 400);
    refusal(await render(String(slug), { messages: [] }), 400);
    for (const method of ['GET', 'PUT', 'OPTIONS']) assert.equal((await c.call(method, path, { key })).status, 405);
  });

  it('belongs to a workspace, which a key of the organisation names', async (t) => {
    const { prompt, c, shop } = await startPromptWorld(t);
    const { slug } = await prompt();
    const path = `/v1/prompts/${slug}/render`;
    const named = await c.ok('POST', path, { body: { variables, workspace_id: shop.workspaceId } });
    assert.deepEqual(named.data, { model: 'gpt-4o', messages: filled, temperature: 0.5 });
    const unnamed = await c.call('POST', path, { body: { variables } });
    assert.match(refusal(unnamed, 400).message, /workspace_id/);
  });
});
