import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { batchLineOf, checkLines, mostLines } from '../../../core/batches/check-lines.ts';
import { inOrder } from '../../../core/batches/in-order.ts';
import { linesOf } from '../../../core/batches/json-lines.ts';
import { lineRouteOf } from '../../../core/batches/line-routes.ts';
import { opened } from '../../../core/batches/opened.ts';
import { shapeOfReply } from '../../../core/batches/reply-shape.ts';

async function* inPieces(text: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const fileOf = (text: string) => ({ size: Buffer.byteLength(text), open: () => inPieces(text, 1000) });

describe('the lines of a file', () => {
  it('are the same however the bytes come', async () => {
    const text = '\ufeff{"a":1}\r\n\n  \n{"b":"ä€😀"}\n{"c":3}';
    for (const size of [1, 2, 3, 5, 1000]) {
      const lines = await Array.fromAsync(linesOf(inPieces(text, size), 100));
      assert.deepEqual(
        lines.map((item) => [item.number, item.text]),
        [
          [1, '{"a":1}'],
          [4, '{"b":"ä€😀"}'],
          [5, '{"c":3}'],
        ],
        `pieces of ${size}`,
      );
    }
  });

  it('have a bound, which names the line', async () => {
    const read = Array.fromAsync(linesOf(inPieces(`short\n${'x'.repeat(101)}\n`, 7), 100));
    await assert.rejects(read, { code: 'bad_request', message: /^Line 2 of the file is longer than the 100 bytes/ });
  });
});

describe('work in order', () => {
  async function* sizes(...all: readonly number[]) {
    for (const [index, size] of all.entries()) yield { index, size };
  }

  it('gives results in the order of the items, and works at no more than it may', async () => {
    let running = 0;
    let most = 0;
    const work = async ({ index }: { readonly index: number }) => {
      running += 1;
      most = Math.max(most, running);
      await delay(10 - index);
      running -= 1;
      return index;
    };
    const all = Array.from({ length: 10 }, () => 1);
    assert.deepEqual(await Array.fromAsync(inOrder(sizes(...all), { atOnce: 3, mostBytes: 100 }, work)), [
      ...all.keys(),
    ]);
    assert.equal(most, 3);
    most = 0;
    await Array.fromAsync(inOrder(sizes(60, 60, 200, 10), { atOnce: 3, mostBytes: 100 }, work));
    assert.equal(most, 1);
  });

  it('ends with the first failure, when its turn comes', async () => {
    const got: number[] = [];
    const run = async () => {
      const work = async ({ index }: { readonly index: number }) => {
        if (index === 2) throw new Error('no');
        await delay(5);
        return index;
      };
      for await (const index of inOrder(sizes(1, 1, 1, 1), { atOnce: 4, mostBytes: 100 }, work)) got.push(index);
    };
    await assert.rejects(run, { message: 'no' });
    assert.deepEqual(got, [0, 1]);
  });
});

describe('a file that is to be run', () => {
  const lineWith = (id: string, more = {}) =>
    JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/embeddings', body: { input: 'x' }, ...more });
  const check = (text: string) => checkLines(fileOf(text), '/v1/embeddings', 10_000);

  it('has its lines counted and each fault named', async () => {
    assert.deepEqual(await check(`${lineWith('a')}\n\n${lineWith('b')}\n`), { total: 2, faults: [] });
    const { faults } = await check(
      [lineWith(''), lineWith('a', { custom_id: 5 }), lineWith('b', { url: 'x' })].join('\n'),
    );
    assert.deepEqual(
      faults.map(({ code, line, param }) => [code, line, param]),
      [
        ['invalid_custom_id', 1, 'custom_id'],
        ['invalid_custom_id', 2, 'custom_id'],
        ['invalid_url', 3, 'url'],
      ],
    );
    assert.deepEqual(batchLineOf(lineWith('a')), { customId: 'a', body: { input: 'x' } });
  });

  it('has 50,000 lines at most, and a hundred faults are enough', async () => {
    const many = Array.from({ length: mostLines + 1 }, (_, index) => lineWith(`${index}`));
    assert.deepEqual((await check(many.slice(1).join('\n'))).faults, []);
    assert.deepEqual(
      (await check(many.join('\n'))).faults.map(({ code }) => code),
      ['too_many_lines'],
    );
    assert.equal((await check('x\n'.repeat(1000))).faults.length, 100);
  });

  it('is of known routes, with and without /v1', () => {
    assert.equal(lineRouteOf('/chat/completions')?.endpoint, 'chatComplete');
    assert.equal(lineRouteOf('/v1/messages')?.dialect, 'messages');
    for (const url of ['', '/v1/files', '/v1/batches', 'https://example.com/v1/embeddings', '/v1/chat/completions/'])
      assert.equal(lineRouteOf(url), undefined, url);
  });
});

describe('a file that comes from a provider', () => {
  const isOutput = (text: string) => text.startsWith('{"custom_id"');

  it('is told by its first line, and comes whole all the same', async () => {
    for (const [text, expected] of [
      ['\n\n {"custom_id":1}\nrest', true],
      ['{"custom_id":1}', true],
      ['{"other":1}\n', false],
      ['[1]\n{"custom_id":1}\n', false],
      ['', false],
    ] as const)
      for (const size of [1, 4, 100]) {
        const found = await opened(inPieces(text, size), 1000, isOutput);
        assert.equal(found.isOutput, expected, text);
        assert.equal(Buffer.concat(await Array.fromAsync(found.all)).toString(), text);
      }
  });

  it('is refused where its first line is too long to be looked at and may be an answer', async () => {
    const long = `{"custom_id":"${'x'.repeat(200)}"}`;
    await assert.rejects(opened(inPieces(long, 50), 100, isOutput), { code: 'upstream_invalid' });
    const other = await opened(inPieces(`{"x":"${'x'.repeat(200)}"}`, 50), 100, isOutput);
    assert.equal(other.isOutput, false);
  });

  it('has answers whose form tells what they answer', () => {
    assert.equal(shapeOfReply({ object: 'list', data: [{ embedding: [1] }] }).endpoint, 'embed');
    assert.equal(shapeOfReply({ results: [{ index: 0, relevance_score: 1 }] }).endpoint, 'rerank');
    assert.equal(shapeOfReply({ results: [{ flagged: false }] }).endpoint, 'moderate');
    assert.equal(shapeOfReply({ created: 1, data: [{ url: 'x' }] }).endpoint, 'imageGenerate');
    assert.equal(shapeOfReply({ object: 'toString' }).endpoint, 'proxy');
    assert.equal(shapeOfReply({ object: 'list', data: [{ text: 'x' }] }).endpoint, 'proxy');
  });
});
