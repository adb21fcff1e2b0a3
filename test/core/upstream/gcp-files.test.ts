import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  asObject,
  asString,
  type FlowReply,
  type FlowRequest,
  type FlowTools,
  type JsonObject,
  linesOf,
  listAfter,
  parseJson,
  withoutRoute,
} from 'portcullis/sdk';
import { outputLine, uploadedLine } from '../../../providers/vertex-ai/lines.ts';
import { type Family, familyOf } from '../../../providers/vertex-ai/names.ts';
import { origin } from '../../../providers/vertex-ai/places.ts';
import { placeOf, store } from '../../../providers/vertex-ai/storage.ts';

async function* chunked(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function collected<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('the lines of a file', () => {
  for (const size of [1, 2, 3, 7, 1000]) {
    it(`are the same however the bytes are cut (${size})`, async () => {
      assert.deepEqual(await collected(linesOf(chunked('{"ä":1}\r\n\n{"b":2}\n  \n{"€":3}', size))), [
        '{"ä":1}',
        '{"b":2}',
        '{"€":3}',
      ]);
    });
  }

  it('may not be endless', async () => {
    async function* endless() {
      const chunk = Buffer.alloc(16 * 1024 * 1024, 97);
      for (;;) yield chunk;
    }
    await assert.rejects(collected(linesOf(endless())), { code: 'bad_request' });
  });
});

const tools = { nowSeconds: () => 1, newId: (prefix: string) => `${prefix}1` };
const line = (custom_id: string, more: JsonObject = {}) =>
  JSON.stringify({
    custom_id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'gemini-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] },
    ...more,
  });

/** What a batch writes for a line that was uploaded. */
function answeredTo(uploaded: string): JsonObject {
  const request = asObject(parseJson(uploaded))?.request;
  const response = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] };
  return asObject(parseJson(outputLine(JSON.stringify({ status: '', request, response }), tools))) ?? {};
}

describe('a line of a batch', () => {
  for (const id of ['request-1', 'Mixed Case', 'ü€𝄞', 'x'.repeat(63), 'y'.repeat(64), '0/'.repeat(150), 'a b\nc']) {
    it(`keeps its id in labels: ${id.slice(0, 20).replace('\n', ' ')} (${id.length})`, () => {
      const uploaded = uploadedLine(line(id), 1, undefined, {});
      const labels = asObject(asObject(asObject(parseJson(uploaded))?.request)?.labels) ?? {};
      for (const [key, value] of Object.entries(labels)) {
        assert.match(key, /^[a-z][a-z0-9_-]{0,62}$/);
        assert.match(asString(value) ?? '', /^[a-z0-9_-]{1,63}$/);
      }
      assert.equal(answeredTo(uploaded).custom_id, id);
    });
  }

  it('stays as it is when it is in the form of its model already', () => {
    const own = JSON.stringify({ request: { contents: [] } });
    assert.equal(uploadedLine(own, 1, undefined, {}), own);
  });

  it('is refused with its number when it is no JSON, or for another endpoint', () => {
    assert.throws(() => uploadedLine('nonsense', 7, undefined, {}), { code: 'bad_request', message: /Line 7/ });
    const other = line('a', { url: '/v1/moderations' });
    assert.throws(() => uploadedLine(other, 3, undefined, {}), { code: 'bad_request', message: /Line 3/ });
  });

  for (const body of [{ input: ['a', 'b'] }, { input: 'a', dimensions: 3 }]) {
    it(`of embeddings is refused with ${JSON.stringify(body)}`, () => {
      const text = line('a', { url: '/v1/embeddings', body: { model: 'text-embedding-005', ...body } });
      assert.throws(() => uploadedLine(text, 2, undefined, {}), { code: 'bad_request', message: /Line 2/ });
    });
  }

  it('that is neither answer nor error stays', () => {
    for (const text of ['nonsense', '{"request":{}}', '{"custom_id":"a","response":{"status_code":200}}'])
      assert.equal(outputLine(text, tools), text);
  });

  it('holds the error where there is no answer', () => {
    const failed = parseJson(
      outputLine(JSON.stringify({ custom_id: 'a', status: 'Deadline exceeded', response: {} }), tools),
    );
    assert.deepEqual(failed, {
      id: 'batch_req_1',
      custom_id: 'a',
      response: null,
      error: { code: 'request_failed', message: 'Deadline exceeded' },
    });
  });
});

/** A storage that takes chunks as the real one does. */
function storage(location = 'https://storage.googleapis.com/upload/x?upload_id=1') {
  const requests: FlowRequest[] = [];
  const stored: Uint8Array[] = [];
  const reply = (status: number, headers: Record<string, string>, json: JsonObject = {}): FlowReply => ({
    status,
    headers,
    bytes: Buffer.from(JSON.stringify(json)),
    json,
  });
  const send = async (request: FlowRequest): Promise<FlowReply> => {
    requests.push(request);
    if (request.method === 'POST') return reply(200, { location });
    stored.push(Uint8Array.from(request.body as Uint8Array));
    const isLast = !(request.headers?.['content-range'] ?? '').endsWith('/*');
    return isLast ? reply(200, {}, { name: 'n', bucket: 'b' }) : reply(308, {});
  };
  const flow: FlowTools = {
    send,
    open: () => Promise.reject(new Error('not here')),
    pause: () => Promise.resolve(),
    ...tools,
  };
  return { requests, stored, flow };
}

const mebi = 1024 * 1024;
const place = { bucket: 'b', name: 'n' };
const kept = { filename: 'f', purpose: 'batch' };

