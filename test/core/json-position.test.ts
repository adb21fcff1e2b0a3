import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { faultPosition } from 'portcullis/sdk';

describe('the position of a fault in JSON', () => {
  const table: readonly [string, string, number, number][] = [
    ['an empty text', '', 1, 1],
    ['white space alone', ' \n ', 2, 2],
    ['a word', 'hello', 1, 1],
    ['text behind the value', '{"a":1} x', 1, 9],
    ['a second value', '{}{}', 1, 3],
    ['a comma before the bracket', '[1,]', 1, 4],
    ['a comma before the brace', '{"a":1,}', 1, 8],
    ['a missing colon', '{"a" 1}', 1, 6],
    ['a missing comma', '{"a":1 "b":2}', 1, 8],
    ['a missing value', '{"a":}', 1, 6],
    ['a key without quotes', '{a:1}', 1, 2],
    ['single quotes', "{'a':1}", 1, 2],
    ['the wrong bracket', '[1}', 1, 3],
    ['a leading zero', '{"a":01}', 1, 7],
    ['a plus sign', '{"a":+1}', 1, 6],
    ['NaN', '{"a":NaN}', 1, 6],
    ['a word that begins well', '{"a":trueish}', 1, 10],
    ['an open object', '{"a":1', 1, 7],
    ['an open array', '[[1],', 1, 6],
    ['a comment on the third line', '{\n"a": 1,\n// no\n"b": 2}', 3, 1],
    ['a line break inside a text', '{"a":"x\ny"}', 1, 6],
    ['an unknown escape', '["ok", "\\x"]', 1, 8],
    ['a text without an end', '{"a":"b', 1, 6],
    ['a byte order mark', '\ufeff{}', 1, 1],
  ];
  for (const [what, text, line, column] of table) {
    it(`is told for ${what}`, () => {
      assert.throws(() => JSON.parse(text));
      assert.deepEqual(faultPosition(text), { line, column });
    });
  }

  it('lies inside the text, and what stands before it could still become JSON', () => {
    const corrupted = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', ']', '"', ':', 'x', '\\', '\n', '0', '-'), fc.boolean())
      .map(([text, at, put, replace]) => {
        const index = at % (text.length + 1);
        return text.slice(0, index) + put + text.slice(replace ? index + 1 : index);
      })
      .filter((text) => !parses(text));
    fc.assert(
      fc.property(corrupted, (text) => {
        const at = offsetOf(text);
        assert.ok(at >= 0 && at <= text.length);
        assert.ok(isPrefixOfJson(text.slice(0, at)), `nothing can follow ${JSON.stringify(text.slice(0, at))}`);
      }),
      { numRuns: 500 },
    );
  });

  it('is never before the place that a cut text was cut at, less the token that was cut', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, at) => {
        const cut = text.slice(0, at % text.length);
        if (parses(cut)) return;
        const rest = cut.slice(offsetOf(cut));
        assert.match(
          rest,
          /^("[\s\S]*|[\w.+-]*)$/,
          'only a started text, word or number may stand behind the position',
        );
      }),
    );
  });

  it('is found in a text of millions of characters and in one nested as deep', () => {
    const long = `{"a":"${'x'.repeat(20_000_000)}","b":}`;
    assert.deepEqual(faultPosition(long), { line: 1, column: long.length });
    const escapes = `["${'\\n'.repeat(10_000_000)}",]`;
    assert.deepEqual(faultPosition(escapes), { line: 1, column: escapes.length });
    for (const filler of [' '.repeat(20_000_000), '1'.repeat(20_000_000)]) {
      assert.deepEqual(faultPosition(`[${filler}x`), { line: 1, column: filler.length + 2 });
    }
    const deep = '['.repeat(3_000_000);
    assert.deepEqual(faultPosition(deep), { line: 1, column: deep.length + 1 });
  });

  function offsetOf(text: string): number {
    const { line, column } = faultPosition(text);
    const lines = text.split('\n');
    assert.ok(line <= lines.length);
    return lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
  }

  /** Whether some ending makes the text JSON: the position is right before a token, so a value, a key or brackets do. */
  function isPrefixOfJson(text: string): boolean {
    const open: string[] = [];
    for (const token of text.match(/"(?:[^"\\]|\\.)*"|[[\]{}]/g) ?? []) {
      if (token === '[' || token === '{') open.unshift(token === '[' ? ']' : '}');
      else if (token === ']' || token === '}') open.shift();
    }
    const closing = open.join('');
    return ['', '0', '"k":0', ':0'].some(
      (middle) => parses(text + middle + closing) || parses(`${text} ${middle}${closing}`),
    );
  }
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
