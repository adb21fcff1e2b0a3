import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { inEachPlace, type Kind, keyOf, kinds, type Made, type Place, type Workspace } from './place.ts';

const [prompt, partial] = kinds;
const forkOf = ({ control }: Place, { path }: Kind, { id }: Made, body: JsonObject) =>
  control.ok('POST', `${path}/${id}/fork`, { body });

for (const kind of kinds) {
  const { path, noun } = kind;
  inEachPlace(`forking a ${noun}`, (place) => {
    it('gives another of its own, in the default collection, under the same name', async () => {
      const { control, owner, recipient, make, share } = place();
      const made = await make(kind);
      await share(kind, made, recipient);
      const as = keyOf(recipient);
      const fork = await control.ok('POST', `${path.replace('/v1', '/v2')}/${made.slug}/fork`, { as, body: {} });
      assert.deepEqual(Object.keys(fork).toSorted(), ['id', 'slug', 'version_id']);
      assert.notEqual(fork.id, made.id);
      assert.notEqual(fork.slug, made.slug);
      const shown = await control.ok('GET', `${path}/${fork.slug}`, { as });
      const { data } = await control.ok('GET', `/v1/collections?workspace_id=${recipient.id}`);
      const standard = (data as JsonObject[]).find(({ is_default }) => is_default === 1 || is_default === true);
      assert.deepEqual([shown.name, shown.string, shown.collection_id], ['Greeting', 'Hello {{who}}', standard?.id]);
      assert.equal((await control.call('GET', `${path}/${fork.id}`, { as: keyOf(owner) })).status, 404);
    });

    it('takes a name and a collection of the destination, and refuses one of elsewhere', async () => {
      const { control, owner, recipient, make, refused } = place();
      const made = await make(kind);
      const collection = async ({ id }: Workspace) =>
        String((await control.ok('POST', '/v1/collections', { body: { name: 'Forks', workspace_id: id } })).id);
      const there = await collection(recipient);
      const fork = await forkOf(place(), kind, made, {
        workspace_id: recipient.slug,
        name: 'Salutation',
        collection_id: there,
      });
      const shown = await control.ok('GET', `${path}/${fork.id}`);
      assert.deepEqual([shown.name, shown.collection_id], ['Salutation', there]);
      assert.match(String(fork.slug), /^pp-salutation-[0-9a-f]{6}$/);
      const [status, param] = await refused('POST', `${path}/${made.id}/fork`, {
        body: { workspace_id: recipient.id, collection_id: await collection(owner) },
      });
      assert.deepEqual([status, param], [400, 'collection_id']);
    });

    it('starts with the Published version alone, and does not follow what comes after', async () => {
      const { control, recipient, make, publish } = place();
      const made = await make(kind);
      await publish(kind, made, 'Good day {{who}}');
      await control.ok('PUT', `${path}/${made.id}`, { body: { string: 'A draft', patch: true } });
      const fork = await forkOf(place(), kind, made, { workspace_id: recipient.id });
      await publish(kind, made, 'Bye {{who}}');
      assert.equal((await control.ok('GET', `${path}/${fork.id}`)).string, 'Good day {{who}}');
      assert.equal((await control.ok('GET', `${path}/${fork.id}/versions`)).total, 1);
      await publish(kind, fork as unknown as Made, 'Mine');
      assert.equal((await control.ok('GET', `${path}/${made.id}`)).string, 'Bye {{who}}');
      await control.ok('DELETE', `${path}/${made.id}`);
      assert.equal((await control.ok('GET', `${path}/${fork.id}`)).string, 'Mine');
    });

    it('is shared with nobody, whoever has what it was made from', async () => {
      const { recipient, stranger, make, share, recipients } = place();
      const made = await make(kind);
      await share(kind, made, recipient, stranger);
      const fork = (await forkOf(place(), kind, made, { workspace_id: recipient.id })) as unknown as Made;
      assert.deepEqual(await recipients(fork), []);
    });

    it('needs a workspace, and one that is there; a name is one', async () => {
      const { control, recipient, workspace, make, refused } = place();
      const made = await make(kind);
      const gone = await workspace(false);
      await control.ok('DELETE', `/v1/admin/workspaces/${gone.id}`);
      const cases = [
        [{}, 400, 'workspace_id'],
        [{ workspace_id: 'ws-nobody' }, 404, 'workspace_id'],
        [{ workspace_id: gone.id }, 404, 'workspace_id'],
        [{ workspace_id: 7 }, 400, 'workspace_id'],
        [{ name: 'Mine' }, 400, 'workspace_id'],
        [{ workspace_id: recipient.id, name: '' }, 400, 'name'],
      ] as const;
      for (const [body, ...expected] of cases) {
        const [status, param] = await refused('POST', `${path}/${made.id}/fork`, { body });
        assert.deepEqual([status, param], expected, JSON.stringify(body));
      }
    });

    it('needs the partials of the template in reach of the destination, those that partials include too', async () => {
      const { control, recipient, make, publish, share, refused } = place();
      const inner = await make(partial, { name: 'Inner', string: 'inner' });
      const outer = await make(partial, { name: 'Outer', string: `outer {{>${inner.slug}}}` });
      const plain = await make(partial, { name: 'Plain', string: 'plain' });
      const made = await make(kind, { string: `{{>${outer.slug}@1}} {{>${plain.slug}}}` });
      const body = { workspace_id: recipient.id };
      const missing = async () => {
        const [status, param, message] = await refused('POST', `${path}/${made.id}/fork`, { body });
        assert.deepEqual([status, param], [400, 'workspace_id']);
        assert.ok(message.includes(recipient.slug), message);
        return [outer, plain, inner].filter(({ slug }) => message.includes(`"${slug}`)).map(({ slug }) => slug);
      };
      assert.deepEqual(await missing(), [outer.slug, plain.slug]);
      await share(partial, outer, recipient);
      assert.deepEqual(await missing(), [plain.slug, inner.slug]);
      await share(partial, inner, recipient);
      await control.ok('POST', `${partial.path}/${plain.id}/share`, { body: { allow_all_workspaces: true } });
      await publish(partial, inner, 'other');
      assert.equal(typeof (await forkOf(place(), kind, made, body)).id, 'string');
    });

    it('tells the audit log what was made from what', async () => {
      const { control, recipient, make } = place();
      const made = await make(kind);
      const fork = await forkOf(place(), kind, made, { workspace_id: recipient.id });
      const { records } = await control.ok('GET', '/v1/audit-logs?page_size=20');
      const entry = (records as JsonObject[]).find(({ uri }) => uri === `${path}/${made.id}/fork`);
      const told = JSON.stringify(entry);
      for (const part of [made.slug, String(fork.id), recipient.id])
        assert.ok(told.includes(part), `${part} in ${told}`);
    });
  });
}

