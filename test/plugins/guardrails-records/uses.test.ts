import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { contains, inEachPlace } from './place.ts';

inEachPlace('guardrails', (place) => {
  const put = (path: string, body: JsonObject) => place().control.call('PUT', path, { body });
  const remove = async (id: string) => (await place().control.call('DELETE', `/v1/guardrails/${id}`)).status;
  const key = async (body: JsonObject) =>
    place().control.ok('POST', '/v1/api-keys/workspace/service', {
      body: { name: 'K', workspace_id: place().workspace, scopes: ['completions.write'], ...body },
    });

  it('are the defaults of an organisation, its own alone, by any of their names', async () => {
    const { control, make, refused } = place();
    const [a, b, ofWorkspace] = [await make({}, null), await make({}, null), await make()];
    const body = { input_guardrails: [a.slug, { id: b.id }, { slug: a.slug }], output_guardrails: [b.id] };
    const shown = {
      input_guardrails: [
        { id: a.id, slug: a.slug },
        { id: b.id, slug: b.slug },
      ],
      output_guardrails: [{ id: b.id, slug: b.slug }],
    };
    const { input_guardrails, output_guardrails } = await control.ok('PUT', '/v2/admin/organisation/defaults', {
      body,
    });
    assert.deepEqual({ input_guardrails, output_guardrails }, shown);
    const entry = await control.gateway.control?.directory.get('organisation', control.organisationId);
    assert.deepEqual(entry?.guardrails, { input: [a.id, b.id], output: [b.id] });
    for (const name of [ofWorkspace.id, 'pg-none', ''])
      assert.deepEqual(
        await refused('PUT', '/v1/organisation/defaults', { body: { input_guardrails: [a.id, name] } }),
        [400, 'defaults.input_guardrails[1]'],
      );
    assert.deepEqual(await refused('PUT', '/v1/organisation', { body: { defaults: { output_guardrails: [{}] } } }), [
      400,
      'defaults.output_guardrails[0]',
    ]);
    assert.equal(await remove(b.slug), 409);
    assert.equal(
      (await put('/v1/organisation/defaults', { input_guardrails: null, output_guardrails: [] })).status,
      200,
    );
    assert.equal(
      (await control.gateway.control?.directory.get('organisation', control.organisationId))?.guardrails,
      undefined,
    );
    assert.equal(await remove(b.slug), 200);
  });

  it('are the defaults of a workspace, its own and the organisation’s', async () => {
    const { control, newWorkspace, make, refused } = place();
    const workspace = await newWorkspace();
    const [own, shared, foreign] = [await make({}, workspace), await make({}, null), await make()];
    const path = `/v1/workspaces/${workspace}`;
    const defaults = { input_guardrails: [own.slug, shared.id], output_guardrails: [{ id: own.id }] };
    assert.equal((await put(path, { defaults })).status, 200);
    const shown = asObject((await control.ok('GET', path)).defaults);
    assert.deepEqual([shown?.input_guardrails, shown?.output_guardrails], [[own.slug, shared.slug], [own.slug]]);
    const entry = await control.gateway.control?.directory.get('workspace', control.organisationId, workspace);
    assert.deepEqual(entry?.guardrails, { input: [own.id, shared.id], output: [own.id] });
    assert.deepEqual(await refused('PUT', path, { body: { defaults: { input_guardrails: [foreign.id] } } }), [
      400,
      'defaults.input_guardrails[0]',
    ]);
    for (const { id } of [own, shared]) assert.equal(await remove(id), 409);
    assert.equal((await put(path, { defaults: { input_guardrails: [], output_guardrails: null } })).status, 200);
    for (const { id } of [own, shared]) assert.equal(await remove(id), 200);
  });

  it('are named for a new workspace from among the organisation’s', async () => {
    const { control, make, refused } = place();
    const [shared, foreign] = [await make({}, null), await make()];
    const body = (name: string): JsonObject => ({ name: 'New', defaults: { input_guardrails: [name] } });
    const made = await control.ok('POST', '/v1/workspaces', { body: body(shared.slug) });
    assert.deepEqual(asObject(made.defaults)?.input_guardrails, [shared.slug]);
    assert.deepEqual(await refused('POST', '/v1/workspaces', { body: body(foreign.slug) }), [
      400,
      'defaults.input_guardrails[0]',
    ]);
    assert.equal(await remove(shared.id), 409);
    await control.ok('DELETE', `/v1/workspaces/${made.id}`);
    assert.equal(await remove(shared.id), 200);
  });

  it('are the defaults of a key, and of whoever comes with it', async () => {
    const { control, make, refused } = place();
    const [own, shared] = [await make(), await make({}, null)];
    const made = await key({ defaults: { input_guardrails: [own.slug], output_guardrails: [{ slug: shared.slug }] } });
    const path = `/v1/api-keys/${made.id}`;
    const shown = asObject((await control.ok('GET', path)).defaults);
    assert.deepEqual([shown?.input_guardrails, shown?.output_guardrails], [[own.slug], [shared.slug]]);
    for (const { id } of [own, shared]) assert.equal(await remove(id), 409);
    assert.deepEqual(await refused('PUT', path, { body: { defaults: { output_guardrails: ['pg-none'] } } }), [
      400,
      'defaults.output_guardrails[0]',
    ]);
    await control.ok('PUT', path, { body: { defaults: { output_guardrails: [] } } });
    assert.equal(await remove(shared.id), 200);
    assert.equal(await remove(own.id), 409);
    await control.ok('PUT', path, { body: { defaults: null } });
    assert.equal(await remove(own.id), 200);
  });

  it('run on the requests of whatever has them as a default', async () => {
    const { control, workspace, make } = place();
    const { id } = await make();
    const status = async (secret: string, content: string) => {
      const reply = await fetch(`${control.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-gw-provider': 'echo', 'x-gw-api-key': secret },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
      });
      await reply.text();
      return reply.status;
    };
    const plain = String((await key({})).key);
    const guarded = String((await key({ defaults: { input_guardrails: [id] } })).key);
    assert.deepEqual([await status(guarded, 'a crane'), await status(guarded, 'a swan')], [446, 200]);
    assert.equal(await status(plain, 'a crane'), 200);
    const path = `/v1/workspaces/${workspace}`;
    await control.ok('PUT', path, { body: { defaults: { input_guardrails: [id] } } });
    assert.deepEqual([await status(plain, 'a crane'), await status(plain, 'a swan')], [446, 200]);
    await control.ok('PUT', path, { body: { defaults: { input_guardrails: [] } } });
    assert.equal(await status(plain, 'a crane'), 200);
  });

  it('are not in use by a key whose metadata holds the same text', async () => {
    const { make } = place();
    const { id } = await make();
    await key({ defaults: { metadata: { note: id } } });
    assert.equal(await remove(id), 200);
  });

  const lists = [
    'input_guardrails',
    'output_guardrails',
    'before_request_hooks',
    'after_request_hooks',
    'default_input_guardrails',
    'default_output_guardrails',
    'input_mutators',
    'output_mutators',
  ];
  for (const list of lists) {
    it(`are named in ${list} of a saved config, where they are there`, async () => {
      const { workspace, make, config, refused } = place();
      const [own, shared] = [await make(), await make({}, null)];
      const { id } = await config({ provider: 'echo', [list]: [own.slug, shared.id] });
      const body = { name: 'x', workspace_id: workspace, config: { provider: 'echo', [list]: [own.id, 'pg-none'] } };
      assert.deepEqual(await refused('POST', '/v1/configs', { body }), [400, `config.${list}[1]`]);
      const { config: changed } = body;
      assert.deepEqual(await refused('PUT', `/v1/configs/${id}`, { body: { config: changed } }), [
        400,
        `config.${list}[1]`,
      ]);
      for (const guardrail of [own, shared]) assert.equal(await remove(guardrail.id), 409);
    });
  }

  it('are looked for in targets at any depth', async () => {
    const { workspace, make, refused } = place();
    const { slug } = await make();
    const leaf = (name: string): JsonObject => ({ provider: 'echo', input_guardrails: [name] });
    const config = (name: string): JsonObject => ({
      strategy: { mode: 'fallback' },
      targets: [leaf(slug), { strategy: { mode: 'loadbalance' }, targets: [leaf(slug), leaf(name)] }],
    });
    const post = (name: string) =>
      refused('POST', '/v1/configs', { body: { name: 'x', workspace_id: workspace, config: config(name) } });
    assert.deepEqual(await post('pg-none'), [400, 'config.targets[1].targets[1].input_guardrails[0]']);
    assert.equal((await post(slug))[0], 200);
  });

  it('of another workspace are none for a config', async () => {
    const { newWorkspace, workspace, make, refused } = place();
    const { id } = await make({}, await newWorkspace());
    const config = { provider: 'echo', input_guardrails: [id] };
    const body = { name: 'x', workspace_id: workspace, config };
    assert.deepEqual(await refused('POST', '/v1/configs', { body }), [400, 'config.input_guardrails[0]']);
  });

  it('are free again once the config is changed, archived or gone', async () => {
    const { control, make, config } = place();
    const { id, slug } = await make();
    const named = { provider: 'echo', input_guardrails: [slug] };
    const [changed, archived, gone] = [await config(named), await config(named), await config(named)];
    assert.equal(await remove(id), 409);
    await control.ok('PUT', `/v1/configs/${changed.id}`, { body: { config: { provider: 'echo' } } });
    await control.ok('PUT', `/v1/configs/${archived.id}`, { body: { status: 'archived' } });
    assert.equal(await remove(id), 409);
    await control.ok('DELETE', `/v1/configs/${gone.id}`);
    assert.equal(await remove(id), 200);
    const again = await control.call('PUT', `/v1/configs/${archived.id}`, { body: { status: 'active' } });
    assert.deepEqual([again.status, asObject(again.json.error)?.param], [400, 'config.input_guardrails[0]']);
  });

  it('are told of by the name of what uses them', async () => {
    const { control, make, config } = place();
    const { id } = await make({ checks: [contains('a')] });
    const used = await config({ provider: 'echo', output_guardrails: [id] });
    const { json } = await control.call('DELETE', `/v1/guardrails/${id}`);
    assert.match(String(json.message), new RegExp(used.slug));
  });
});
