import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldedText } from 'portcullis/sdk';

describe('a folded text', () => {
  const table: readonly [string, string, string | undefined][] = [
    ['plain text', 'Größe: 10 °C, “quoted” — 你好，世界：！', undefined],
    ['fullwidth letters and digits', 'Ａｎｎ＠ｅｘａｍｐｌｅ．ｃｏｍ ４２', 'Ann@example.com 42'],
    ['all punctuation, where something else is fullwidth', '（ａ，ｂ）～', '(a,b)~'],
    ['joiners and directions', 'at\u200bt\u200c\u200d\u2060ac\ufeff\u202ek', 'attack'],
    ['soft hyphens', 'at\u00adtack', 'attack'],
    ['selectors of variants', 'a\ufe0ft\u{e0100}t\u034fack', 'attack'],
    ['tags', 'at\u{e0061}\u{e007f}tack', 'attack'],
    ['nothing that is seen', '\u200b\u200b', ''],
    ['half of a tag, which stays', 'a\udb40b\udb40', 'a\udb40b\udb40'],
  ];
  for (const [what, text, folded] of table)
    it(`is that of ${what}`, () => {
      assert.equal(foldedText(text)?.text, folded);
    });

  it('tells where each character comes from', () => {
    const unit = fc.constantFrom('a', 'Ａ', '😀', '\u200b', '\u{e0061}', '\u00ad', '\udb40', ' ');
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const text = units.join('');
        const folded = foldedText(text);
        if (folded === undefined) return;
        const origins = [...folded.text].map((_, at) => folded.origin(at));
        assert.deepEqual(
          origins,
          origins.toSorted((a, b) => a - b),
        );
        for (let at = 0; at < folded.text.length; at += 1) {
          const written = text.charAt(folded.origin(at));
          assert.equal(written === 'Ａ' ? 'A' : written, folded.text.charAt(at));
        }
      }),
    );
  });

  it('may be long', () => {
    const folded = foldedText('ｘ\u200b'.repeat(20_000));
    assert.equal(folded?.text, 'x'.repeat(20_000));
    assert.equal(folded?.origin(19_999), 39_998);
  });
});
