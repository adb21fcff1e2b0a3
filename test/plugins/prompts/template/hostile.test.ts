import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { parseTemplate } from '../../../../plugins/prompts/template/template.ts';
import type { Variables } from '../../../../plugins/prompts/template/variables.ts';
import { rendered } from './rendered.ts';

function nested(levels: number, inside: string, name = 'l') {
  return `{{#${name}}}`.repeat(levels) + inside + `{{/${name}}}`.repeat(levels);
}

const ten = Array.from({ length: 10 }, (_, index) => index + 1);
const many = Array.from({ length: 2_000_000 }, () => 1);
const longest = 256_000;

/** A text with every name of an object's prototype, and of functions. */
const inherited = [
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.getOwnPropertyNames(Array.prototype).filter((name) => name !== 'length'),
  ...Object.getOwnPropertyNames(String.prototype).filter((name) => name !== 'length'),
];

describe('a hostile template is refused', () => {
  const cases: readonly (readonly [string, string, Variables, RegExp, Readonly<Record<string, string>>?])[] = [
    ['nested sections that multiply', nested(30, 'x'), { l: ten }, /1000000 steps/],
    ['nested sections over texts of JSON', nested(30, 'x'), { l: JSON.stringify(ten) }, /1000000 steps/],
    ['nested sections that write a lot', nested(6, 'x'.repeat(1_000)), { l: ten }, /4194304 characters/],
    ['look-ups through many scopes', nested(30, '{{a.b.c}}'), { l: ten }, /1000000 steps/],
    ['a section without text over many items', '{{#l}}{{/l}}', { l: many }, /1000000 steps/],
    ['a long value many times', '{{x}}'.repeat(100), { x: 'x'.repeat(100_000) }, /4194304 characters/],
    ['a long object many times', '{{x}}'.repeat(100), { x: { a: 'x'.repeat(100_000) } }, /4194304 characters/],
    ['an array of nothing, which is all commas', '{{x}}{{x}}{{x}}', { x: many.map(() => null) }, /4194304 characters/],
    ['one value that is too long', '{{x}}', { x: 'x'.repeat(4_194_305) }, /4194304 characters/],
    [
      'long texts of JSON that are equal but not the same',
      '{{#l}}{{a.x}}{{b.x}}{{/l}}',
      { l: many.slice(0, 200_000), a: `[1${',1'.repeat(500_000)}]`, b: `[1${',1'.repeat(500_000)}]` },
      /1000000 steps/,
    ],
    ['a partial that includes itself', '{{>a}}', {}, /10 levels/, { a: 'x{{>a}}' }],
    ['two partials that include each other', '{{>a}}', {}, /10 levels/, { a: '{{>b}}', b: '{{>a}}' }],
    ['a partial that names itself in a variable', '{{>>p}}', { p: 'a' }, /10 levels/, { a: '{{>>p}}' }],
    ['a partial that includes itself many times', '{{>a}}', {}, /10 levels/, { a: '{{>a}}'.repeat(100) }],
    [
      'partials that multiply',
      '{{>p0}}',
      {},
      /1000000 steps/,
      Object.fromEntries(ten.map((n) => [`p${n - 1}`, `{{>p${n}}}`.repeat(20)])),
    ],
    [
      'partials in a chain of 11',
      '{{>p0}}',
      {},
      /10 levels/,
      Object.fromEntries([...ten, 11].map((n) => [`p${n - 1}`, `{{>p${n}}}`])),
    ],
    ['2,001 tags', '{{x}}'.repeat(2_001), {}, /2000 tags/],
    ['2,001 comments', '{{!}}'.repeat(2_001), {}, /2000 tags/],
    ['2,001 openings', '{{#x}}'.repeat(2_001), {}, /2000 tags/],
    ['sections 33 levels deep', nested(33, 'x'), {}, /32 levels/],
    ['sections 1,000 levels deep', nested(1_000, 'x'), {}, /32 levels/],
    ['a text that is too long', 'x'.repeat(longest + 1), {}, /256000 characters/],
  ];
  for (const [what, template, variables, message, partials] of cases) {
    it(what, () => {
      assert.throws(
        () => rendered(template, variables, partials),
        (error) => GatewayError.is(error) && error.code === 'bad_request' && message.test(error.message),
      );
    });
  }
});

