import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inEachPlace, storeOf } from './place.ts';

inEachPlace('the end of a collection', (place) => {
  it('is refused while it holds anything, and says how much', async () => {
    const { newWorkspace, make, prompt, control } = place();
    const workspace = await newWorkspace();
    const { id } = await make(workspace);
    const child = await make(workspace, { parent_collection_id: id });
    const [first, last] = [await prompt(workspace, id), await prompt(workspace, id)];
    const removal = async () => control.call('DELETE', `/v1/collections/${id}`);
    const refused = await removal();
    assert.equal(refused.status, 409, refused.text);
    assert.match(String(refused.json.message), /holds 1 collection, 2 prompts:/);
    await control.ok('DELETE', `/v1/collections/${child.id}`);
    await control.ok('DELETE', `/v1/prompts/${first}`);
    assert.match(String((await removal()).json.message), /holds 1 prompt:/);
    await control.ok('DELETE', `/v1/prompts/${last}`);
    assert.deepEqual((await removal()).json, {});
  });

  it('leaves it in the list of archived ones alone', async () => {
    const { newWorkspace, make, list, refused, control } = place();
    const workspace = await newWorkspace();
    const { id, slug } = await make(workspace);
    assert.deepEqual(await control.ok('DELETE', `/v1/collections/${slug}`), {});
    assert.deepEqual(await refused('GET', `/v1/collections/${id}`), [404, 'id']);
    assert.deepEqual(
      (await list(workspace, '&status=archived')).map((item) => item.id),
      [id],
    );
  });

  it('keeps others from putting anything into it', async () => {
    const { newWorkspace, make, find, refused, control } = place();
    const [workspace, other] = [await newWorkspace(), await newWorkspace()];
    const [made, foreign] = [await make(workspace), await make(other)];
    for (const name of [made.id, made.slug]) assert.equal((await find(workspace, name)).id, made.id);
    await control.ok('DELETE', `/v1/collections/${made.id}`);
    for (const collection_id of [made.id, made.slug, foreign.id, foreign.slug, 'co-nowhere', '']) {
      const body = { workspace_id: workspace, collection_id };
      assert.deepEqual(await refused('POST', '/v1/test-collections', { body }), [400, 'collection_id'], collection_id);
    }
  });

  it('is refused while it holds partials', async () => {
    const { newWorkspace, make, control } = place();
    const workspace = await newWorkspace();
    const { id } = await make(workspace);
    const body = { name: 'Greeting', string: 'Hello', collection_id: id, workspace_id: workspace };
    const partial = await control.ok('POST', '/v1/prompts/partials', { body });
    const refused = await control.call('DELETE', `/v1/collections/${id}`);
    assert.equal(refused.status, 409, refused.text);
    assert.match(String(refused.json.message), /holds 1 partial:/);
    await control.ok('DELETE', `/v1/prompts/partials/${partial.id}`);
    await control.ok('DELETE', `/v1/collections/${id}`);
  });

  it('orphans nothing that is made in it at the same moment', async () => {
    const { newWorkspace, make, control } = place();
    const workspace_id = await newWorkspace();
    const prompt = { name: 'x', string: 'x', parameters: {}, virtual_key: 'openai' };
    const outcomes = Array.from({ length: 8 }, async () => {
      const { id } = await make(workspace_id);
      const calls = [
        control.call('POST', '/v1/collections', { body: { name: 'x', workspace_id, parent_collection_id: id } }),
        control.call('DELETE', `/v1/collections/${id}`),
        control.call('POST', '/v1/prompts', { body: { ...prompt, workspace_id, collection_id: id } }),
      ];
      return (await Promise.all(calls)).map(({ status }) => status).join(' ');
    });
    const unlikely = (await Promise.all(outcomes)).filter((one) => !['200 409 200', '400 200 400'].includes(one));
    assert.deepEqual(unlikely, []);
  });

  it('comes with that of the workspace', async () => {
    const { newWorkspace, make, find, control } = place();
    const workspace = await newWorkspace();
    const { id } = await make(workspace);
    await make(workspace, { parent_collection_id: id });
    await find(workspace);
    await control.ok('DELETE', `/v1/workspaces/${workspace}`);
    const rows = await storeOf(control).db('collections').where({ workspace_id: workspace });
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['archived', 'archived', 'archived'],
    );
  });
});
