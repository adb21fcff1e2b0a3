import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clientError } from '../support/client-dialects.ts';
import { configOf, providerOf, workspaceOf } from '../support/directory.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { workspaceGateway } from '../support/workspaces.ts';
import { balanced, byTurns, idsIn, startAccount, upload } from './affinity-world.ts';

noUnhandledRejections();

/** Two workspaces that share an account, and one of them has another beside it. */
async function world(t: TestContext) {
  const [a, b] = [await startAccount(t, 'a'), await startAccount(t, 'b')];
  const shared = { settings: { api_key: 'one-key' }, customHost: `${a.origin}/v1` };
  const other = { settings: { api_key: 'other-key' }, customHost: `${b.origin}/v1` };
  const own = providerOf('left', 'own', other);
  const gateway = await workspaceGateway(t, {
    workspaces: [workspaceOf('left'), workspaceOf('right')],
    providers: [providerOf('left', 'shared', shared), own, providerOf('right', 'shared-too', shared)],
    configs: [
      configOf('left', 'both', balanced({ provider: '@shared' }, { provider: '@own' })),
      configOf('left', 'one', { provider: '@shared' }),
    ],
    callers: {
      left: { workspace: 'left', config: 'both' },
      colleague: { workspace: 'left' },
      held: { workspace: 'left', config: 'one', allowConfigOverride: false },
      right: { workspace: 'right' },
    },
    overrides: { random: byTurns() },
  });
  const left = { 'x-gw-api-key': 'left' };
  const right = { 'x-gw-api-key': 'right', 'x-gw-provider': '@shared-too' };
  const colleague = { 'x-gw-api-key': 'colleague', 'x-gw-provider': '@shared' };
  const calls = () => a.requests.length + b.requests.length;
  return { a, b, gateway, left, right, colleague, own, calls };
}

