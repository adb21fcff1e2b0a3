import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asArray, asBoolean, asNumber, asObject, asObjects, asString, compact, omit, parseJson } from 'portcullis/sdk';

const values = [undefined, null, true, 0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '', 'x', [], [1], {}, { a: 1 }];

describe('reading JSON that may be anything', () => {
  const readers: readonly [string, (value: unknown) => unknown, (value: unknown) => boolean, unknown][] = [
    ['asObject', asObject, (value) => typeof value === 'object' && value !== null && !Array.isArray(value), undefined],
    ['asString', asString, (value) => typeof value === 'string', undefined],
    ['asNumber', asNumber, (value) => Number.isFinite(value), undefined],
    ['asBoolean', asBoolean, (value) => typeof value === 'boolean', undefined],
    ['asArray', asArray, Array.isArray, []],
  ];
  for (const [name, read, fits, otherwise] of readers) {
    it(`${name} gives what fits, and ${JSON.stringify(otherwise) ?? 'nothing'} for the rest`, () => {
      for (const value of values) {
        if (fits(value)) assert.equal(read(value), value);
        else assert.deepEqual(read(value), otherwise);
      }
    });
  }

  it('asObjects leaves out what is no object', () =>
    assert.deepEqual(asObjects([1, null, { a: 1 }, [], 'x']), [{ a: 1 }]));

  it('parseJson gives nothing for what is not JSON', () => {
    assert.deepEqual(parseJson('{"a":[1]}'), { a: [1] });
    for (const text of ['', '{', 'undefined', "{'a':1}"]) assert.equal(parseJson(text), undefined);
  });
});

describe('copies of an object', () => {
  it('compact leaves out what is undefined, and keeps null', () =>
    assert.deepEqual(compact({ a: undefined, b: null, c: 0, d: '' }), { b: null, c: 0, d: '' }));

  it('omit leaves out what is named', () => assert.deepEqual(omit({ a: 1, b: 2 }, new Set(['a', 'absent'])), { b: 2 }));

  it('give a key named __proto__ no power over the copy', () => {
    const hostile = JSON.parse('{"__proto__":{"stream":true},"a":1}');
    for (const copy of [compact(hostile), omit(hostile, new Set())]) {
      assert.equal(copy.stream, undefined);
      assert.equal(Object.getPrototypeOf(copy), Object.prototype);
      assert.equal(JSON.stringify(copy), '{"__proto__":{"stream":true},"a":1}');
    }
  });
});
