import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inEachWorld, type World } from './world.ts';

const ask = async (world: World, headers: Record<string, string>) => {
  const reply = await fetch(`${world.c.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gw-provider': 'echo', ...headers },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  return { status: reply.status, text: await reply.text() };
};

inEachWorld((given) => {
  it('an issued key is taken for inference wherever clients put it, and one that was not issued is not', async () => {
    const world = given();
    const { key } = await world.key('workspace/service', {
      name: 'web',
      workspace_id: await world.workspace(),
      scopes: ['completions.write'],
    });
    const places = (secret: string): Record<string, string>[] => [
      { 'x-gw-api-key': secret },
      { authorization: `Bearer ${secret}` },
      { 'x-api-key': secret },
      { 'api-key': secret },
    ];
    for (const headers of places(key)) {
      const { status, text } = await ask(world, headers);
      assert.equal(status, 200, text);
    }
    for (const headers of places(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)) {
      assert.equal((await ask(world, headers)).status, 401);
    }
  });

  it('a removed key is refused, as is one whose owner has left', async () => {
    const world = given();
    const workspaceId = await world.workspace();
    const userId = await world.person({ workspaceId });
    const body = { name: 'k', workspace_id: workspaceId, scopes: ['completions.write'] };
    const service = await world.key('workspace/service', body);
    const user = await world.key('workspace/user', { ...body, user_id: userId });
    const statuses = async () => [
      (await ask(world, { 'x-gw-api-key': service.key })).status,
      (await ask(world, { 'x-gw-api-key': user.key })).status,
    ];
    assert.deepEqual(await statuses(), [200, 200]);
    await world.c.ok('DELETE', `/v1/api-keys/${service.id}`, { key: world.c.adminKey });
    await world.c.ok('DELETE', `/v1/admin/users/${userId}`, { key: world.c.adminKey });
    assert.deepEqual(await statuses(), [401, 401]);
  });
});
