import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inEachPlace, keyOf, kinds } from './place.ts';

for (const kind of kinds) {
  const { path, noun } = kind;
  inEachPlace(`unsharing a ${noun}`, (place) => {
    it('takes it from those whom the owner names, by id and by slug', async () => {
      const { control, owner, recipient, stranger, workspace, make, share, recipients, reaches } = place();
      const made = await make(kind);
      const third = await workspace();
      await share(kind, made, recipient, stranger, third);
      const body = { workspaces: [recipient.slug, stranger.id] };
      assert.deepEqual(await control.ok('POST', `${path}/${made.slug}/unshare`, { as: keyOf(owner), body }), {});
      assert.deepEqual(await recipients(made), [third.id]);
      assert.deepEqual([await reaches(kind, made, recipient), await reaches(kind, made, third)], [false, true]);
    });

    it('lets a recipient drop itself: without a body, by its id or by its slug', async () => {
      const { control, recipient, stranger, make, share, recipients } = place();
      for (const body of [
        undefined,
        {},
        { workspaces: [] },
        { workspaces: [recipient.id] },
        { workspaces: [recipient.slug] },
      ]) {
        const made = await make(kind);
        await share(kind, made, recipient, stranger);
        await control.ok('POST', `${path}/${made.slug}/unshare`, {
          as: keyOf(recipient),
          ...(body === undefined ? {} : { body }),
        });
        assert.deepEqual(await recipients(made), [stranger.id], JSON.stringify(body));
      }
    });

    it('lets no recipient drop another', async () => {
      const { recipient, stranger, make, share, refused, recipients } = place();
      const made = await make(kind);
      await share(kind, made, recipient, stranger);
      const body = { workspaces: [recipient.id, stranger.id] };
      const [status, param] = await refused('POST', `${path}/${made.id}/unshare`, { as: keyOf(recipient), body });
      assert.deepEqual([status, param], [403, 'workspaces[1]']);
      assert.deepEqual(await recipients(made), [recipient.id, stranger.id].toSorted());
    });

    it('refuses by name whoever has it not, and then drops nobody', async () => {
      const { recipient, stranger, make, share, refused, recipients } = place();
      const made = await make(kind);
      await share(kind, made, recipient);
      const cases = [
        [{}, 'workspaces'],
        [{ workspaces: [] }, 'workspaces'],
        [{ workspaces: [recipient.id, 'ws-nobody'] }, 'workspaces[1]'],
        [{ workspaces: [recipient.id, stranger.id] }, 'workspaces[1]'],
      ] as const;
      for (const [body, param] of cases) {
        const [status, at] = await refused('POST', `${path}/${made.id}/unshare`, { body });
        assert.deepEqual([status, at], [400, param], JSON.stringify(body));
      }
      assert.deepEqual(await recipients(made), [recipient.id]);
    });

    it('cannot take from one what all have', async () => {
      const { control, owner, recipient, make, share, refused, recipients } = place();
      const made = await make(kind);
      await share(kind, made, recipient);
      await control.ok('POST', `${path}/${made.id}/share`, { body: { allow_all_workspaces: true } });
      for (const [at, body] of [
        [owner, { workspaces: [recipient.id] }],
        [recipient, {}],
      ] as const) {
        const [status, param] = await refused('POST', `${path}/${made.id}/unshare`, { as: keyOf(at), body });
        assert.deepEqual([status, param], [409, 'allow_all_workspaces']);
      }
      assert.deepEqual(await recipients(made), ['*', recipient.id]);
    });

    it('tells the audit log whose it was and who has lost it', async () => {
      const { control, owner, recipient, make, share } = place();
      const made = await make(kind);
      await share(kind, made, recipient);
      await control.ok('POST', `${path}/${made.id}/unshare`, { as: keyOf(recipient) });
      const { records } = await control.ok('GET', '/v1/audit-logs?page_size=20');
      const entry = (records as Record<string, unknown>[]).find(
        (one) => String(one.uri) === `${path}/${made.id}/unshare`,
      );
      const told = JSON.stringify(entry);
      for (const part of [made.slug, owner.id, recipient.id]) assert.ok(told.includes(part), `${part} in ${told}`);
    });
  });
}
