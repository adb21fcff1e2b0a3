import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { saved, startGateway } from '../support/gateway.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { account, balanced, byTurns, idsIn, startAccount, upload } from './affinity-world.ts';

noUnhandledRejections();

/** A gateway that balances two accounts by turns. */
async function world(t: TestContext) {
  const [a, b] = [await startAccount(t, 'a'), await startAccount(t, 'b')];
  const gateway = await startGateway(
    t,
    {
      configs: {
        main: balanced(account(a, 'key-a'), account(b, 'key-b')),
        'only-a': account(a, 'key-a'),
        'only-b': account(b, 'key-b'),
        saved: balanced({ provider: '@first' }, { provider: '@second' }),
        'renewed-a': balanced(account(b, 'key-b'), account(a, 'another-key-a')),
        'two-of-a': balanced(account(a, 'key-1'), account(a, 'key-2')),
      },
      providers: { first: saved('openai', `${a.origin}/v1`), second: saved('openai', `${b.origin}/v1`) },
      defaultConfig: 'main',
    },
    { random: byTurns() },
  );
  const by = (config: string) => ({ 'x-gw-config': config });
  const served = () => [a.requests.length, b.requests.length];
  /** Makes objects until one of each account is there. */
  const both = async (make: () => Promise<string>): Promise<readonly [string, string]> => {
    const [one, other] = [await make(), await make()];
    const ofA = [one, other].find((id) => a.objects.has(id));
    const ofB = [one, other].find((id) => b.objects.has(id));
    assert.ok(ofA !== undefined && ofB !== undefined, 'the plan goes by turns');
    return [ofA, ofB];
  };
  const respond = async (body: JsonObject, headers = {}) => {
    const reply = await gateway.post('/v1/responses', { model: 'm', input: 'x', ...body }, headers);
    assert.equal(reply.status, 200, reply.text);
    return reply;
  };
  return { a, b, gateway, by, served, both, respond };
}

describe('a file', () => {
  it('is found by every follow-up, whichever account the plan would choose', async (t) => {
    const { a, b, gateway, both } = await world(t);
    const [ofA, ofB] = await both(() => upload(gateway));
    const before = [a.requests.length, b.requests.length];
    for (let turn = 0; turn < 20; turn += 1) {
      const reply = await gateway.request('GET', `/v1/files/${ofA}`);
      assert.equal(reply.status, 200, reply.text);
    }
    assert.deepEqual([a.requests.length - (before[0] ?? 0), b.requests.length - (before[1] ?? 0)], [20, 0]);
    const content = await gateway.request('GET', `/v1/files/${ofB}/content`);
    assert.equal(content.text, `content of ${ofB}`);
  });

  it('leads its batch to the same account, and the batch its output', async (t) => {
    const { gateway, both, a, b } = await world(t);
    const files = await both(() => upload(gateway));
    for (const [index, input_file_id] of files.entries()) {
      for (let turn = 0; turn < 3; turn += 1) {
        const body = { input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' };
        const batch = await gateway.post('/v1/batches', body);
        assert.equal(batch.status, 200, batch.text);
        const { id, output_file_id } = batch.json;
        assert.ok([a, b][index]?.objects.has(String(id)));
        assert.equal((await gateway.request('GET', `/v1/batches/${id}`)).status, 200);
        assert.equal((await gateway.request('GET', `/v1/files/${output_file_id}/content`)).status, 200);
      }
    }
  });

  it('leads a fine-tuning job and a chat to its account; two of different accounts are refused', async (t) => {
    const { gateway, both, served, b } = await world(t);
    const [ofA, ofB] = await both(() => upload(gateway));
    const job = await gateway.post('/v1/fine_tuning/jobs', { model: 'm', training_file: ofB });
    assert.ok(b.objects.has(String(job.json.id)), job.text);
    const before = served();
    const mixed = await gateway.post('/v1/fine_tuning/jobs', { model: 'm', training_file: ofA, validation_file: ofB });
    assert.equal(mixed.status, 400);
    assert.match(mixed.text, /training_file and validation_file/);
    const content = [ofB, ofA].map((file_id) => ({ type: 'file', file: { file_id } }));
    const chat = await gateway.post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content }] });
    assert.equal(chat.status, 400);
    assert.match(
      chat.text,
      /messages\[0\]\.content\[0\]\.file\.file_id and messages\[0\]\.content\[1\]\.file\.file_id/,
    );
    assert.deepEqual(served(), before);
  });

  it('is forgotten when it is deleted', async (t) => {
    const { a, b, gateway, both } = await world(t);
    const [ofA] = await both(() => upload(gateway));
    assert.equal((await gateway.request('DELETE', `/v1/files/${ofA}`)).json.deleted, true);
    const [before, after] = [[a, b].map(({ requests }) => requests.length), [a, b]];
    for (let turn = 0; turn < 2; turn += 1)
      assert.equal((await gateway.request('GET', `/v1/files/${ofA}`)).status, 404);
    assert.deepEqual(
      after.map(({ requests }, index) => requests.length - (before[index] ?? 0)),
      [1, 1],
    );
  });

  it('that nobody here has made goes where the plan says', async (t) => {
    const { a, b, gateway } = await world(t);
    a.objects.set('file-old', { id: 'file-old', object: 'file' });
    const statuses = [];
    for (let turn = 0; turn < 4; turn += 1) statuses.push((await gateway.request('GET', '/v1/files/file-old')).status);
    assert.deepEqual(statuses.toSorted(), [200, 200, 404, 404]);
    assert.deepEqual([a.requests.length, b.requests.length], [2, 2]);
  });
});

