import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { startControl } from '../../support/control.ts';

const policy = {
  conditions: [{ key: 'api_key', value: '*' }],
  group_by: [{ key: 'api_key' }],
  type: 'requests',
  unit: 'rpm',
  value: 5,
};

/** Bodies whose records belong to the organisation where they name no workspace. */
const bodies: readonly (readonly [string, JsonObject])[] = [
  ['/v1/policies/rate-limits', policy],
  ['/v1/labels', { name: 'reviewed' }],
  ['/v1/integrations', { name: 'Echo', ai_provider_id: 'echo' }],
];

describe('the workspace that a call names', () => {
  for (const [path, body] of bodies) {
    it(`is refused where it is none, and not taken for the whole organisation, by ${path}`, async (t) => {
      const control = await startControl(t);
      for (const workspace_id of ['', 5, true, {}, ['a']]) {
        const reply = await control.call('POST', path, { body: { ...body, workspace_id } });
        const { param } = reply.json.error as JsonObject;
        assert.deepEqual([reply.status, param], [400, 'workspace_id'], JSON.stringify(workspace_id));
      }
      const { id } = await control.ok('POST', path, { body: { ...body, workspace_id: null } });
      assert.equal((await control.ok('GET', `${path}/${id}`)).workspace_id, null);
    });
  }

  it('is one, by its id and by its slug', async (t) => {
    const control = await startControl(t);
    const make = (name: string) => control.ok('POST', '/v1/workspaces', { body: { name } });
    const [one, other] = [await make('One'), await make('Other')];
    const body = { ...policy, workspace_id: one.id as string };
    await control.ok('POST', '/v1/policies/rate-limits', { body });
    const list = (id: unknown, slug: unknown) =>
      control.call('GET', `/v1/policies/rate-limits?workspace_id=${id}&workspace_slug=${slug}`);
    assert.equal((await list(one.id, one.slug)).json.total, 1);
    assert.equal((await list('', one.slug)).json.total, 1);
    const reply = await list(one.id, other.slug);
    assert.equal(reply.status, 400, reply.text);
    assert.match(reply.text, /names two workspaces/);
  });

  it('is its own to the caller who is bound to one, whatever a body says', async (t) => {
    const control = await startControl(t);
    const { id } = await control.ok('POST', '/v1/workspaces', { body: { name: 'Own' } });
    const as = { workspaceId: String(id), keyType: 'workspace-service' } as const;
    for (const workspace_id of ['', 5, 'ws-another']) {
      const made = await control.ok('POST', '/v1/policies/rate-limits', { as, body: { ...policy, workspace_id } });
      assert.equal((await control.ok('GET', `/v1/policies/rate-limits/${made.id}`, { as })).workspace_id, id);
    }
  });
});
