import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inEachPlace, keyOf, kinds } from './place.ts';

for (const kind of kinds) {
  const { path, noun } = kind;
  inEachPlace(`sharing a ${noun}`, (place) => {
    it('adds recipients by id and by slug, at both mounts, and tells who has it', async () => {
      const { control, owner, recipient, stranger, make, recipients } = place();
      const made = await make(kind);
      const first = await control.ok('POST', `${path}/${made.slug}/share`, { body: { workspaces: [recipient.slug] } });
      const { shared_at, ...told } = first;
      assert.equal(typeof shared_at, 'number');
      assert.deepEqual(told, {
        id: made.id,
        access_level: 'organisation',
        share_organisation_id: control.organisationId,
        shared_by_user_id: 'test-key',
        shared_from_version_id: made.version_id,
        allow_all_workspaces: 0,
        workspaces: [recipient.id],
      });
      const v2 = path.replace('/v1', '/v2');
      await control.ok('POST', `${v2}/${made.id}/share`, {
        as: keyOf(owner),
        body: { workspaces: [stranger.id, recipient.id, stranger.slug] },
      });
      assert.deepEqual(await recipients(made), [recipient.id, stranger.id].toSorted());
    });

    it('replaces the recipients with PUT, and keeps since when those have it who stay', async () => {
      const { control, recipient, stranger, workspace, make, share, recipients } = place();
      const made = await make(kind);
      const { shared_at } = await share(kind, made, recipient, stranger);
      const third = await workspace();
      control.advance(60_000);
      const replaced = await control.ok('PUT', `${path}/${made.id}/share`, {
        body: { allow_all_workspaces: false, workspaces: [third.slug, recipient.id] },
      });
      assert.equal(replaced.shared_at, shared_at);
      assert.deepEqual(await recipients(made), [recipient.id, third.id].toSorted());
      const none = await control.ok('PUT', `${path}/${made.id}/share`, { body: { workspaces: [] } });
      assert.deepEqual([none.access_level, none.workspaces], ['workspace', []]);
      assert.deepEqual(await recipients(made), []);
    });

    it('reaches every workspace, those that come later too, until it is shared with named ones', async () => {
      const { control, recipient, stranger, workspace, make, reaches } = place();
      const made = await make(kind);
      const all = await control.ok('POST', `${path}/${made.id}/share`, { body: { allow_all_workspaces: true } });
      assert.deepEqual([all.allow_all_workspaces, all.workspaces], [1, []]);
      const later = await workspace();
      for (const at of [recipient, stranger, later]) assert.equal(await reaches(kind, made, at), true);
      await control.ok('PUT', `${path}/${made.id}/share`, { body: { workspaces: [later.id] } });
      assert.deepEqual(
        [await reaches(kind, made, recipient), await reaches(kind, made, stranger), await reaches(kind, made, later)],
        [false, false, true],
      );
    });

    it('ends wholly with DELETE, as often as it is sent', async () => {
      const { control, recipient, make, share, recipients, reaches } = place();
      const made = await make(kind);
      await share(kind, made, recipient);
      await control.ok('POST', `${path}/${made.id}/share`, { body: { allow_all_workspaces: true } });
      for (const name of [made.slug, made.id])
        assert.deepEqual(await control.ok('DELETE', `${path}/${name}/share`), {});
      assert.deepEqual(await recipients(made), []);
      assert.equal(await reaches(kind, made, recipient), false);
    });

    it('survives two who share at once', async () => {
      const { recipient, stranger, workspace, make, share, recipients } = place();
      const made = await make(kind);
      const others = [recipient, stranger, await workspace(), await workspace()];
      await Promise.all(others.map((one) => share(kind, made, one, recipient)));
      assert.deepEqual(await recipients(made), others.map(({ id }) => id).toSorted());
    });

    it('refuses by name whoever can be no recipient, and changes nothing', async () => {
      const { control, owner, recipient, workspace, make, refused, recipients } = place();
      const made = await make(kind);
      const gone = await workspace(false);
      await control.ok('DELETE', `/v1/admin/workspaces/${gone.id}`);
      const cases = [
        [{}, 'workspaces'],
        [{ workspaces: null, allow_all_workspaces: false }, 'workspaces'],
        [{ workspaces: [recipient.id, 'ws-nobody'] }, 'workspaces[1]'],
        [{ workspaces: [recipient.id, gone.id] }, 'workspaces[1]'],
        [{ workspaces: [owner.slug], allow_all_workspaces: true }, 'workspaces[0]'],
        [{ workspaces: [recipient.id, 7] }, 'workspaces[1]'],
        [{ workspaces: recipient.id }, 'workspaces'],
        [{ allow_all_workspaces: 'yes' }, 'allow_all_workspaces'],
      ] as const;
      for (const [body, param] of cases) {
        for (const method of ['POST', 'PUT']) {
          const [status, at] = await refused(method, `${path}/${made.id}/share`, { body });
          assert.deepEqual([status, at], [400, param], `${method} ${JSON.stringify(body)}`);
        }
      }
      const [status, param] = await refused('POST', `${path}/${made.id}/share`, { body: { workspaces: [] } });
      assert.deepEqual([status, param], [400, 'workspaces']);
      assert.deepEqual(await recipients(made), []);
    });

    it('takes no workspace of another organisation', async () => {
      const { control, make, refused, recipients } = place();
      const made = await make(kind);
      const { db } = (control.gateway.control ?? assert.fail('no control plane')).store;
      const row = (await db('workspaces').first()) as Record<string, unknown>;
      const foreign = { id: `foreign-${made.id.slice(0, 8)}`, slug: `ws-foreign-${made.id.slice(0, 8)}` };
      await db('workspaces').insert({
        ...row,
        ...foreign,
        organisation_id: `other-${made.id.slice(0, 8)}`,
        is_default: 0,
      });
      for (const name of [foreign.id, foreign.slug]) {
        const [status, param] = await refused('POST', `${path}/${made.id}/share`, { body: { workspaces: [name] } });
        assert.deepEqual([status, param], [400, 'workspaces[0]']);
      }
      assert.deepEqual(await recipients(made), []);
    });

    it('is written into the audit log with the body and the record', async () => {
      const { control, recipient, make, share } = place();
      const made = await make(kind);
      await share(kind, made, recipient);
      const { records } = await control.ok('GET', '/v1/audit-logs?page_size=20');
      const entry = (records as Record<string, unknown>[]).find(
        (one) => String(one.uri) === `${path}/${made.id}/share`,
      );
      assert.deepEqual([entry?.action, entry?.resource_id, entry?.resource_type], ['share', made.id, kind.kind]);
    });
  });
}