describe('the account of an object', () => {
  it('is called by its saved provider where the plan does not have it', async (t) => {
    const { a, gateway, by } = await world(t);
    const id = await upload(gateway, { 'x-gw-provider': '@first' });
    const reply = await gateway.request('GET', `/v1/files/${id}`, { headers: by('only-b') });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(a.requests.length, 2);
    assert.equal(a.requests[1]?.headers.authorization, 'Bearer operator-key');
    assert.equal((await gateway.request('GET', `/v1/files/${id}`, { headers: by('saved') })).status, 200);
  });

  it('that cannot be reached any more is said to be so', async (t) => {
    const { gateway, by, served } = await world(t);
    const id = await upload(gateway, by('only-a'));
    const before = served();
    const reply = await gateway.request('GET', `/v1/files/${id}`, { headers: by('only-b') });
    assert.equal(reply.status, 404);
    assert.match(reply.text, /provider account/);
    assert.ok(reply.text.includes('not_found'));
    assert.deepEqual(served(), before);
  });

  it('is the same one after its credential was replaced, where no other target has its host', async (t) => {
    const { a, gateway, by } = await world(t);
    const id = await upload(gateway, by('only-a'));
    const reply = await gateway.request('GET', `/v1/files/${id}`, { headers: by('renewed-a') });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(a.requests[1]?.headers.authorization, 'Bearer another-key-a');
    assert.equal((await gateway.request('GET', `/v1/files/${id}`, { headers: by('two-of-a') })).status, 404);
  });
});

