import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { asArray, asObject, type JsonObject } from 'portcullis/sdk';
import type { GatewayOverrides } from '../../core/gateway.ts';
import { errorOf, guarded, without } from '../plugins/guardrails/guarded.ts';
import type { ConfigFragment, Reply, TestGateway } from '../support/gateway.ts';
import { type Act, type PeerRequest, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { account, balanced, byTurns, startAccount, upload } from './affinity-world.ts';
import { ended, fileOf, line, linesIn, says } from './batches-world.ts';

noUnhandledRejections();

/** Waiting is cut short. */
const hurried: GatewayOverrides = {
  sleep: (ms, signal) => delay(Math.min(ms, 2), undefined, signal === undefined ? {} : { signal }),
};

/** A provider that keeps one file and answers chats. */
async function world(
  t: TestContext,
  content: string,
  chat: (request: PeerRequest) => Act = () => ({}),
  fragment: ConfigFragment = {},
  overrides: GatewayOverrides = hurried,
) {
  const peer = await startPeer(t);
  peer.always((request) => {
    if (request.url.includes('/files/')) return { body: content, headers: { 'content-type': 'application/jsonl' } };
    if (request.url.includes('/batches'))
      return {
        body: {
          object: 'list',
          data: [{ id: 'batch_1', object: 'batch' }],
          has_more: true,
          first_id: 'batch_1',
          last_id: 'batch_1',
        },
      };
    return chat(request);
  });
  const gateway = await guarded(t, fragment, overrides);
  const config = (more: JsonObject = {}) => ({
    provider: 'openai',
    api_key: 'k',
    custom_host: `${peer.origin}/v1`,
    ...more,
  });
  const headers = (more: JsonObject = {}) => ({ 'x-gw-config': JSON.stringify(config(more)) });
  const create = (given: Readonly<Record<string, string>> = headers(), more: JsonObject = {}) =>
    gateway.post(
      '/v1/batches',
      { input_file_id: 'file-in', endpoint: '/v1/chat/completions', completion_window: 'immediate', ...more },
      given,
    );
  const chats = () => peer.requests.filter(({ url }) => url.includes('/chat/'));
  return { peer, gateway, create, chats, headers, config };
}

const files = async (gateway: Pick<TestGateway, 'request'>, { output_file_id, error_file_id }: JsonObject) => {
  const read = async (id: unknown) =>
    typeof id === 'string' ? linesIn((await gateway.request('GET', `/v1/files/${id}/content`)).text) : [];
  return { output: await read(output_file_id), errors: await read(error_file_id) };
};

const statusOf = ({ response }: JsonObject) => asObject(response)?.status_code;

describe('a batch that is run at once', () => {
  it('has its results in files, of which no provider knows', async (t) => {
    const { gateway, create, chats, peer } = await world(t, fileOf([line('a', says('x')), line('b', says('y'))]));
    const made = await create(undefined, { metadata: { who: 'me' } });
    assert.equal(made.status, 200, made.text);
    assert.match(String(made.json.id), /^batch_gw_[0-9a-f]{32}$/);
    assert.equal(made.json.status, 'validating');
    const batch = await ended(gateway, made.json.id);
    assert.equal(batch.status, 'completed');
    assert.deepEqual(batch.request_counts, { total: 2, completed: 2, failed: 0 });
    assert.deepEqual(
      [batch.error_file_id, batch.errors, batch.completion_window, batch.metadata],
      [null, null, 'immediate', { who: 'me' }],
    );
    for (const field of ['created_at', 'in_progress_at', 'finalizing_at', 'completed_at', 'expires_at'])
      assert.ok(Number.isSafeInteger(batch[field]), field);
    const { output } = await files(gateway, batch);
    assert.deepEqual(output.map(({ custom_id }) => custom_id).sort(), ['a', 'b']);
    assert.equal(statusOf(output[0] ?? {}), 200);
    assert.equal(asObject(asObject(output[0]?.response)?.body)?.object, 'chat.completion');
    const file = await gateway.request('GET', `/v1/files/${String(batch.output_file_id)}`);
    const content = await gateway.request('GET', `/v1/batches/${String(batch.id)}/output`);
    assert.deepEqual(
      [file.json.object, file.json.purpose, file.json.bytes],
      ['file', 'batch_output', Buffer.byteLength(content.text)],
    );
    assert.deepEqual(linesIn(content.text), output);
    assert.equal(chats().length, 2);
    assert.equal(peer.requests.length, 3);
    const gone = await gateway.request('DELETE', `/v1/files/${String(batch.output_file_id)}`);
    assert.deepEqual(gone.json, { id: batch.output_file_id, object: 'file', deleted: true });
    assert.equal((await gateway.request('GET', `/v1/files/${String(batch.output_file_id)}/content`)).status, 404);
  });

  it('tries again what may help, three times, and what does not help ends in the other file', async (t) => {
    const tried = new Map<string, number>();
    const { gateway, create } = await world(
      t,
      fileOf(['fine', 'twice', 'always', 'wrong'].map((word) => line(word, says(word)))),
      ({ body }) => {
        const word = String(asObject(asArray(body.messages)[0])?.content);
        const tries = (tried.get(word) ?? 0) + 1;
        tried.set(word, tries);
        if (word === 'wrong') return { status: 400, body: { error: { message: 'wrong' } } };
        if (word === 'always') return { status: 503, body: { error: { message: 'busy' } } };
        return word === 'twice' && tries < 3 ? { status: 429, body: { error: { message: 'slower' } } } : {};
      },
    );
    const batch = await ended(gateway, (await create()).json.id);
    assert.deepEqual([batch.status, batch.request_counts], ['completed', { total: 4, completed: 2, failed: 2 }]);
    assert.deepEqual(Object.fromEntries(tried), { fine: 1, twice: 3, always: 4, wrong: 1 });
    const { output, errors } = await files(gateway, batch);
    assert.deepEqual(output.map(({ custom_id }) => custom_id).sort(), ['fine', 'twice']);
    const failed = Object.fromEntries(errors.map((item) => [item.custom_id, statusOf(item)]));
    assert.deepEqual(failed, { always: 503, wrong: 400 });
  });

  it('runs its lines through everything: guardrails deny and change, the log names the batch', async (t) => {
    const { gateway, create, chats, headers } = await world(
      t,
      fileOf([line('good', says('old')), line('bad', says('bad'))]),
    );
    const given = headers({
      input_guardrails: [{ ...without('bad'), deny: true }],
      input_mutators: [{ 'test-probe.swaps': { from: 'old', to: 'new' } }],
    });
    const made = await create({ ...given, 'x-gw-metadata': '{"team":"a"}', 'x-gw-trace-id': 'trace-1' });
    const batch = await ended(gateway, made.json.id);
    assert.deepEqual(batch.request_counts, { total: 2, completed: 1, failed: 1 });
    const { errors } = await files(gateway, batch);
    assert.deepEqual(
      errors.map((item) => [item.custom_id, statusOf(item)]),
      [['bad', 446]],
    );
    assert.deepEqual(
      chats().map(({ body }) => asObject(asArray(body.messages)[0])?.content),
      ['new'],
    );
    const records = (await gateway.records(4)).filter(({ endpoint }) => endpoint === 'chatComplete');
    assert.equal(records.length, 2);
    for (const { metadata, traceId } of records) {
      assert.deepEqual(metadata, { team: 'a', _batch_id: batch.id });
      assert.equal(traceId, 'trace-1');
    }
  });

  it('takes its headers from options in the body too, in three spellings', async (t) => {
    const { gateway, create, config, chats } = await world(t, fileOf([line('a', says('x'))]));
    for (const options of [
      { gw_options: { config: config() } },
      { portkey_options: { 'x-portkey-config': JSON.stringify(config()) } },
      { gw_options: { provider: 'openai', custom_host: String(config().custom_host), metadata: { b: 'c' } } },
    ] as JsonObject[]) {
      const made = await create({ authorization: 'Bearer of-the-provider' }, options);
      assert.equal(made.status, 200, made.text);
      assert.equal((await ended(gateway, made.json.id)).status, 'completed');
    }
    assert.equal(chats().length, 3);
    for (const gw_options of [{ api_key: 'another' }, 'text', { config: 'a\nb' }] as const)
      assert.equal((await create({}, { gw_options })).status, 400);
  });

  it('is cancelled in the middle, and keeps what was finished', async (t) => {
    const begun: PeerRequest[] = [];
    const held = Promise.withResolvers<void>();
    const { gateway, create } = await world(
      t,
      fileOf(Array.from({ length: 200 }, (_, index) => line(`${index}`, says(`${index}`)))),
      (request) => {
        begun.push(request);
        return begun.length > 10 ? { before: held.promise } : {};
      },
    );
    const { id } = (await create()).json;
    while (begun.length < 35) await delay(5);
    const cancelled = await gateway.post(`/v1/batches/${String(id)}/cancel`, {});
    assert.equal(cancelled.json.status, 'cancelling', cancelled.text);
    held.resolve();
    const batch = await ended(gateway, id);
    assert.equal(batch.status, 'cancelled');
    const counts = asObject(batch.request_counts);
    assert.equal(counts?.total, 200);
    assert.ok(Number(counts?.completed) >= 10 && Number(counts?.completed) < 60, JSON.stringify(counts));
    assert.equal((await files(gateway, batch)).output.length, counts?.completed);
    assert.equal((await gateway.post(`/v1/batches/${String(id)}/cancel`, {})).status, 409);
  });

  it('makes no more than 25 requests in 5 seconds', async (t) => {
    const waits: number[] = [];
    const overrides: GatewayOverrides = {
      sleep: (ms, signal) => {
        waits.push(ms);
        return delay(1, undefined, signal === undefined ? {} : { signal });
      },
    };
    const content = fileOf(Array.from({ length: 60 }, (_, index) => line(`${index}`, says('x'))));
    const { gateway, create } = await world(t, content, undefined, {}, overrides);
    const batch = await ended(gateway, (await create()).json.id);
    assert.deepEqual(batch.request_counts, { total: 60, completed: 60, failed: 0 });
    assert.equal(waits.length, 35);
    assert.ok(
      waits.every((ms) => ms > 3_000 && ms <= 10_000),
      String(waits),
    );
  });

  const faulty: readonly [string, string, string, number | null][] = [
    ['no JSON', fileOf([line('a', says('x')), 'nonsense']), 'invalid_json_line', 2],
    ['no lines', '\n', 'empty_file', null],
    ['a custom_id twice', fileOf([line('a', says('x')), line('a', says('y'))]), 'duplicate_custom_id', 2],
    ['another url', fileOf([line('a', says('x'), '/v1/embeddings')]), 'invalid_url', 1],
    ['a stream', fileOf([line('a', says('x', { stream: true }))]), 'invalid_body', 1],
    ['no body', fileOf([{ custom_id: 'a', method: 'POST', url: '/v1/chat/completions' }]), 'invalid_body', 1],
    ['another method', fileOf([{ ...line('a', says('x')), method: 'GET' }]), 'invalid_method', 1],
  ];
  it('fails before anything is asked, for a file that is at fault', async (t) => {
    for (const [what, content, code, number] of faulty) {
      const { gateway, create, chats } = await world(t, content);
      const batch = await ended(gateway, (await create()).json.id);
      assert.equal(batch.status, 'failed', what);
      const [fault] = asArray(asObject(batch.errors)?.data).map(asObject);
      assert.deepEqual([fault?.code, fault?.line], [code, number], what);
      assert.ok(Number.isSafeInteger(batch.failed_at));
      assert.equal(chats().length, 0);
      assert.equal((await gateway.request('GET', `/v1/batches/${String(batch.id)}/output`)).status, 404);
    }
  });

  it('is not made of a file that is not there, for no endpoint of lines, or without a place to ask', async (t) => {
    const { create, peer, headers } = await world(t, '');
    peer.next({ status: 404, body: { error: { message: 'No such File object', type: 'invalid_request_error' } } });
    const missing = await create();
    assert.equal(missing.status, 404, missing.text);
    assert.match(String(errorOf(missing).message), /No such File/);
    const endpoint = await create(headers(), { endpoint: '/v1/audio/speech' });
    assert.deepEqual([endpoint.status, errorOf(endpoint).param], [400, 'endpoint']);
    const nowhere = await create({});
    assert.deepEqual([nowhere.status, errorOf(nowhere).param], [400, 'x-gw-provider']);
    assert.equal((await create(headers(), { input_file_id: 5 })).status, 400);
  });

  it("stands in front of its provider's in lists, and alone where none is asked", async (t) => {
    const { gateway, create, headers, peer } = await world(t, fileOf([line('a', says('x'))]));
    const idsIn = ({ json }: Reply) => asArray(json.data).map((item) => asObject(item)?.id);
    const listed = () => peer.requests.findLast(({ url }) => url.includes('/batches'))?.url ?? '';
    const empty = await gateway.request('GET', '/v1/batches');
    assert.deepEqual(empty.json, { object: 'list', data: [], first_id: null, last_id: null, has_more: false });
    assert.deepEqual(idsIn(await gateway.request('GET', '/v1/batches', { headers: headers() })), ['batch_1']);
    const made: unknown[] = [];
    for (let count = 0; count < 3; count += 1) made.unshift((await create()).json.id);
    assert.deepEqual(idsIn(await gateway.request('GET', '/v1/batches')).sort(), [...made].sort());
    const all = await gateway.request('GET', '/v1/batches?limit=5', { headers: headers() });
    assert.deepEqual(
      [idsIn(all).slice(0, 3).sort(), idsIn(all)[3], all.json.has_more, all.json.last_id],
      [[...made].sort(), 'batch_1', true, 'batch_1'],
    );
    assert.match(listed(), /\?limit=2$/);
    const first = await gateway.request('GET', '/v1/batches?limit=2', { headers: headers() });
    assert.deepEqual([idsIn(first).length, first.json.has_more], [2, true]);
    const rest = await gateway.request('GET', `/v1/batches?limit=2&after=${String(first.json.last_id)}`, {
      headers: headers(),
    });
    assert.deepEqual([idsIn(rest).length, idsIn(rest)[1]], [2, 'batch_1']);
    assert.equal(new Set([...idsIn(first), ...idsIn(rest)]).size, 4);
    assert.match(listed(), /\?limit=1$/);
  });

  it('reads its file where that was made', async (t) => {
    const [a, b] = [await startAccount(t, 'a'), await startAccount(t, 'b')];
    const configs = { main: balanced(account(a, 'key-a'), account(b, 'key-b')) };
    const gateway = await guarded(t, { configs, defaultConfig: 'main' }, { ...hurried, random: byTurns() });
    const body = { endpoint: '/v1/chat/completions', completion_window: 'immediate' };
    for (let turn = 0; turn < 4; turn += 1) {
      const id = await upload(gateway);
      const made = await gateway.post('/v1/batches', { ...body, input_file_id: id });
      assert.equal(made.status, 200, made.text);
      // What the account has of it is no line.
      const batch = await ended(gateway, made.json.id);
      const [fault] = asArray(asObject(batch.errors)?.data).map(asObject);
      assert.deepEqual([batch.status, fault?.code], ['failed', 'invalid_json_line']);
    }
  });

  it('fails with its gateway, which says so', async (t) => {
    const { gateway, create } = await world(t, fileOf([line('a', says('x'))]), () => ({ before: 'never' }));
    const { id } = (await create()).json;
    const { batches } = gateway.gateway.runtime;
    await delay(50);
    await gateway.gateway.close();
    const batch = await batches.find(String(id), 'file');
    assert.deepEqual([batch?.status, batch?.faults.map(({ code }) => code)], ['failed', ['gateway_stopped']]);
  });

  it('runs with the official client', async (t) => {
    const gateway = await guarded(t, {}, hurried);
    const client = gateway.openai({ 'x-gw-provider': 'echo' });
    const file = await client.files.create({
      purpose: 'batch',
      file: new File([fileOf([line('a', says('hello')), line('b', says('world'))])], 'in.jsonl'),
    });
    const batch = await client.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: 'immediate' as never,
      metadata: { why: 'test' },
    });
    let now = await client.batches.retrieve(batch.id);
    while (now.status !== 'completed') {
      assert.notEqual(now.status, 'failed', JSON.stringify(now));
      await delay(20);
      now = await client.batches.retrieve(batch.id);
    }
    const text = await (await client.files.content(now.output_file_id ?? '')).text();
    assert.equal(linesIn(text).length, 2);
    assert.match(text, /hello/);
    const listed = await client.batches.list();
    assert.ok(listed.data.some(({ id }) => id === batch.id));
  });
});
