import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asObject, type JsonObject, parseJson } from 'portcullis/sdk';
import { Portkey } from 'portkey-ai';
import { startControl } from '../../support/control.ts';
import { type Peer, startPeer } from '../../support/peer.ts';
import { onEachStore } from '../../support/stores.ts';

/** What the SDK gives, as far as the tests look: its types say `Record` at most. */
type Given = Readonly<Record<string, unknown>> & { readonly data?: readonly JsonObject[] };

const messages = [{ role: 'user' as const, content: 'x' }];

async function given(call: Promise<unknown> | PromiseLike<unknown>): Promise<Given> {
  return (await call) as Given;
}

function rejectedWith(status: number, sentence?: RegExp) {
  return (error: unknown) => {
    const told = error as { readonly status?: number; readonly message?: string };
    assert.equal(told.status, status, String(told.message));
    if (sentence !== undefined) assert.match(String(told.message), sentence);
    return true;
  };
}

const rowOf = (list: Given, slug: string) => list.data?.find((row) => row.slug === slug);

onEachStore((store, _open, fresh) => {
  it(`serves the unmodified admin client from an empty ${store} store to chat calls`, async (t) => {
    const [peer, second] = [await startPeer(t), await startPeer(t)];
    const c = await startControl(t, {
      store: await fresh(),
      config: { server: { headerVendors: ['gw', 'portkey'] } },
    });
    const baseURL = `${c.url}/v1`;
    const client = (options: ConstructorParameters<typeof Portkey>[0]) => new Portkey({ baseURL, ...options });
    const admin = client({ apiKey: c.adminKey });

    const workspace = await manageWorkspaces(admin);
    await manageInvites(admin, workspace, c.url);
    const other = String((await given(admin.admin.workspaces.create({ name: 'Other' }))).id);
    const { serviceKey, otherKey, ofAda } = await manageKeys(admin, workspace, other);
    await manageIntegrations(admin, { workspace, peer, second });
    await manageProviders(admin, workspace);
    const config = await manageConfigs(admin, workspace);
    await manageVirtualKeys(admin, { workspace, peer });

    await chats(client({ apiKey: serviceKey, config }), peer, 'Bearer sk-of-the-integration', 'gpt-4o');
    await chats(
      client({ apiKey: serviceKey, provider: '@team-openai' }),
      peer,
      'Bearer sk-of-the-integration',
      'gpt-4o',
    );
    await chats(client({ apiKey: serviceKey }), peer, 'Bearer sk-of-the-integration', '@team-openai/gpt-4o');
    await chats(client({ apiKey: serviceKey, virtualKey: 'vk-team' }), peer, 'Bearer sk-of-the-virtual-key', 'gpt-4o');
    await chats(client({ apiKey: ofAda.key, config }), peer, 'Bearer sk-of-the-integration', 'gpt-4o');
    await listsModels(client({ apiKey: serviceKey }));
    await fallsBack(client({ apiKey: serviceKey, config }), peer, second);

    const before = peer.requests.length + second.requests.length;
    for (const naming of [{ config }, { provider: '@team-openai' }, { virtualKey: 'vk-team' }]) {
      const stranger = client({ apiKey: otherKey, ...naming });
      await assert.rejects(given(stranger.chat.completions.create({ model: 'gpt-4o', messages })), rejectedWith(400));
    }
    const stranger = client({ apiKey: otherKey });
    const byModel = given(stranger.chat.completions.create({ model: '@team-openai/gpt-4o', messages }));
    await assert.rejects(byModel, rejectedWith(400, /team-openai/));
    assert.equal(peer.requests.length + second.requests.length, before, 'nothing of it reached an upstream');

    await leaves(admin, { workspace, ofAda, client });
    await removeAll(admin, { workspace, config, serviceKey, client });
  });
});

async function manageWorkspaces(admin: Portkey): Promise<string> {
  const made = await given(admin.admin.workspaces.create({ name: 'Team', description: 'of a test' }));
  const id = String(made.id);
  assert.equal((await given(admin.admin.workspaces.retrieve({ workspaceId: id }))).description, 'of a test');
  await admin.admin.workspaces.update({ workspaceId: id, description: 'changed' });
  assert.equal(
    (await given(admin.admin.workspaces.retrieve({ workspaceId: String(made.slug) }))).description,
    'changed',
  );
  const listed = await given(admin.admin.workspaces.list({ page_size: 50, current_page: 0 }));
  assert.equal(rowOf(listed, String(made.slug))?.name, 'Team');
  const gone = await given(admin.admin.workspaces.create({ name: 'Short-lived' }));
  await admin.admin.workspaces.delete({ workspaceId: String(gone.id) });
  assert.equal((await given(admin.admin.workspaces.retrieve({ workspaceId: String(gone.id) }))).status, 'archived');
  return id;
}