describe('a response', () => {
  it('is followed up by the account that has made it', async (t) => {
    const { gateway, both, respond, a, b } = await world(t);
    const ids = await both(async () => String((await respond({})).json.id));
    for (const [index, first] of ids.entries()) {
      let previous = first;
      for (let turn = 0; turn < 3; turn += 1)
        previous = String((await respond({ previous_response_id: previous })).json.id);
      assert.ok([a, b][index]?.objects.has(previous));
      assert.equal((await gateway.request('GET', `/v1/responses/${previous}`)).status, 200);
      assert.equal((await gateway.request('DELETE', `/v1/responses/${previous}`)).json.deleted, true);
    }
  });

  it('that was streamed is followed up too, by streams and others', async (t) => {
    const { respond, a, b, gateway } = await world(t);
    const idOf = (text: string) => /"id":"(resp-[ab]\d+)"/.exec(text)?.[1] ?? '';
    for (let start = 0; start < 2; start += 1) {
      const streamed = await respond({ stream: true });
      assert.match(streamed.text, /response\.completed/);
      let previous = idOf(streamed.text);
      const own = [a, b].find(({ objects }) => objects.has(previous));
      for (const stream of [true, false, true, false]) {
        const reply = await respond({ stream, previous_response_id: previous });
        previous = idOf(reply.text);
        assert.ok(own?.objects.has(previous));
      }
      assert.equal((await gateway.request('GET', `/v1/responses/${previous}`)).status, 200);
    }
  });

  it('comes through a stream untouched', async (t) => {
    const { respond, a, by } = await world(t);
    const streamed = await respond({ stream: true }, by('only-a'));
    a.next({
      events: [
        'data: {"type":"response.created","response":{"id":"resp-x"}}\n\n',
        'data: not JSON\n\n',
        'data: {"type":"response.completed","response":{"id":"resp-x"}}\n\n',
      ],
    });
    const odd = await respond({ stream: true }, by('only-a'));
    assert.match(odd.text, /data: not JSON/);
    assert.match(streamed.text, /"delta":"hello"/);
  });

  for (const stream of [false, true]) {
    it(`takes its encrypted reasoning back to its account, ${stream ? 'streamed' : 'whole'}, though nothing is stored`, async (t) => {
      const { respond, a, b } = await world(t);
      const first = { stream, store: false, include: ['reasoning.encrypted_content'] };
      for (let turn = 0; turn < 2; turn += 1) {
        const { text } = await respond(first);
        const sealed = /sealed-by-\w-\d+/.exec(text)?.[0] ?? '';
        const own = [a, b].find(({ objects }) => [...objects.keys()].some((id) => text.includes(id)));
        const before = own?.requests.length ?? 0;
        const input = [
          { role: 'user', content: 'x' },
          { type: 'reasoning', id: 'rs', summary: [], encrypted_content: sealed },
        ];
        for (let again = 0; again < 3; again += 1) await respond({ input, store: false });
        assert.equal((own?.requests.length ?? 0) - before, 3);
      }
    });
  }

  it('finds its items by their ids', async (t) => {
    const { respond, a, b } = await world(t);
    for (const stream of [false, true]) {
      const { text } = await respond({ stream });
      const item = /"id":"(msg-([ab])\d+)"/.exec(text);
      const own = item?.[2] === 'a' ? a : b;
      const before = own.requests.length;
      for (let turn = 0; turn < 2; turn += 1)
        await respond({ input: [{ type: 'item_reference', id: item?.[1] ?? '' }] });
      assert.equal(own.requests.length - before, 2);
    }
  });

  it('that was not stored is unknown', async (t) => {
    const { gateway, respond, a, b } = await world(t);
    const { id } = (await respond({ store: false })).json;
    for (let turn = 0; turn < 2; turn += 1) await gateway.request('GET', `/v1/responses/${id}`);
    assert.deepEqual(
      [a, b].map(({ requests }) => requests.filter(({ method }) => method === 'GET').length),
      [1, 1],
    );
  });
});

describe('trees of objects', () => {
  for (const [path, more] of [
    ['assistants', { model: 'm' }],
    ['threads', {}],
    ['vector_stores', { name: 'x' }],
    ['conversations', {}],
  ] as const) {
    it(`${path} are found again by their ids, with what is below them`, async (t) => {
      const { gateway, both, a, b } = await world(t);
      const make = async () => String((await gateway.post(`/v1/${path}`, more)).json.id);
      for (const [index, id] of (await both(make)).entries()) {
        const own = [a, b][index];
        const before = own?.requests.length ?? 0;
        for (let turn = 0; turn < 2; turn += 1) {
          assert.equal((await gateway.request('GET', `/v1/${path}/${id}`)).status, 200);
          const below = await gateway.post(`/v1/${path}/${id}/parts`, {});
          assert.equal(below.status, 200, below.text);
        }
        assert.equal((own?.requests.length ?? 0) - before, 4);
        assert.equal((await gateway.request('DELETE', `/v1/${path}/${id}`)).json.deleted, true);
      }
    });
  }

  it('go on with a list where it was begun', async (t) => {
    const { gateway, a } = await world(t);
    const ids = [await upload(gateway), await upload(gateway)];
    const ofA = ids.find((id) => a.objects.has(id));
    const before = a.requests.length;
    for (let turn = 0; turn < 3; turn += 1) await gateway.request('GET', `/v1/files?limit=1&after=${ofA}`);
    assert.equal(a.requests.length - before, 3);
  });

  it('are listed as they are where everything is of one scope', async (t) => {
    const { gateway, by, a } = await world(t);
    await upload(gateway, by('only-a'));
    a.objects.set('file-old', { id: 'file-old', object: 'file' });
    assert.equal(idsIn(await gateway.request('GET', '/v1/files', { headers: by('only-a') })).length, 2);
  });
});
