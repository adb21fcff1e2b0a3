import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asObjects, type JsonObject } from 'portcullis/sdk';
import { inEachPlace, keyOf, kinds, type Place, type Workspace } from './place.ts';

for (const kind of kinds) {
  const { path, noun } = kind;
  const listed = async ({ control }: Place, at: Workspace, query: string): Promise<readonly JsonObject[]> =>
    asObjects((await control.ok('GET', `${path}?${query}`, { as: keyOf(at) })).data);
  const ids = (items: readonly JsonObject[]) => items.map(({ id }) => id);

  inEachPlace(`the reach of a ${noun}`, (place) => {
    it('is its recipients, by id and by slug, for people and for requests', async () => {
      const { control, owner, recipient, stranger, make, share } = place();
      const made = await make(kind);
      await share(kind, made, recipient);
      const directory = control.gateway.control?.directory ?? assert.fail('no control plane');
      const name = kind.kind === 'prompts' ? 'prompt' : 'promptPartial';
      for (const [at, reached] of [
        [owner, true],
        [recipient, true],
        [stranger, false],
      ] as const) {
        for (const named of [made.id, made.slug]) {
          const { status, json } = await control.call('GET', `${path}/${named}`, { as: keyOf(at) });
          assert.deepEqual([status, json.id], reached ? [200, made.id] : [404, undefined]);
          const entry = await directory.get(name, control.organisationId, at.id, named, '');
          assert.equal(entry === undefined ? undefined : 'id' in entry && entry.id, reached ? made.id : undefined);
        }
      }
    });

    it('ends for requests too when it is shared no more', async () => {
      const { control, recipient, make, share } = place();
      const made = await make(kind);
      await share(kind, made, recipient);
      const directory = control.gateway.control?.directory ?? assert.fail('no control plane');
      const name = kind.kind === 'prompts' ? 'prompt' : 'promptPartial';
      const entry = () => directory.get(name, control.organisationId, recipient.id, made.slug, '');
      assert.notEqual(await entry(), undefined);
      await control.ok('POST', `${path}/${made.id}/unshare`, { as: keyOf(recipient) });
      assert.equal(await entry(), undefined);
      await share(kind, made, recipient);
      assert.notEqual(await entry(), undefined);
    });

    it('shows in lists where it is asked for: type=shared names what others share', async () => {
      const { recipient, owner, make, share, control, workspace } = place();
      const reader = await workspace();
      const named = await make(kind);
      const forAll = await make(kind);
      const kept = await make(kind);
      const own = await make(kind, {}, reader);
      await share(kind, named, reader);
      await share(kind, kept, recipient);
      await control.ok('POST', `${path}/${forAll.id}/share`, { body: { allow_all_workspaces: true } });
      assert.deepEqual(ids(await listed(place(), reader, '')), [own.id]);
      const shared = ids(await listed(place(), reader, 'type=shared&page_size=1000'));
      assert.ok(shared.includes(named.id) && shared.includes(forAll.id), `${shared}`);
      assert.ok(!shared.includes(own.id) && !shared.includes(kept.id), `${shared}`);
      const ofOwner = ids(await listed(place(), owner, 'type=shared&page_size=1000'));
      for (const { id } of [named, forAll, kept]) assert.ok(!ofOwner.includes(id), 'what it shares itself');
      await control.ok('DELETE', `${path}/${forAll.id}/share`);
    });

    it('is told of each in a list with show_prompt_share', async () => {
      const { control, owner, make, share, workspace } = place();
      const reader = await workspace();
      const made = await make(kind);
      await share(kind, made, reader);
      const [item] = await listed(place(), reader, 'type=shared&show_prompt_share=true');
      assert.deepEqual(
        [
          item?.id,
          item?.access_level,
          item?.share_organisation_id,
          item?.shared_by_user_id,
          item?.shared_from_version_id,
          item?.allow_all_workspaces,
          item?.prompt_owning_workspace_id,
        ],
        [made.id, 'organisation', control.organisationId, 'test-key', made.version_id, 0, owner.id],
      );
    });

    it('ends with the organisation: a foreign one sees nothing and changes nothing', async () => {
      const { control, recipient, make, share, recipients } = place();
      const made = await make(kind);
      await share(kind, made, recipient);
      await control.ok('POST', `${path}/${made.id}/share`, { body: { allow_all_workspaces: true } });
      const foreign = { organisationId: 'another-organisation' };
      const callers = [foreign, { ...keyOf(recipient), ...foreign }, { ...keyOf({ id: 'w', slug: 'w' }), ...foreign }];
      const body = { workspaces: [recipient.id] };
      for (const as of callers) {
        for (const named of [made.id, made.slug]) {
          for (const [method, route] of [
            ['GET', ''],
            ['POST', '/share'],
            ['PUT', '/share'],
            ['POST', '/unshare'],
          ] as const) {
            const options = method === 'GET' ? { as } : { as, body };
            const { status } = await control.call(method, `${path}/${named}${route}`, options);
            assert.equal(status, 404, `${method} ${route}`);
          }
          assert.equal((await control.call('DELETE', `${path}/${named}/share`, { as })).status, 404);
          const fork = await control.call('POST', `${path}/${named}/fork`, {
            as,
            body: { workspace_id: recipient.id },
          });
          assert.ok([403, 404].includes(fork.status), `fork: ${fork.status}`);
        }
        assert.equal((await control.ok('GET', `${path}?type=shared`, { as })).total, 0);
      }
      assert.deepEqual(await recipients(made), ['*', recipient.id]);
    });
  });
}
