import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { inEachPlace, newName, newPrompt, pathOf } from './place.ts';

inEachPlace('an assignment of a label', (place) => {
  it('moves it away from any other version of the prompt', async () => {
    const { newWorkspace, make, assign, assigned, versionOf } = place();
    const workspace = await newWorkspace();
    const [prompt, other] = [newPrompt(workspace), newPrompt(workspace)];
    const name = newName();
    const label = await make(workspace, name);
    await assign(prompt, 1, label);
    await assign(other, 5, label);
    await assign(prompt, 3, label);
    assert.deepEqual(await assigned(prompt), [`${name} 3`]);
    assert.deepEqual([await versionOf(prompt, name), await versionOf(other, name)], [3, 5]);
  });

  it('leaves the other labels of the version, the latest one first', async () => {
    const { newWorkspace, make, assign, assigned, control } = place();
    const workspace = await newWorkspace();
    const prompt = newPrompt(workspace);
    const names = [newName(), newName()];
    for (const name of names) {
      await assign(prompt, 2, await make(workspace, name));
      control.advance(1000);
    }
    assert.deepEqual(await assigned(prompt), [`${names[1]} 2`, `${names[0]} 2`]);
  });

  it('of null takes all labels off the version, and off no other', async () => {
    const { newWorkspace, make, assign, assigned, versionOf } = place();
    const workspace = await newWorkspace();
    const [prompt, other] = [newPrompt(workspace), newPrompt(workspace)];
    const [stays, goes, more] = [newName(), newName(), newName()];
    await assign(prompt, 1, await make(workspace, stays));
    const label = await make(workspace, goes);
    await assign(prompt, 2, label);
    await assign(prompt, 2, await make(workspace, more));
    await assign(other, 2, label);
    await assign(prompt, 2, null);
    assert.deepEqual(await assigned(prompt), [`${stays} 1`]);
    assert.equal(await versionOf(prompt, goes), null);
    assert.deepEqual(await assigned(other), [`${goes} 2`]);
  });

  it('takes the labels that the workspace sees', async () => {
    const { newWorkspace, make, assign, list, versionOf } = place();
    const workspace = await newWorkspace();
    const prompt = newPrompt(workspace);
    const name = newName();
    await assign(prompt, 4, await make(null, name));
    const universal = (await list(workspace, '&search=production'))[0]?.id;
    await assign(prompt, 5, String(universal));
    assert.deepEqual([await versionOf(prompt, name), await versionOf(prompt, 'production')], [4, 5]);
  });

  it('takes no label of another workspace, and none that is not there', async () => {
    const { newWorkspace, make, assigned, refused, control } = place();
    const workspace = await newWorkspace();
    const prompt = newPrompt(workspace);
    const [foreign, gone] = [await make(await newWorkspace()), await make(workspace)];
    await control.ok('DELETE', `/v1/labels/${gone}`);
    for (const label_id of [foreign, gone, randomUUID(), '']) {
      const body = { version: 1, label_id, workspace_id: workspace };
      assert.deepEqual(await refused('PUT', pathOf(prompt), { body }), [400, 'label_id']);
    }
    assert.deepEqual(await assigned(prompt), []);
  });

  it('holds under the new name of the label', async () => {
    const { newWorkspace, make, assign, versionOf, control } = place();
    const workspace = await newWorkspace();
    const prompt = newPrompt(workspace);
    const [before, after] = [newName(), newName()];
    const label = await make(workspace, before);
    await assign(prompt, 7, label);
    await control.ok('PUT', `/v1/labels/${label}`, { body: { name: after } });
    assert.deepEqual([await versionOf(prompt, before), await versionOf(prompt, after)], [null, 7]);
  });

  it('ends with the label, and says nothing of a new one of that name', async () => {
    const { newWorkspace, make, assign, assigned, versionOf, store, control } = place();
    const workspace = await newWorkspace();
    const prompt = newPrompt(workspace);
    const [name, stays] = [newName(), newName()];
    const label = await make(workspace, name);
    await assign(prompt, 1, label);
    await assign(prompt, 1, await make(workspace, stays));
    await control.ok('DELETE', `/v1/labels/${label}`);
    await make(workspace, name);
    assert.equal(await versionOf(prompt, name), null);
    assert.deepEqual(await assigned(prompt), [`${stays} 1`]);
    assert.deepEqual(await store.db('prompt_labels').where({ label_id: label }), []);
  });

  it('ends with the prompt', async () => {
    const { newWorkspace, make, assign, assigned, control } = place();
    const workspace = await newWorkspace();
    const [prompt, other] = [newPrompt(workspace), newPrompt(workspace)];
    const name = newName();
    const label = await make(workspace, name);
    await assign(prompt, 1, label);
    await assign(other, 1, label);
    await control.ok('DELETE', pathOf(prompt));
    assert.deepEqual([await assigned(prompt), await assigned(other)], [[], [`${name} 1`]]);
  });

  it('leaves nothing behind when the label is deleted at the same moment', async () => {
    const { newWorkspace, make, store, control } = place();
    const workspace = await newWorkspace();
    const labels = await Promise.all(Array.from({ length: 8 }, () => make(workspace)));
    const calls = labels.flatMap((label_id) => [
      control.call('PUT', pathOf(newPrompt(workspace)), { body: { version: 1, label_id, workspace_id: workspace } }),
      control.call('DELETE', `/v1/labels/${label_id}`),
    ]);
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    assert.deepEqual(
      statuses.filter((status) => ![200, 400].includes(status)),
      [],
    );
    assert.deepEqual(await store.db('prompt_labels').whereIn('label_id', labels), []);
  });

  it('points it at one version at each moment, though fifty assign it at once', async () => {
    const { newWorkspace, make, assign, assigned, versionOf, store } = place();
    const workspace = await newWorkspace();
    const prompt = newPrompt(workspace);
    const name = newName();
    const label = await make(workspace, name);
    await assign(prompt, 100, label);
    const versions = Array.from({ length: 50 }, (_, index) => index + 1);
    const seen = await Promise.all(
      versions.flatMap((version) => [assign(prompt, version, label).then(() => assigned(prompt)), assigned(prompt)]),
    );
    const known = new Set([100, ...versions].map((version) => `${name} ${version}`));
    assert.deepEqual(
      seen.filter((labels) => labels.length !== 1 || !known.has(labels[0] ?? '')),
      [],
    );
    const rows = await store.db('prompt_labels').where({ label_id: label });
    assert.equal(rows.length, 1);
    assert.ok(versions.includes(Number(await versionOf(prompt, name))));
  });
});