async function manageInvites(admin: Portkey, workspace: string, url: string): Promise<void> {
  const { invites } = admin.admin.users;
  const made = await given(
    invites.create({ email: 'ada@example.com', role: 'member', workspaces: [{ id: workspace, role: 'member' }] }),
  );
  const inviteId = String(made.id);
  assert.equal((await given(invites.retrieve({ inviteId }))).status, 'pending');
  const sent = await given(invites.resend({ inviteId }) as unknown as PromiseLike<unknown>);
  const token = new URL(String(sent.inviteLink)).searchParams.get('token') ?? '';
  const accepted = await fetch(`${url}/v1/invites/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, first_name: 'Ada', password: 'a long enough sentence 7' }),
  });
  const user = asObject(parseJson(await accepted.text())) ?? {};
  assert.equal(accepted.status, 200, JSON.stringify(user));
  assert.equal((await given(invites.list({ status: 'accepted' }))).total, 1);
  const userId = String(user.id);
  assert.equal((await given(admin.admin.users.retrieve({ userId }))).email, 'ada@example.com');
  await admin.admin.users.update({ userId, role: 'admin' });
  assert.equal((await given(admin.admin.users.list({ role: 'admin' }))).data?.[0]?.id, userId);
  await admin.admin.workspaces.users.update({ workspaceId: workspace, userId, role: 'manager' });
  const member = await given(admin.admin.workspaces.users.retrieve({ workspaceId: workspace, userId }));
  assert.equal(member.role, 'manager');

  const cancelled = await given(invites.create({ email: 'bob@example.com', role: 'member' }));
  await invites.delete({ inviteId: String(cancelled.id) });
  assert.equal((await given(invites.retrieve({ inviteId: String(cancelled.id) }))).status, 'cancelled');
}

async function manageKeys(admin: Portkey, workspace: string, other: string) {
  const service = (workspace_id: string) =>
    given(
      admin.apiKeys.create({
        type: 'workspace',
        'sub-type': 'service',
        name: 'Service',
        workspace_id,
        scopes: ['completions.write', 'virtual_keys.list'],
      }),
    );
  const made = await service(workspace);
  const [id, serviceKey] = [String(made.id), String(made.key)];
  const [ada] = (await given(admin.admin.users.list({ email: 'ada@example.com' }))).data ?? [];
  const user = await given(
    admin.apiKeys.create({
      type: 'workspace',
      'sub-type': 'user',
      name: 'Of Ada',
      workspace_id: workspace,
      user_id: String(ada?.id),
      scopes: ['completions.write'],
    }),
  );
  assert.equal((await given(admin.apiKeys.retrieve({ id: String(user.id) }))).user_id, ada?.id);
  await admin.apiKeys.update({ id, name: 'Renamed' });
  const read = await given(admin.apiKeys.retrieve({ id }));
  assert.deepEqual([read.name, read.type, read.workspace_id], ['Renamed', 'workspace-service', workspace]);
  assert.equal(JSON.stringify(read).includes(serviceKey), false, 'the secret is shown once');
  const listed = await given(admin.apiKeys.list({ workspace_id: workspace }));
  assert.deepEqual(listed.data?.map(({ name }) => name).toSorted(), ['Of Ada', 'Renamed']);
  const short = await service(workspace);
  await admin.apiKeys.delete({ id: String(short.id) });
  await assert.rejects(given(admin.apiKeys.retrieve({ id: String(short.id) })), rejectedWith(404));
  const ofAda = { id: String(user.id), key: String(user.key), userId: String(ada?.id) };
  return { serviceKey, otherKey: String((await service(other)).key), ofAda };
}

interface Upstreams {
  readonly workspace: string;
  readonly peer: Peer;
  readonly second?: Peer;
}

async function manageIntegrations(admin: Portkey, { workspace, peer, second }: Upstreams): Promise<void> {
  for (const [slug, { origin }] of Object.entries({ openai: peer, spare: second ?? peer })) {
    await admin.integrations.create({
      name: slug,
      slug: `int-${slug}`,
      ai_provider_id: 'openai',
      key: 'sk-first',
      configurations: { custom_host: `${origin}/v1` },
    });
    await admin.integrations.update({ slug: `int-${slug}`, key: 'sk-of-the-integration', description: 'changed' });
    const read = await given(admin.integrations.retrieve({ slug: `int-${slug}` }));
    assert.equal(read.description, 'changed');
    assert.equal(JSON.stringify(read).includes('sk-of-the-integration'), false);
    await admin.integrations.workspaces.update({
      slug: `int-${slug}`,
      workspaces: [{ id: workspace, enabled: true }],
      create_default_provider: false,
    } as Parameters<typeof admin.integrations.workspaces.update>[0]);
    const shared = await given(admin.integrations.workspaces.list({ slug: `int-${slug}` }));
    assert.equal((shared.workspaces as readonly JsonObject[])[0]?.enabled, true);
  }
  await admin.integrations.models.update({
    slug: 'int-openai',
    allow_all_models: true,
    models: [
      { slug: 'own-model', enabled: true, is_custom: true },
      { slug: 'old-model', enabled: true, is_custom: true },
    ],
  } as Parameters<typeof admin.integrations.models.update>[0]);
  await admin.integrations.models.delete({ slug: 'int-openai', slugs: 'old-model' });
  const { models } = await given(admin.integrations.models.list({ slug: 'int-openai' }));
  assert.deepEqual(
    (models as readonly JsonObject[]).map(({ slug }) => slug),
    ['own-model'],
  );
  assert.ok(rowOf(await given(admin.integrations.list({})), 'int-spare'));
}

async function manageProviders(admin: Portkey, workspace: string): Promise<void> {
  for (const name of ['openai', 'spare']) {
    const made = await given(
      admin.providers.create({
        name,
        slug: `team-${name}`,
        integration_id: `int-${name}`,
        workspace_id: workspace,
      } as Parameters<typeof admin.providers.create>[0]),
    );
    assert.equal(made.slug, `team-${name}`);
  }
  await admin.providers.update({ slug: 'team-spare', workspace_id: workspace, note: 'second' });
  const read = await given(admin.providers.retrieve({ slug: 'team-spare', workspace_id: workspace }));
  assert.equal(read.note, 'second');
  assert.ok(rowOf(await given(admin.providers.list({ workspace_id: workspace })), 'team-openai'));
}

async function manageConfigs(admin: Portkey, workspace: string): Promise<string> {
  const config = (attempts: number) => ({
    strategy: { mode: 'fallback' },
    retry: { attempts, on_status_codes: [503] },
    targets: [{ virtual_key: 'team-openai' }, { provider: '@team-spare' }],
  });
  const made = await given(admin.configs.create({ name: 'Main', config: config(0), workspace_id: workspace }));
  const slug = String(made.slug);
  await admin.configs.update({ slug, name: 'Renamed', config: config(1) });
  const read = await given(admin.configs.retrieve({ slug }));
  assert.equal(read.name, 'Renamed');
  assert.deepEqual(parseJson(String(read.config)), config(1));
  assert.ok(rowOf(await given(admin.configs.list({ workspace_id: workspace })), slug));
  return slug;
}

async function manageVirtualKeys(admin: Portkey, { workspace, peer }: Upstreams): Promise<void> {
  const made = await given(
    admin.virtualKeys.create({
      name: 'Team key',
      slug: 'vk-team',
      provider: 'openai',
      key: 'sk-first',
      workspace_id: workspace,
      customHost: `${peer.origin}/v1`,
    } as Parameters<typeof admin.virtualKeys.create>[0]),
  );
  const slug = String(made.slug);
  await admin.virtualKeys.update({ slug, key: 'sk-of-the-virtual-key', note: 'changed' });
  assert.equal((await given(admin.virtualKeys.retrieve({ slug }))).note, 'changed');
  const listed = await given(
    admin.virtualKeys.list({ workspace_id: workspace } as Parameters<typeof admin.virtualKeys.list>[0]),
  );
  assert.ok(rowOf(listed, slug));
}

/** One call whole, one streamed: the upstream sees the credential, and the caller the same text. */
async function chats(caller: Portkey, peer: Peer, authorization: string, model: string): Promise<void> {
  const from = peer.requests.length;
  const whole = await caller.chat.completions.create({ model, messages });
  const text = whole.choices?.[0]?.message?.content;
  assert.ok(typeof text === 'string' && text !== '');
  const stream = await caller.chat.completions.create({ model, messages, stream: true });
  let streamed = '';
  for await (const chunk of stream) streamed += chunk.choices?.[0]?.delta?.content ?? '';
  assert.equal(streamed, text);
  const seen = peer.requests.slice(from).map(({ headers, body }) => [headers.authorization, body.model, body.stream]);
  assert.deepEqual(seen, [
    [authorization, 'gpt-4o', undefined],
    [authorization, 'gpt-4o', true],
  ]);
}

async function fallsBack(caller: Portkey, peer: Peer, second: Peer): Promise<void> {
  const from = peer.requests.length;
  peer.next({ status: 503 }, { status: 503 });
  const reply = await caller.chat.completions.create({ model: 'gpt-4o', messages });
  assert.ok(reply.choices?.[0]?.message?.content);
  assert.deepEqual([peer.requests.length - from, second.requests.length], [2, 1]);
  assert.equal(second.requests[0]?.headers.authorization, 'Bearer sk-of-the-integration');
}

async function listsModels(caller: Portkey): Promise<void> {
  const { data, total_count } = await given(caller.models.list());
  assert.deepEqual([data?.map(({ id }) => id), total_count], [['@team-openai/own-model'], 1]);
}

interface Leaving {
  readonly workspace: string;
  readonly ofAda: { readonly id: string; readonly key: string; readonly userId: string };
  readonly client: (options: { readonly apiKey: string }) => Portkey;
}

/** With the membership go the keys. */
async function leaves(admin: Portkey, { workspace, ofAda, client }: Leaving): Promise<void> {
  const { users } = admin.admin.workspaces;
  await users.delete({ workspaceId: workspace, userId: ofAda.userId });
  assert.equal((await given(users.list({ workspaceId: workspace }))).total, 0);
  const caller = client({ apiKey: ofAda.key });
  const refused = given(caller.chat.completions.create({ model: '@team-openai/gpt-4o', messages }));
  await assert.rejects(refused, rejectedWith(401));
  await assert.rejects(given(admin.apiKeys.retrieve({ id: ofAda.id })), rejectedWith(404));
  await users.create({ workspaceId: workspace, users: [{ id: ofAda.userId, role: 'member' }] });
  assert.equal((await given(users.list({ workspaceId: workspace }))).data?.[0]?.id, ofAda.userId);
  await admin.admin.users.delete({ userId: ofAda.userId });
  await assert.rejects(given(admin.admin.users.retrieve({ userId: ofAda.userId })), rejectedWith(404));
}

interface Remains {
  readonly workspace: string;
  readonly config: string;
  readonly serviceKey: string;
  readonly client: (options: { readonly apiKey: string }) => Portkey;
}

async function removeAll(admin: Portkey, { workspace, config, serviceKey, client }: Remains): Promise<void> {
  const conflict = given(admin.admin.workspaces.delete({ workspaceId: workspace }));
  await assert.rejects(conflict, rejectedWith(409));
  await admin.configs.delete({ slug: config });
  await assert.rejects(given(admin.configs.retrieve({ slug: config })), rejectedWith(404));
  await admin.virtualKeys.delete({ slug: 'vk-team' });
  await assert.rejects(given(admin.virtualKeys.retrieve({ slug: 'vk-team' })), rejectedWith(404));
  for (const name of ['openai', 'spare']) {
    await admin.providers.delete({ slug: `team-${name}`, workspace_id: workspace });
    await admin.integrations.delete({ slug: `int-${name}` });
    await assert.rejects(given(admin.integrations.retrieve({ slug: `int-${name}` })), rejectedWith(404));
  }
  const [key] = (await given(admin.apiKeys.list({ workspace_id: workspace }))).data ?? [];
  await admin.apiKeys.delete({ id: String(key?.id) });
  const caller = client({ apiKey: serviceKey });
  await assert.rejects(given(caller.chat.completions.create({ model: 'echo', messages })), rejectedWith(401));
}
