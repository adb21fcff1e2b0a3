import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { chatTemplate, variables } from '../plugins/prompts/run/world.ts';
import { freePort } from '../support/guarded-server.ts';
import { startPeer } from '../support/peer.ts';
import { furnish } from './control/furnish.ts';
import { askOf, firstAdminKey, freshFolder, startProcess, until } from './control/processes.ts';

describe('prompts of a control plane that is a process of its own', () => {
  it('are run by its gateway, which follows what is published, shared and archived', async (t) => {
    const peer = await startPeer(t);
    const token = randomBytes(24).toString('hex');
    const env = { SERVER_MODE: 'control', SERVICE_TOKEN: token, PORT: String(await freePort()) };
    const control = await startProcess(t, { folder: freshFolder(t), env });
    const ask = askOf(control, await firstAdminKey(control));
    const gateway = await startProcess(t, {
      folder: freshFolder(t),
      env: { SERVER_MODE: 'gateway', CONTROL_PLANE_URL: control.url, SERVICE_TOKEN: token },
    });
    const shop = await furnish(ask, peer.origin, 'Shop');
    const other = await furnish(ask, peer.origin, 'Other');
    const partial = await ask('POST', '/v1/prompts/partials', {
      name: 'Style',
      workspace_id: shop.workspaceId,
      string: 'Be short.',
    });
    const { id, slug } = await ask('POST', '/v1/prompts', {
      name: 'Greeting',
      workspace_id: shop.workspaceId,
      string: chatTemplate.replace('You', `{{>${partial.slug}}} You`),
      parameters: {},
      virtual_key: shop.provider,
      model: 'gpt-4o',
    });
    const run = (key: string, reference = slug) =>
      gateway.call('POST', `/v1/prompts/${reference}/completions`, { key, body: { variables } });
    const says = (what: string, text: string, reference = slug) =>
      until(what, 20_000, async () => {
        const reply = await run(shop.key, reference);
        return reply.status === 200 && JSON.stringify(peer.requests.at(-1)?.body.messages).includes(text);
      });
    const answers = (what: string, key: string, status: number) =>
      until(what, 20_000, async () => (await run(key)).status === status);

    await says('the prompt is known', 'Be short. You speak Danish.');
    assert.equal(peer.requests.at(-1)?.headers.authorization, shop.authorization);
    await ask('PUT', `/v1/prompts/${id}`, { patch: true, string: chatTemplate.replace('Greet', 'Hail') });
    await says('the draft is the latest', 'Hail Ada', `${slug}@latest`);
    assert.equal((await run(shop.key)).status, 200);
    assert.match(JSON.stringify(peer.requests.at(-1)?.body.messages), /Greet Ada/, 'a draft is not published');

    await ask('PUT', `/v1/prompts/partials/${partial.slug}`, { string: 'Be kind.' });
    await ask('PUT', `/v1/prompts/partials/${partial.slug}/makeDefault`, { version: 2 });
    await says('the partial is published', 'Be kind. You speak Danish.');
    await ask('PUT', `/v1/prompts/${slug}/makeDefault`, { version: 2 });
    await says('the version is published', 'Hail Ada');

    assert.equal((await run(other.key)).status, 404);
    await ask('POST', `/v1/prompts/${slug}/share`, { workspaces: [other.workspaceId] });
    await answers('it is shared, and the recipient has no such provider', other.key, 400);
    await ask('DELETE', `/v1/prompts/${slug}/share`);
    await answers('it is no longer shared', other.key, 404);
    await ask('DELETE', `/v1/prompts/${slug}`);
    await answers('it is archived', shop.key, 404);

    const { length } = peer.requests;
    assert.equal(
      (await control.call('POST', `/v1/prompts/${slug}/completions`, { key: shop.key, body: {} })).status,
      404,
    );
    assert.equal((await gateway.call('POST', `/v1/prompts/${slug}/render`, { key: shop.key, body: {} })).status, 404);
    assert.equal(peer.requests.length, length);
    for (const one of [gateway, control]) assert.equal(await one.stop(), 0);
  });
});