describe('a hostile template does no harm', () => {
  const cases: readonly (readonly [string, string, Variables, string, Readonly<Record<string, string>>?])[] = [
    ['2,000 tags', '{{x}}'.repeat(2_000), { x: 'y' }, 'y'.repeat(2_000)],
    [
      '2,000 tags before a long text',
      '{{x}}'.repeat(2_000) + 'z'.repeat(longest - 10_000),
      {},
      'z'.repeat(longest - 10_000),
    ],
    ['sections 32 levels deep', nested(32, 'x'), { l: true }, 'x'],
    ['a tag of 100,000 characters', `{{${'a'.repeat(100_000)}}}`, {}, `{{${'a'.repeat(100_000)}}}`],
    ['a comment of 100,000 characters', `a{{!${'c'.repeat(100_000)}}}b`, {}, 'ab'],
    ['nothing but opening braces', '{'.repeat(longest), {}, '{'.repeat(longest)],
    ['opening braces with one end', `${'{'.repeat(longest - 2)}}}`, {}, `${'{'.repeat(longest - 2)}}}`],
    ['openings without an end', '{{a '.repeat(longest / 4), {}, '{{a '.repeat(longest / 4)],
    ['space without an end', `{{a${' '.repeat(longest - 3)}`, {}, `{{a${' '.repeat(longest - 3)}`],
    ['space inside a tag', `{{a${' '.repeat(longest - 5)}}}`, {}, `{{a${' '.repeat(longest - 5)}}}`],
    ['space on the line of a comment', `{{!}}${' '.repeat(longest - 5)}`, {}, ''],
    ['half a tag, many times', `${'{{'.repeat(200)}}}`.repeat(500), {}, `${'{{'.repeat(200)}}}`.repeat(500)],
    ['openings that never close', '{{#a}}'.repeat(2_000), { a: true }, '{{#a}}'.repeat(2_000)],
    [
      'closings that were never opened',
      '{{#a}}'.repeat(1_000) + '{{/b}}'.repeat(1_000),
      { a: true },
      '{{#a}}'.repeat(1_000) + '{{/b}}'.repeat(1_000),
    ],
    ['names of prototypes', inherited.map((name) => `{{${name}}}`).join(''), { x: 1 }, ''],
    [
      'names of prototypes after a dot',
      inherited.map((name) => `{{s.${name}}}{{l.${name}}}{{o.${name}}}{{n.${name}}}{{j.${name}}}`).join(''),
      { s: 's', l: [], o: {}, n: 1, j: '{}' },
      '',
    ],
    [
      'names of prototypes as sections',
      inherited.map((name) => `{{#${name}}}x{{/${name}}}{{#o}}{{#${name}}}x{{/${name}}}{{/o}}`).join(''),
      { o: {} },
      '',
    ],
    ['names of prototypes as partials', inherited.map((name) => `{{>${name}}}`).join(''), {}, ''],
    ['the way to a constructor', '{{constructor.name}}{{__proto__.constructor.name}}{{x.constructor}}', { x: {} }, ''],
    [
      'own members of such names',
      '{{__proto__.a}}{{constructor}}',
      JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
      '12',
    ],
    ['own members of such names in JSON', '{{o.__proto__.a}}', { o: '{"__proto__":{"a":1}}' }, '1'],
    ['the length of a string', '[{{s.length}}{{s.0}}]', { s: 'abc' }, '[]'],
    ['JSON nested too deep to count as such', '[{{j.0}}]', { j: '['.repeat(100_000) + ']'.repeat(100_000) }, '[]'],
    ['a value that looks like a pattern', '{{x}}', { x: '(a+)+$'.repeat(100) }, '(a+)+$'.repeat(100)],
    ['a partial that is never reached', '{{#no}}{{>a}}{{/no}}x', {}, 'x', { a: '{{>a}}' }],
  ];
  for (const [what, template, variables, expected, partials] of cases) {
    it(what, () => assert.ok(rendered(template, variables, partials) === expected));
  }

  it('functions among the variables are never called', () => {
    const trap = () => assert.fail('called');
    const variables = { f: trap, o: { toJSON: trap, f: trap } } as unknown as Variables;
    assert.equal(rendered('{{#f}}x{{/f}}[{{o.f.name}}]', { ...variables }).endsWith('[]'), true);
  });

  it('templates are not kept by the library', () => {
    const first = parseTemplate('Hello {{name}}');
    assert.notEqual(parseTemplate('Hello {{name}}').nodes, first.nodes);
  });
});