describe('an object of another workspace', () => {
  it('does not exist, by its path, in a body, behind a page, or through the proxy, and nothing is sent', async (t) => {
    const { gateway, colleague, right, calls } = await world(t);
    const file = await upload(gateway, colleague);
    const batch = await gateway.post(
      '/v1/batches',
      { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' },
      colleague,
    );
    const response = await gateway.post('/v1/responses', { model: 'm', input: 'x' }, colleague);
    const thread = await gateway.post('/v1/threads', {}, colleague);
    const store = await gateway.post('/v1/vector_stores', { name: 'x' }, colleague);
    const { output_file_id: output } = batch.json;
    const before = calls();
    const get = (path: string) => gateway.request('GET', path, { headers: right });
    const post = (path: string, body: Parameters<typeof gateway.post>[1]) => gateway.post(path, body, right);
    const input = [{ role: 'user', content: [{ type: 'input_file', file_id: file }] }];
    const replies = await Promise.all([
      get(`/v1/files/${file}`),
      get(`/v1/files/${file}/content`),
      gateway.request('DELETE', `/v1/files/${file}`, { headers: right }),
      get(`/v1/files?after=${file}`),
      get(`/v1/files/${output}/content`),
      get(`/v1/batches/${batch.json.id}`),
      get(`/v1/batches/${batch.json.id}/output`),
      post(`/v1/batches/${batch.json.id}/cancel`, {}),
      post('/v1/batches', { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' }),
      post('/v1/fine_tuning/jobs', { model: 'm', training_file: file }),
      get(`/v1/responses/${response.json.id}`),
      post('/v1/responses', { model: 'm', input: 'x', previous_response_id: String(response.json.id) }),
      post('/v1/responses', { model: 'm', input }),
      get(`/v1/threads/${thread.json.id}`),
      post(`/v1/threads/${thread.json.id}/messages`, { role: 'user', content: 'x' }),
      post('/v1/responses', {
        model: 'm',
        input: 'x',
        tools: [{ type: 'file_search', vector_store_ids: [String(store.json.id)] }],
      }),
      get(`/v1/proxy/files/${file}`),
      get(`/v1/proxy/files//${file}/content`),
      get(`/v1/proxy/%66iles/${file}`),
      get(`/v1/proxy/files?after=${file}`),
      post('/v1/proxy/responses', { model: 'm', input: 'x', previous_response_id: String(response.json.id) }),
      post('/v1/responses/', { model: 'm', input }),
      post('/v1/proxy/batches', { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' }),
      post('/v1/proxy/fine_tuning/jobs', { model: 'm', training_file: file }),
      post('/v1/proxy/threads/runs', { thread: { messages: [{ role: 'user', attachments: [{ file_id: file }] }] } }),
      post('/v1/proxy/vector_stores', { file_ids: [file] }),
      post('/v1/proxy/conversations', { items: input }),
      post('/v1/proxy/messages', { container: { file_ids: [file] } }),
    ]);
    for (const reply of replies) {
      assert.equal(reply.status, 404, reply.text);
      assert.match(reply.text, /does not exist/);
      assert.doesNotMatch(reply.text, /workspace/);
    }
    assert.equal(calls(), before);
    assert.equal((await gateway.request('GET', `/v1/files/${file}`, { headers: colleague })).status, 200);
  });

  it('does not exist in the lines of a file of requests either, which leaves untouched where it is its own', async (t) => {
    const { a, gateway, colleague, right } = await world(t);
    const file = await upload(gateway, colleague);
    const response = await gateway.post('/v1/responses', { model: 'm', input: 'x' }, colleague);
    const content = [{ type: 'file', file: { file_id: file } }];
    const send = async (headers: Readonly<Record<string, string>>, ...lines: string[]) => {
      const form = new FormData();
      form.set('purpose', 'batch');
      form.set('file', new Blob([lines.join('\n')]), 'x.jsonl');
      const reply = await fetch(`${gateway.url}/v1/files`, { method: 'POST', body: form, headers });
      return { status: reply.status, text: await reply.text() };
    };
    const asking = { custom_id: 'one', method: 'POST' };
    const chat = {
      ...asking,
      url: '/v1/chat/completions',
      body: { model: 'm', messages: [{ role: 'user', content }] },
    };
    const going = { ...asking, url: '/v1/responses', body: { model: 'm', previous_response_id: response.json.id } };
    const before = a.requests.length;
    for (const line of [chat, going]) {
      const reply = await send(right, 'not JSON', JSON.stringify(line));
      assert.equal(reply.status, 404, reply.text);
      assert.match(reply.text, /Line 2 \(custom_id \\"one\\"\) of the file: The \w+ \\".+\\" does not exist/);
    }
    assert.equal(a.requests.length, before);
    const spaced = JSON.stringify(chat).replaceAll(',', ' , ');
    assert.equal((await send(colleague, spaced, 'not JSON')).status, 200);
    assert.ok(a.requests.at(-1)?.bytes.toString().includes(`${spaced}\nnot JSON`));
  });

  it("is told in the caller's own format", async (t) => {
    const { gateway, colleague, right } = await world(t);
    const file = await upload(gateway, colleague);
    const content = [{ type: 'document', source: { type: 'file', file_id: file } }];
    const reply = await gateway.post(
      '/v1/messages',
      { model: 'm', max_tokens: 9, messages: [{ role: 'user', content }] },
      right,
    );
    assert.equal(reply.status, 404, reply.text);
    assert.equal(clientError('messages', reply).type, 'not_found_error');
  });

  it('is not among those of a list, which is otherwise as it was', async (t) => {
    const { a, gateway, colleague, right } = await world(t);
    const mine = await upload(gateway, right);
    const theirs = await upload(gateway, colleague);
    a.objects.set('file-old', { id: 'file-old', object: 'file' });
    const seen = await gateway.request('GET', '/v1/files', { headers: right });
    assert.deepEqual(idsIn(seen), [mine, 'file-old']);
    assert.ok(!seen.text.includes(theirs));
    assert.deepEqual(idsIn(await gateway.request('GET', '/v1/files', { headers: colleague })), [theirs, 'file-old']);
    await gateway.post('/v1/vector_stores', { name: 'x' }, colleague);
    assert.deepEqual(idsIn(await gateway.request('GET', '/v1/vector_stores', { headers: right })), []);
  });

  it('does not become one by a look at it: what comes of a batch belongs to those who have started it', async (t) => {
    const { a, gateway, colleague, right } = await world(t);
    a.objects.set('batch-old', { id: 'batch-old', object: 'batch', output_file_id: 'file-out' });
    a.objects.set('file-out', { id: 'file-out', object: 'file' });
    // Nobody here has started it, so that whoever looks at it does not take its output from the others.
    assert.equal((await gateway.request('GET', '/v1/batches/batch-old', { headers: right })).status, 200);
    assert.equal((await gateway.request('GET', '/v1/batches', { headers: right })).status, 200);
    for (const headers of [right, colleague]) {
      assert.equal((await gateway.request('GET', '/v1/files/file-out', { headers })).status, 200);
    }
  });

  it('is own where both have made one of that id', async (t) => {
    const { a, b, gateway, colleague, left, right } = await world(t);
    a.next({ body: { id: 'file-same', object: 'file' } }, { body: { id: 'file-same', object: 'file' } });
    assert.equal(await upload(gateway, right), 'file-same');
    assert.equal(await upload(gateway, colleague), 'file-same');
    a.objects.set('file-same', { id: 'file-same', object: 'file' });
    for (const headers of [left, right]) {
      assert.equal((await gateway.request('GET', '/v1/files/file-same', { headers })).status, 200);
    }
    assert.equal(b.requests.length, 0);
  });
});

describe('an object of the own workspace', () => {
  it('leads every caller of the workspace to its provider', async (t) => {
    const { a, b, gateway, left, colleague } = await world(t);
    const ids = [await upload(gateway, left), await upload(gateway, left)];
    for (const id of ids) {
      for (const headers of [left, left, colleague]) {
        const reply = await gateway.request('GET', `/v1/files/${id}`, { headers });
        assert.equal(reply.status, 200, reply.text);
      }
    }
    assert.deepEqual([a.requests.length, b.requests.length], [4, 4]);
  });

  it('does not lead a caller out of the config that it is held to', async (t) => {
    const { gateway, b, left, a } = await world(t);
    const ids = [await upload(gateway, left), await upload(gateway, left)];
    const before = b.requests.length;
    for (const id of ids) {
      const reply = await gateway.request('GET', `/v1/files/${id}`, { headers: { 'x-gw-api-key': 'held' } });
      assert.equal(reply.status, a.objects.has(id) ? 200 : 404, reply.text);
    }
    assert.equal(b.requests.length, before);
  });

  it("is the provider's after its key was replaced", async (t) => {
    let chance = 0.9;
    const peer = await startPeer(t);
    peer.always({ body: { id: 'file-1', object: 'file' } });
    const fields = { settings: { api_key: 'old' } as Record<string, string>, customHost: `${peer.origin}/v1` };
    const decoy = providerOf('w', 'decoy', { settings: { api_key: 'decoy' }, customHost: `${peer.origin}/v1` });
    const old = providerOf('w', 'p', fields);
    const gateway = await workspaceGateway(t, {
      workspaces: [workspaceOf('w')],
      providers: [decoy, old],
      configs: [configOf('w', 'c', balanced({ provider: '@decoy' }, { provider: '@p' }))],
      callers: { caller: { workspace: 'w', config: 'c', allowConfigOverride: false } },
      overrides: { random: () => chance },
    });
    const headers = { 'x-gw-api-key': 'caller' };
    await upload(gateway, headers);
    fields.settings.api_key = 'new';
    chance = 0.1;
    // As the directory does it: what has changed is another object.
    const original = gateway.directory.get.bind(gateway.directory);
    gateway.directory.get = ((kind: 'provider', ...path: string[]) => {
      const found = original(kind, ...path);
      return kind === 'provider' && found !== undefined ? { ...(found as object) } : found;
    }) as typeof gateway.directory.get;
    for (let turn = 0; turn < 4; turn += 1) await gateway.request('GET', '/v1/files/file-1', { headers });
    assert.deepEqual(
      peer.requests.map((request) => request.headers.authorization),
      ['Bearer old', 'Bearer new', 'Bearer new', 'Bearer new', 'Bearer new'],
    );
  });

  it('tells that its provider has expired since', async (t) => {
    const { gateway, left, colleague, own, b, calls } = await world(t);
    const ids = [await upload(gateway, left), await upload(gateway, left)];
    const ofB = ids.find((id) => b.objects.has(id));
    assert.equal((await gateway.request('GET', `/v1/files/${ofB}`, { headers: colleague })).status, 200);
    Object.assign(own, { status: 'expired' });
    const before = calls();
    const reply = await gateway.request('GET', `/v1/files/${ofB}`, { headers: colleague });
    assert.equal(reply.status, 412, reply.text);
    assert.equal(calls(), before);
  });
});