describe('prompts alone', () => {
  inEachPlace('forking', (place) => {
    it('names the prompt and the version that the fork was made from', async () => {
      const { control, recipient, make, publish } = place();
      const made = await make(prompt, { string: '[{"role":"user","content":"Hi {{who}}"}]', parameters: { top_p: 1 } });
      await publish(prompt, made, '[{"role":"user","content":"Hello {{who}}"}]');
      const source = await control.ok('GET', `${prompt.path}/${made.id}`);
      const fork = await forkOf(place(), prompt, made, { workspace_id: recipient.id });
      const shown = await control.ok('GET', `${prompt.path}/${fork.id}`);
      assert.deepEqual(
        [shown.forked_from_prompt_id, shown.forked_from_prompt_version_id, shown.prompt_version_id],
        [made.id, source.prompt_version_id, fork.version_id],
      );
      for (const name of ['string', 'parameters', 'model', 'virtual_key', 'is_raw_template', 'variable_components'])
        assert.deepEqual(shown[name], source[name], name);
      assert.deepEqual([shown.prompt_version, shown.prompt_owning_workspace_id], [1, recipient.id]);
    });

    it('needs the provider in the destination, and names it beside the partials that lack', async () => {
      const { workspace, make, refused } = place();
      const bare = await workspace(false);
      const piece = await make(partial, { name: 'Piece', string: 'piece' });
      const made = await make(prompt, { string: `Hello {{>${piece.slug}}}` });
      const [status, param, message] = await refused('POST', `${prompt.path}/${made.id}/fork`, {
        body: { workspace_id: bare.id },
      });
      assert.deepEqual([status, param], [400, 'workspace_id']);
      for (const part of ['"main"', `"${piece.slug}"`, bare.slug]) assert.ok(message.includes(part), message);
    });
  });
});
