import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { linearPattern } from 'portcullis/sdk';
import { linearExpression } from '../../../core/config/linear-expression.ts';

const ordinary = [
  'x+y',
  '\\s+$',
  '^\\s*$',
  '^$|^[a-z]+$',
  '^([a-z]+,)*[a-z]+$',
  '^[a-z]+(-[a-z]+)*$',
  '^(a+)+$',
  '^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$',
  '^(\\d{1,3}\\.){3}\\d{1,3}$',
  "^\\p{L}+([ '-]\\p{L}+)*$",
  '^(https?://)?[^/\\s]+(/[^\\s]*)?$',
  '^.*$',
  '',
];
const signs = ['a', 'x', 'y', 'é', '1', '2', '.', '-', ',', '@', ' ', '\n', '/', ':', "'", '😀'];
const word = fc.constantFrom('abc', 'x', 'y', 'http://', '10.0.0.1', 'a@b.c', '-', ',', ' ');
const text = fc.array(fc.oneof(fc.constantFrom(...signs), word), { maxLength: 8 }).map((parts) => parts.join(''));

describe('a pattern of a schema that nobody vouches for', () => {
  it('matches what JSON Schema says', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ordinary), text, (source, value) => {
        assert.equal(linearExpression(source).test(value), new RegExp(source, 'u').test(value));
      }),
      { numRuns: 3000 },
    );
  });

  it('is searched for by RegExp only where that is proved to take linear time, and costs by its size elsewhere', () => {
    assert.equal(linearPattern('^(a+)+$').engine, 're2');
    assert.ok(linearExpression('^(a+)+$').cost < 16);
    assert.ok(linearExpression('(.{0,300}a){2}').cost > 600);
    assert.equal(linearExpression('^a{200}$').cost, linearExpression('^a$').cost);
  });

  it('has no look-around and no back-references', () => {
    for (const source of ['^(?=a)', '(?<!a)b', '(a)\\1', '('])
      assert.throws(() => linearExpression(source), { code: 'invalid_config' });
  });
});
