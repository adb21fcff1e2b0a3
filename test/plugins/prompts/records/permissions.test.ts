import assert from 'node:assert/strict';
import { it } from 'node:test';
import { scopesOfWorkspaceRole } from 'portcullis/sdk';
import { inEachPlace, inWorkspace, type Place, standard } from './place.ts';

type Call = readonly [method: string, path: string, verb: string, body?: object];

const verbs = ['list', 'read', 'create', 'update', 'delete', 'publish', 'render'];

const ofPrompts: readonly Call[] = [
  ['GET', '/v1/prompts', 'list'],
  ['POST', '/v1/prompts', 'create', standard],
  ['GET', '/v1/prompts/:id', 'read'],
  ['GET', '/v1/prompts/:id/versions', 'read'],
  ['GET', '/v1/prompts/:id/versions/:version', 'read'],
  ['PUT', '/v1/prompts/:id', 'update', { name: 'x' }],
  ['PUT', '/v1/prompts/:id/versions/:version', 'update', { label_id: null }],
  ['PUT', '/v1/prompts/:id/makeDefault', 'publish', { version: 1 }],
  ['DELETE', '/v1/prompts/:id', 'delete'],
];

const ofPartials: readonly Call[] = [
  ['GET', '/v1/prompts/partials', 'list'],
  ['POST', '/v1/prompts/partials', 'create', { name: 'x', string: 'x' }],
  ['GET', '/v1/prompts/partials/:id', 'read'],
  ['GET', '/v1/prompts/partials/:id/versions', 'read'],
  ['PUT', '/v1/prompts/partials/:id', 'update', { name: 'x' }],
  ['PUT', '/v1/prompts/partials/:id/makeDefault', 'publish', { version: 1 }],
  ['DELETE', '/v1/prompts/partials/:id', 'delete'],
];

inEachPlace('permissions', (place) => {
  for (const call of [...ofPrompts, ...ofPartials]) {
    const [method, path, verb] = call;
    it(`of ${verb} are needed to ${method} ${path}`, async () => {
      const { workspace, newWorkspace } = place();
      const others = verbs.filter((one) => one !== verb).map((one) => `prompts.${one}`);
      assert.equal(await statusOf(call, inWorkspace(workspace, others)), 403);
      assert.equal(await statusOf(call, inWorkspace(workspace, [`prompts.${verb}`])), 200);
      const elsewhere = inWorkspace(await newWorkspace(), [`prompts.${verb}`]);
      if (path.includes(':id')) assert.equal(await statusOf(call, elsewhere), 404);
    });
  }

  it('are asked for where the prompt is, not where the caller has them', async () => {
    const { control, make, newWorkspace } = place();
    const { id } = await make();
    const person = { userId: 'ada', organisationRole: 'member', workspaceId: await newWorkspace() } as const;
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { name: 'x' }],
      ['PUT', '/makeDefault', { version: 1 }],
      ['DELETE', '', undefined],
    ] as const) {
      const reply = await control.call(method, `/v1/prompts/${id}${path}`, {
        as: person,
        ...(body === undefined ? {} : { body }),
      });
      assert.ok([403, 404].includes(reply.status), `${method} ${path} ${reply.status}`);
    }
  });

  it('to write are not those of members, until their toggle says so', async () => {
    const { control } = place();
    const key = await memberKey(place());
    const made = await place().make({}, key.workspace);
    const put = () => control.call('PUT', `/v1/prompts/${made.id}`, { key: key.secret, body: { name: 'x' } });
    assert.equal((await put()).status, 403);
    await toggles(place(), { membersWritePrompts: true });
    assert.equal((await put()).status, 200);
    const publish = await control.call('PUT', `/v1/prompts/${made.id}/makeDefault`, {
      key: key.secret,
      body: { version: 1 },
    });
    assert.equal(publish.status, 200);
    await toggles(place(), { membersWritePrompts: false });
    for (const [method, path, , body] of [...ofPrompts, ...ofPartials].filter(([method]) => method !== 'GET')) {
      const url = path.replace(':id', made.id).replace(':version', made.version_id);
      const { status } = await control.call(method, url, { key: key.secret, body: { ...body } });
      assert.equal(status, 403, `${method} ${path}`);
    }
  });

  it('to see are those of members, until their toggle takes them', async () => {
    const { control } = place();
    const key = await memberKey(place());
    const made = await place().make({}, key.workspace);
    const statuses = async () => {
      const all: number[] = [];
      for (const [, path] of ofPrompts.filter(([method]) => method === 'GET')) {
        const url = path.replace(':id', made.id).replace(':version', made.version_id);
        all.push((await control.call('GET', url, { key: key.secret })).status);
      }
      return all;
    };
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    await toggles(place(), { membersViewPrompts: false });
    assert.deepEqual(await statuses(), [403, 403, 403, 403]);
    await toggles(place(), { membersViewPrompts: true });
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
  });

  async function statusOf([method, path, , body]: Call, as: ReturnType<typeof inWorkspace>): Promise<number> {
    const { control, make, partial } = place();
    const { id, version_id } = path.includes('/partials') ? await partial() : await make();
    const url = path.replace(':id', id).replace(':version', version_id);
    return (await control.call(method, url, { as, ...(body === undefined ? {} : { body: { ...body } }) })).status;
  }
});

async function toggles({ control }: Place, security_settings: Readonly<Record<string, boolean>>): Promise<void> {
  await control.ok('PUT', '/v1/organisation', { body: { security_settings } });
}

/** The key of a member of a workspace of its own. */
async function memberKey({ control, newWorkspace }: Place): Promise<{ secret: string; workspace: string }> {
  const workspace = await newWorkspace();
  const email = `member-${workspace}@example.com`;
  const { invite_link: link } = await control.ok('POST', '/v1/admin/users/invites', {
    body: { email, role: 'member', workspaces: [{ id: workspace, role: 'member' }] },
  });
  const token = new URL(String(link)).searchParams.get('token') ?? '';
  await control.ok('POST', '/v1/invites/accept', { body: { token, first_name: 'Ada' } });
  const { data } = await control.ok('GET', `/v1/admin/users?email=${encodeURIComponent(email)}`);
  const user_id = String((data as { id: string }[])[0]?.id);
  const scopes = [...scopesOfWorkspaceRole('manager', {})].filter((scope) => scope.startsWith('prompts.'));
  const body = { name: 'k', workspace_id: workspace, user_id, scopes };
  const { key } = await control.ok('POST', '/v1/api-keys/workspace/user', { body });
  return { secret: String(key), workspace };
}
