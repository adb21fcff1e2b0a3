import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inEachPlace, newName } from './place.ts';

inEachPlace('the name of a label', (place) => {
  for (const name of ['a', 'V2', 'canary_eu-1', '7b', 'latest-eu', 'my.label', 'äpfel', '-', 'Production']) {
    it(`may be ${name}`, async () => {
      const { newWorkspace, make, control } = place();
      const id = await make(await newWorkspace(), name);
      assert.equal((await control.ok('GET', `/v1/labels/${id}`)).name, name);
    });
  }

  const long = `${'a'.repeat(500_000)}@`;
  for (const name of ['', 'latest', 'default', '7', '12', 'a b', 'a@b', '@', 'a\n', 'a..b', 'é.x', long, null, 5]) {
    it(`is not ${JSON.stringify(name).slice(0, 20)}`, async () => {
      const { newWorkspace, make, refused } = place();
      const workspace = await newWorkspace();
      const body = { name, workspace_id: workspace };
      assert.deepEqual(await refused('POST', '/v1/labels', { body }), [400, 'name']);
      const id = await make(workspace);
      assert.deepEqual(await refused('PUT', `/v1/labels/${id}`, { body: { name } }), [400, 'name']);
    });
  }

  it('has 255 characters at most', async () => {
    const { newWorkspace, make, refused } = place();
    const workspace = await newWorkspace();
    await make(workspace, 'x'.repeat(255));
    const body = { name: 'x'.repeat(256), workspace_id: workspace };
    assert.deepEqual(await refused('POST', '/v1/labels', { body }), [400, 'name']);
  });

  it('must be there', async () => {
    const { newWorkspace, refused } = place();
    const body = { workspace_id: await newWorkspace() };
    assert.deepEqual(await refused('POST', '/v1/labels', { body }), [400, 'name']);
  });

  for (const [first, second, free] of [
    ['workspace', 'workspace', false],
    ['workspace', 'other workspace', true],
    ['workspace', 'organisation', false],
    ['organisation', 'workspace', false],
    ['organisation', 'organisation', false],
  ] as const) {
    it(`of a label of the ${first} is ${free ? 'free' : 'taken'} for one of the ${second}`, async () => {
      const { newWorkspace, make, refused } = place();
      const [workspace, other] = [await newWorkspace(), await newWorkspace()];
      const places = { workspace, 'other workspace': other, organisation: null };
      const name = newName();
      await make(places[first], name);
      const at = places[second] === null ? {} : { workspace_id: places[second] };
      const expected = free ? [200, undefined] : [409, 'name'];
      assert.deepEqual(await refused('POST', '/v1/labels', { body: { name, ...at } }), expected);
    });

    it(`of a label of the ${first} is ${free ? 'free' : 'taken'} when one of the ${second} is renamed`, async () => {
      const { newWorkspace, make, refused } = place();
      const [workspace, other] = [await newWorkspace(), await newWorkspace()];
      const places = { workspace, 'other workspace': other, organisation: null };
      const name = newName();
      await make(places[first], name);
      const id = await make(places[second]);
      const expected = free ? [200, undefined] : [409, 'name'];
      assert.deepEqual(await refused('PUT', `/v1/labels/${id}`, { body: { name } }), expected);
    });
  }

  it('of a universal label is taken everywhere, before anyone has looked at it', async () => {
    const { newWorkspace, refused } = place();
    const workspace = await newWorkspace();
    for (const at of [{}, { workspace_id: workspace }]) {
      assert.deepEqual(await refused('POST', '/v1/labels', { body: { name: 'production', ...at } }), [409, 'name']);
    }
  });

  it('may be given again as it is', async () => {
    const { newWorkspace, make, control } = place();
    const name = newName();
    const id = await make(await newWorkspace(), name);
    assert.deepEqual(await control.ok('PUT', `/v1/labels/${id}`, { body: { name, description: 'Same' } }), {});
  });

  it('is free again once the label is deleted', async () => {
    const { newWorkspace, make, control } = place();
    const workspace = await newWorkspace();
    const name = newName();
    await control.ok('DELETE', `/v1/labels/${await make(workspace, name)}`);
    assert.notEqual(await make(workspace, name), undefined);
  });

  it('is one label in a workspace, though the organisation and the workspace take it at once', async () => {
    const { newWorkspace, list, control } = place();
    const workspace = await newWorkspace();
    const name = newName();
    const calls = Array.from({ length: 10 }, (_, index) =>
      control.call('POST', '/v1/labels', {
        body: { name, ...(index % 2 === 0 ? {} : { workspace_id: workspace }) },
      }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 409)]);
    assert.equal((await list(workspace, `&search=${name}`)).length, 1);
  });
});
