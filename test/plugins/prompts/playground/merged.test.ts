import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { merged } from '../../../../plugins/prompts/playground/merged.ts';
import { noUnhandledRejections } from '../../../support/rejections.ts';

noUnhandledRejections();

async function* counting(name: string, count: number, ended: string[] = []): AsyncGenerator<string> {
  try {
    for (let index = 0; index < count; index += 1) yield `${name}${index}`;
  } finally {
    ended.push(name);
  }
}

async function taken(source: AsyncGenerator<string>, most = Number.POSITIVE_INFINITY): Promise<readonly string[]> {
  const values: string[] = [];
  for await (const value of source) {
    values.push(value);
    if (values.length >= most) break;
  }
  return values;
}

describe('merged sources', () => {
  it('are given whole, each in its order', async () => {
    const values = await taken(merged([counting('a', 3), counting('b', 0), counting('c', 2)]));
    assert.deepEqual(values.toSorted(), ['a0', 'a1', 'a2', 'c0', 'c1']);
    for (const name of ['a', 'c'])
      assert.deepEqual(
        values.filter((value) => value.startsWith(name)),
        values.filter((value) => value.startsWith(name)).toSorted(),
      );
  });

  it('are all heard, though others always have something', async () => {
    const values = await taken(merged(['a', 'b', 'c'].map((name) => counting(name, 1_000))), 99);
    for (const name of ['a', 'b', 'c']) assert.equal(values.filter((value) => value.startsWith(name)).length, 33, name);
  });

  it('are ended when they are left, also the one that gave the last value', async () => {
    const ended: string[] = [];
    await taken(merged([counting('a', 9, ended), counting('b', 9, ended), counting('c', 0, ended)]), 1);
    assert.deepEqual(ended.toSorted(), ['a', 'b', 'c']);
  });

  it('are ended when one fails', async () => {
    const ended: string[] = [];
    const failing = async function* (): AsyncGenerator<string> {
      yield 'x';
      throw new Error('broken');
    };
    await assert.rejects(taken(merged([counting('a', 9_000, ended), failing()])), { message: 'broken' });
    assert.deepEqual(ended, ['a']);
  });
});
