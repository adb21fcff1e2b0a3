import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { composedText, foldedText } from 'portcullis/sdk';

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
    ['letters with their accents apart', 'cafe\u0301 Vie\u0323\u0302t', 'café Việt'],
    ['an accent behind what nobody sees', 'cafe\u200b\u0301', 'café'],
    ['voiced kana and Hangul in pieces', 'か\u3099 \u1112\u1161\u11ab', 'が 한'],
    ['accents for which there is no letter', 'x\u0302', undefined],
    ['narrow and wide spaces', 'a\u202fb\u2007c\u3000d', 'a b c d'],
    ['no-break spaces, which matter in phrases alone', 'a\u00a0b', undefined],
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

  it('has plain spaces in the place of no-break ones where phrases are looked for', () => {
    assert.equal(foldedText('a\u00a0b\u00adc', true)?.text, 'a bc');
    assert.equal(composedText('a\u00a0b\u00adc', true)?.text, 'a b\u00adc');
    assert.equal(composedText('a b', true), undefined);
  });

  it('tells where what was composed begins and ends', () => {
    const unit = fc.constantFrom(
      'a',
      'e',
      '\u0301',
      '\u0323',
      'Ａ',
      '\u200b',
      '\u202f',
      '\u00ad',
      '😀',
      'か',
      '\u3099',
    );
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const text = units.join('');
        const folded = foldedText(text);
        if (folded === undefined) return;
        let from = 0;
        for (let at = 0; at < folded.text.length; at += 1) {
          const [start, end] = [folded.origin(at), folded.end(at + 1)];
          assert.ok(start >= from && end > start && end <= text.length, `${start} to ${end}`);
          const whole = text
            .slice(start, end)
            .replaceAll(/[\u200b\u00ad]/g, '')
            .replaceAll('Ａ', 'A')
            .normalize('NFC');
          const char = folded.text.charAt(at);
          assert.ok(whole.includes(char) || char === ' ', JSON.stringify([whole, char]));
          from = start;
        }
      }),
    );
  });

  it('has endless accents put in order piece by piece', () => {
    const text = `e${'\u0301\u0323'.repeat(100_000)}`;
    assert.equal(foldedText(text)?.text.startsWith('ẹ\u0323'), true);
  });

  it('may be long', () => {
    const folded = foldedText('ｘ\u200b'.repeat(20_000));
    assert.equal(folded?.text, 'x'.repeat(20_000));
    assert.equal(folded?.origin(19_999), 39_998);
  });
});