async function* pattern(size: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < size; sent += 300_000) {
    yield Uint8Array.from({ length: Math.min(300_000, size - sent) }, (_, at) => (sent + at) % 251);
  }
}

describe('an upload to the storage', () => {
  for (const size of [0, 1, 8 * mebi, 8 * mebi + 1, 20 * mebi]) {
    it(`sends ${size} bytes in chunks that follow each other`, async () => {
      const { requests, stored, flow } = storage();
      await store(place, kept, 'application/jsonl', pattern(size), flow);
      const all = Buffer.concat(stored);
      assert.equal(all.length, size);
      assert.ok(all.every((byte, at) => byte === at % 251));
      const ranges = requests.slice(1).map(({ headers }) => headers?.['content-range']);
      let next = 0;
      for (const [index, range] of ranges.entries()) {
        const isLast = index === ranges.length - 1;
        const length = stored[index]?.length ?? 0;
        const span = length === 0 ? '*' : `${next}-${next + length - 1}`;
        assert.equal(range, `bytes ${span}/${isLast ? size : '*'}`);
        assert.ok(isLast || length % (256 * 1024) === 0);
        next += length;
      }
    });
  }

  it('goes to no other host, whatever the storage answers', async () => {
    const { requests, flow } = storage('https://evil.example/upload?upload_id=1');
    await store(place, kept, 'application/jsonl', pattern(1), flow);
    assert.equal(requests[1]?.url, 'https://storage.googleapis.com/upload?upload_id=1');
  });
});

describe('the id of a file', () => {
  const expected = { bucket: 'my-bucket', name: 'a b/c%.jsonl' };
  const url = 'gs://my-bucket/a b/c%.jsonl';
  const settings = { vertexStorageBucketName: 'my-bucket/in' };
  it('is that of no file in another bucket', () =>
    assert.throws(() => placeOf('gs://your-bucket/a', 'id', settings), { code: 'not_found', param: 'id' }));
  for (const id of [url, encodeURIComponent(url)])
    it(`may come as ${id}`, () => assert.deepEqual(placeOf(id, 'id', settings), expected));
  for (const id of [
    '',
    'file-1',
    'gs://bucket',
    'gs://../x',
    'gs://my-bucket/../your-bucket/x',
    'http://storage/x',
    'gs%3A%2F%2FBad%20Bucket%2Fx',
    '%E0%A4%A',
  ])
    it(`is refused as "${id}"`, () => assert.throws(() => placeOf(id, 'id', settings), { code: 'bad_request' }));
});

describe('a list', () => {
  const pages = [['a', 'b'], ['c', 'd'], ['e']];
  const fetch = async (token: string | undefined) => {
    const page = Number(token ?? 0);
    const data = (pages[page] ?? []).map((id) => ({ id }));
    return { data, next: page + 1 < pages.length ? String(page + 1) : undefined };
  };
  const table: readonly [Record<string, string>, readonly string[], boolean][] = [
    [{}, ['a', 'b', 'c', 'd', 'e'], false],
    [{ limit: '2' }, ['a', 'b'], true],
    [{ limit: '2', after: 'b' }, ['c', 'd'], true],
    [{ limit: '2', after: 'd' }, ['e'], false],
    [{ limit: '3', after: 'e' }, [], false],
    [{ after: 'none' }, [], false],
    [{ limit: 'nonsense', after: 'c' }, ['d', 'e'], false],
  ];
  for (const [query, ids, hasMore] of table) {
    it(`goes on after an id: ${JSON.stringify(query)}`, async () => {
      const list = await listAfter(query, fetch);
      assert.deepEqual([(list.data as readonly JsonObject[]).map(({ id }) => id), list.has_more], [ids, hasMore]);
    });
  }
});

describe('a model', () => {
  const table: readonly [string, Family][] = [
    ['gemini-2.5-flash', 'gemini'],
    ['google.gemini-2.5-flash', 'gemini'],
    ['google/gemini-2.5-flash', 'gemini'],
    ['publishers/google/models/gemini-2.5-flash', 'gemini'],
    ['endpoints/123', 'gemini'],
    ['projects/p/locations/r/endpoints/123', 'gemini'],
    ['text-embedding-005', 'gemini'],
    ['', 'gemini'],
    ['anthropic.claude-sonnet-4-5@20250929', 'claude'],
    ['anthropic/claude-opus-4', 'claude'],
    ['claude-3-haiku@20240307', 'claude'],
    ['meta.llama-3.3-70b-instruct-maas', 'open'],
    ['meta/llama-3.3-70b-instruct-maas', 'open'],
    ['deepseek-ai/deepseek-r1-0528-maas', 'open'],
    ['mistralai.mistral-large-2411', 'mistral'],
    ['codestral-2501', 'mistral'],
    ['ai21.jamba-1.5-large@001', 'mistral'],
    ['endpoints.123', 'endpoint'],
  ];
  for (const [model, family] of table)
    it(`${model || '(none)'} is of the family ${family}`, () => assert.equal(familyOf(model), family));
});

describe('the host of a region', () => {
  const table: readonly [string, string][] = [
    ['europe-west4', 'https://europe-west4-aiplatform.googleapis.com'],
    ['global', 'https://aiplatform.googleapis.com'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com'],
    ['us', 'https://aiplatform.us.rep.googleapis.com'],
  ];
  for (const [region, host] of table) it(region, () => assert.equal(origin({ vertexRegion: region }), host));
});

describe('a body of the content format', () => {
  it('loses what stands in its path, and is untouched otherwise', () => {
    const body = { contents: [] };
    assert.equal(withoutRoute(body), body);
    assert.deepEqual(withoutRoute({ model: 'm', stream: true, contents: [] }), { contents: [] });
  });
});
