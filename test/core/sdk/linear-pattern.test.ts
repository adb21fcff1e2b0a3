import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { GatewayError, linearPattern } from 'portcullis/sdk';
import { patternOf } from '../../../sdk/guardrails/linear-pattern.ts';
import { isLinear } from '../../../sdk/guardrails/patterns/linearity.ts';
import { parsePattern } from '../../../sdk/guardrails/patterns/parse.ts';
import { backtrackingSteps } from '../../support/pattern-steps.ts';

const atom = fc.constantFrom(
  ...['a', 'b', 'k', '[ab]', '[^a]', '\\d', '\\w', '\\s', '\\S', '\\W', '.', '1', ' ', '😀', '\\.', '[a-d]', '[\\w-]'],
);
const assertion = fc.constantFrom('\\b', '\\B', '^', '$');
const counts = fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{1,3}', '{2,}', '*?', '+?', '{0,12}', '??');
const repeated = fc.tuple(atom, counts).map(([of, count]) => of + count);
const piece = fc.oneof(
  { weight: 6, arbitrary: repeated },
  { weight: 1, arbitrary: assertion },
  { weight: 2, arbitrary: fc.array(repeated, { minLength: 1, maxLength: 3 }).map((parts) => `(${parts.join('')})`) },
  { weight: 1, arbitrary: fc.tuple(atom, repeated, counts).map(([a, b, count]) => `(?:${a}${b}|${a})${count}`) },
  { weight: 1, arbitrary: fc.tuple(repeated, repeated).map((both) => `(?:${both.join('|')})`) },
);
/** What JavaScript, RE2 and we read alike: no group in a repeat, nothing empty repeated. */
const pattern = fc.array(piece, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
const signs = ['a', 'b', 'c', 'k', 'K', 'A', '1', '2', ' ', '\n', '.', '-', '_', '😀', '\ud83d', '\ude00', 'é'];
const text = fc.array(fc.constantFrom(...signs), { maxLength: 24 }).map((parts) => parts.join(''));

const found = (source: string, flags: string, only: 're2' | undefined, value: string) =>
  [...patternOf(source, flags, 'pattern', only).all(value)].map((match) => [match.index, match.text, ...match.groups]);

describe('the engines of a linear pattern', () => {
  it('find the same', () => {
    const native = { runs: 0 };
    fc.assert(
      fc.property(pattern, fc.constantFrom('', 'i', 's', 'm', 'ims'), text, (source, flags, value) => {
        if (linearPattern(source, flags).engine === 'native') native.runs += 1;
        assert.deepEqual(found(source, flags, undefined, value), found(source, flags, 're2', value));
      }),
      { numRuns: 5000 },
    );
    assert.ok(native.runs > 500, `only ${native.runs} patterns were native`);
  });

  it('find what RegExp finds', () => {
    // V8 finds empty matches between the halves of a surrogate pair too; that is no place in the text.
    const inPair = (value: string, { index, 0: all }: RegExpExecArray) =>
      all === '' && /^[\ud800-\udbff][\udc00-\udfff]$/.test(value.slice(index - 1, index + 1));
    fc.assert(
      fc.property(pattern, fc.constantFrom('', 's'), text, (source, flags, value) => {
        const matches = [...value.matchAll(new RegExp(source, `${flags}gu`))].filter((match) => !inPair(value, match));
        const expected = matches.map((match) => [match.index, ...match]);
        assert.deepEqual(found(source, flags, undefined, value), expected);
        assert.equal(linearPattern(source, flags).test(value), expected.length > 0);
      }),
      { numRuns: 5000 },
    );
  });

  const native = [
    'forbidden',
    '(?i)\\b(?:forbidden|secret)\\b',
    'sk-[A-Za-z0-9]{20,}',
    '\\b\\d{3}-\\d{2}-\\d{4}\\b',
    '\\d{13,16}',
    '(?:password|secret)\\s*[:=]\\s*\\S+',
    '\\b\\w+ing\\b',
    '^\\s*SELECT\\b',
    '#.*',
    '\\b(?:\\d{1,3}\\.){3}\\d{1,3}\\b',
    '(?:\\+?1[-. ]?)?\\(?\\d{3}\\)?[-. ]?\\d{3}[-. ]?\\d{4}',
    '(?i)ignore (?:all |any )?(?:previous|prior|above) (?:instructions|rules)',
  ];
  for (const source of native)
    it(`are RegExp for ${source}`, () => assert.equal(linearPattern(source).engine, 'native'));

  const costly = [
    '(a+)+$',
    '(a|a)*b',
    '(x+x+)+y',
    'a*a*a*b',
    '\\s+$',
    '<[^>]+>',
    '".*"',
    '[a-z]+@[a-z]+',
    '(?:a?){20}a{20}',
    '(?:a|b|ab){1,20}c',
    '.{0,500}x',
    'a[ab]*b',
    '\\b[a-z.]+@',
    '\\w{150}\\w{150}x',
    '\\p{L}x',
    'é',
  ];
  for (const source of costly) {
    const flags = source === 'é' ? 'i' : '';
    it(`are RE2 for ${source}`, () => assert.equal(linearPattern(source, flags).engine, 're2'));
  }

  it('are RegExp only where backtracking takes steps in proportion to the text', () => {
    const some = fc
      .array(fc.constantFrom('a', 'b', 'k', '1', ' ', '.', '-'), { maxLength: 4 })
      .map((all) => all.join(''));
    const native = { runs: 0 };
    fc.assert(
      fc.property(pattern, some, some, some, (source, head, pump, tail) => {
        const { node } = parsePattern(source, '', 'pattern');
        if (!isLinear(node)) return;
        native.runs += 1;
        const steps = (times: number) => backtrackingSteps(node, head + (pump || 'a').repeat(times) + tail);
        const [short, long] = [steps(150), steps(600)];
        assert.ok(long <= 4.5 * short + 2000, `${short} steps, then ${long}`);
      }),
      { numRuns: 5000 },
    );
    assert.ok(native.runs > 300, `only ${native.runs} patterns were native`);
  });

  it('are RegExp only where backtracking takes few steps at each place', () => {
    const value = fc
      .array(fc.constantFrom(...'aabbk1 .-'), { minLength: 200, maxLength: 200 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(pattern, value, (source, given) => {
        const { node } = parsePattern(source, '', 'pattern');
        if (isLinear(node)) assert.ok(backtrackingSteps(node, given) <= 300 * given.length);
      }),
      { numRuns: 3000 },
    );
  });

  it('are told apart by a measure that sees quadratic work', () => {
    const { node } = parsePattern('a*b', '', 'pattern');
    assert.ok(backtrackingSteps(node, 'a'.repeat(600)) > 10 * backtrackingSteps(node, 'a'.repeat(150)));
  });
});

describe('a linear pattern', () => {
  it('gives the first match with its groups', () => {
    const match = linearPattern('(?<user>\\w+)@(\\w+)(\\.org)?').exec('to 😀 ann@example now');
    assert.deepEqual(match, {
      index: 6,
      text: 'ann@example',
      groups: ['ann', 'example', undefined],
      named: { user: 'ann' },
    });
    assert.equal(linearPattern('x').exec('abc'), undefined);
  });

  it('goes on behind a match without length, over whole characters', () => {
    assert.deepEqual(
      [...linearPattern('x*').all('a😀x')].map(({ index }) => index),
      [0, 1, 3, 4],
    );
  });

  it('can be searched from two places at once', () => {
    const digits = linearPattern('\\d');
    const [first, second] = [digits.all('1 2'), digits.all('x 3')];
    assert.deepEqual([first.next().value?.text, second.next().value?.text, first.next().value?.text], ['1', '3', '2']);
  });

  it('refuses to find more matches than were asked for', () => {
    const all = (most?: number) => [...linearPattern('a').all('a'.repeat(10_001), most)].length;
    assert.throws(() => all(), { code: 'check_failed', message: /more than 10000 times/ });
    assert.equal(all(10_001), 10_001);
  });

  it('gives up a search whose matches are decided far behind their ends', () => {
    const search = () => [...linearPattern('a(?:[a-z]*9)?').all('a'.repeat(200_000), 1_000_000)].length;
    assert.throws(search, { code: 'check_failed', message: /needs too long/ });
  });

  const meanings: readonly [source: string, flags: string, text: string, matches: readonly string[]][] = [
    ['(?i)straße', '', 'STRAßE', ['STRAßE']],
    ['k', 'i', 'kK\u212a', ['k', 'K', '\u212a']],
    ['[^k]', 'i', 'kK\u212ax', ['x']],
    ['\\W', 'i', 'sk-', ['-']],
    ['(?i:a)b', '', 'Ab AB', ['Ab']],
    ['a(?-i)b', 'i', 'Ab AB', ['Ab']],
    ['^b$', 'm', 'a\nb\nc', ['b']],
    ['^b$', '', 'a\nb\nc', []],
    ['\\Ab\\z', 'm', 'b', ['b']],
    ['a.c', '', 'a\nc abc', ['abc']],
    ['a.c', 's', 'a\nc', ['a\nc']],
    ['\\s', '', '\u00a0\ufeff', ['\u00a0', '\ufeff']],
    ['\\u0041\\x42\\u{1F600}\\x{43}', '', 'AB😀C', ['AB😀C']],
    ['\\ud83d\\ude00', '', '😀', ['😀']],
    ['\\ud83d', '', '😀\ud83d', ['\ud83d']],
    ['\\p{Lu}+', '', 'ÄÖ x', ['ÄÖ']],
    ['[\\p{Script=Greek}1]+', '', 'αβ1', ['αβ1']],
    ['\\P{L}', '', 'a1', ['1']],
    ['[\\]\\-a]+', '', '-]a', ['-]a']],
    ['a{,2}{b}', '', 'a{,2}{b}', ['a{,2}{b}']],
    ['(?P<n>a)', '', 'a', ['a']],
    ['\\cJ\\t\\0[\\b]', '', '\n\t\0\b', ['\n\t\0\b']],
    ['a|', '', 'a', ['a', '']],
    ['[^\\s\\S]', '', 'a', []],
  ];
  for (const [source, flags, value, matches] of meanings) {
    it(`reads /${source}/${flags}`, () => {
      assert.deepEqual(
        [...linearPattern(source, flags).all(value)].map((match) => match.text),
        matches,
      );
    });
  }

  const refused: readonly [source: string, flags: string, message: RegExp][] = [
    ['a(?=b)', '', /^rule is not a pattern that is accepted: look-around .*\(character 3\)/],
    ['(?<!a)b', '', /look-around/],
    ['(a)\\1', '', /back-references/],
    ['(?<n>a)\\k<n>', '', /back-references/],
    ['(?P=n)', '', /a group begins with/],
    ['(?>a)', '', /a group begins with/],
    ['(?<n>a)(?<n>b)', '', /two groups have the name n/],
    ['(', '', /a group is not closed/],
    [')', '', /a parenthesis is closed/],
    ['[a', '', /a class is not closed/],
    ['[]', '', /an empty class/],
    ['[z-a]', '', /out of order/],
    ['[a-\\d]', '', /from one character to another/],
    ['[[:alpha:]]', '', /named classes/],
    ['*', '', /nothing to repeat/],
    ['a**', '', /a repeat follows a repeat/],
    ['a++', '', /a repeat follows a repeat/],
    ['^*', '', /nothing to repeat/],
    ['a{3,2}', '', /out of order/],
    ['a{1001}', '', /1000 at most/],
    ['(?:a{1000}){1000}', '', /too large/],
    ['(?:(?:a{20}){20}){20}', '', /too large/],
    ['\\', '', /single backslash/],
    ['\\h', '', /the escape \\h is not known/],
    ['\\u{110000}', '', /at most 10ffff/],
    ['\\p{Nonsense}', '', /rule is not a pattern that is accepted/],
    ['('.repeat(500), '', /100 deep at most/],
    ['a'.repeat(4097), '', /4096 characters at most/],
    ['a', 'y', /rule may have the flags i, m, s, u and g/],
    ['a', 'ii', /each once/],
  ];
  for (const [source, flags, message] of refused) {
    it(`refuses /${source.slice(0, 40)}/${flags} and says why`, () => {
      assert.throws(
        () => linearPattern(source, flags, 'rule'),
        (error) =>
          GatewayError.is(error) &&
          error.code === 'invalid_config' &&
          error.param === 'rule' &&
          message.test(error.message),
      );
    });
  }

  for (const source of ['k\\S+', '\\b\\w+ing\\b', 'x[^y]*', '(a|b)*c', '(a+)+$']) {
    it(`searches ten million characters for ${source}`, () => {
      const value = `k${'a'.repeat(10_000_000)}!`;
      assert.equal(linearPattern(source).test(value), source === 'k\\S+');
    });
  }

  it('leaves RegExp where that runs out of its stack', () => {
    const value = `x${'a😀'.repeat(3_300_000)}y`;
    assert.equal(linearPattern('x(?:[^y]*)y').exec(value)?.text.length, value.length);
  });

  it('reads whatever it is given without any other error', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'ab\\()[]{}?*+|^$.-,:=!<>PpwdsSbBzAiku0123😀') }),
        text,
        (source, value) => {
          try {
            for (const match of linearPattern(source).all(value))
              assert.equal(value.startsWith(match.text, match.index), true);
          } catch (error) {
            assert.ok(GatewayError.is(error) && error.code === 'invalid_config', String(error));
          }
        },
      ),
      { numRuns: 5000 },
    );
  });
});
