import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { type Gathered, gatherPartials } from '../../../../plugins/prompts/template/gather.ts';
import { type PartialReference, readPartialReference } from '../../../../plugins/prompts/template/references.ts';
import { parseTemplate } from '../../../../plugins/prompts/template/template.ts';
import { readVariables, type Variables } from '../../../../plugins/prompts/template/variables.ts';
import { templatesOf } from './rendered.ts';

type Texts = Readonly<Record<string, string>>;

function gathered(text: string, partials: Texts, variables: Variables = {}) {
  const asked: string[] = [];
  const templates = templatesOf(partials);
  const load = ({ name, selector }: PartialReference) => {
    const reference = selector === '' ? name : `${name}@${selector}`;
    asked.push(reference);
    return templates.get(reference);
  };
  const found = gatherPartials([parseTemplate(text)], variables, load);
  assert.ok(!(found instanceof Promise), 'gives no promise when nothing has to be waited for');
  return { asked, names: [...found.partials.keys()], missing: found.missing };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('gathering partials', () => {
  const cases: readonly (readonly [string, string, Texts, Variables, readonly string[], readonly string[]])[] = [
    ['asks for nothing without any', 'x{{y}}', {}, {}, [], []],
    ['finds each once', '{{>a}}{{>a}}{{>b}}', { a: '{{>b}}', b: '' }, {}, ['a', 'b'], []],
    [
      'keeps versions apart',
      '{{>a}}{{>a@2}}{{>a@latest}}',
      { a: '', 'a@2': '', 'a@latest': '' },
      {},
      ['a', 'a@2', 'a@latest'],
      [],
    ],
    ['follows partials in partials', '{{>a}}', { a: '{{>b}}', b: '{{>c}}', c: '' }, {}, ['a', 'b', 'c'], []],
    ['says what is missing', '{{>a}}{{>x}}', { a: '{{>y}}' }, {}, ['a'], ['x', 'y']],
    ['follows what variables name', '{{>>v}}', { a: '{{>>o.w}}', b: '' }, { v: 'a', o: '{"w":"b"}' }, ['a', 'b'], []],
    ['passes by variables that name nothing', '{{>>v}}{{>>w}}{{>>z}}{{>>.}}', {}, { v: '', w: null, z: 5 }, [], []],
    ['looks into sections', '{{#s}}{{^t}}{{>a}}{{/t}}{{/s}}', { a: '' }, {}, ['a'], []],
  ];
  for (const [what, text, partials, variables, names, missing] of cases) {
    it(what, () => {
      const found = gathered(text, partials, variables);
      assert.deepEqual([found.names, found.missing], [names, missing]);
      assert.deepEqual(found.asked.toSorted(), [...names, ...missing].toSorted());
    });
  }

  const chain = Object.fromEntries(numbers(11).map((n) => [`p${n}`, n === 10 ? '' : `{{>p${n + 1}}}`]));
  const refused: readonly (readonly [string, string, Texts, Variables, RegExp, string])[] = [
    ['a partial in itself', '{{>a}}', { a: '{{>a}}' }, {}, /itself: a → a\./, 'string'],
    ['a circle', '{{>a}}', { a: '{{>b}}', b: '{{>c}}', c: '{{>b}}' }, {}, /itself: b → c → b\./, 'string'],
    ['a circle by a variable', '{{>a}}', { a: '{{>>v}}' }, { v: 'a' }, /itself: a → a\./, 'string'],
    ['a chain of 11', '{{>p0}}', chain, {}, /10 levels deep: p0 → .* → p10\./, 'string'],
    ['a chain that is known from further down', '{{>p5}}{{>p0}}', chain, {}, /10 levels deep: p0 → /, 'string'],
    [
      '101 partials',
      numbers(101)
        .map((n) => `{{>p${n}}}`)
        .join(''),
      {},
      {},
      /100 different/,
      'string',
    ],
    ['a label on a partial', '{{>a@production}}', {}, {}, /"a@production" names no partial/, 'string'],
    [
      'a malformed reference in a variable',
      '{{>>v}}',
      {},
      { v: 'no such' },
      /"no such" names no partial/,
      'variables.v',
    ],
  ];
  for (const [what, text, partials, variables, message, param] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => gathered(text, partials, variables),
        (error) => GatewayError.is(error) && message.test(error.message) && error.param === param,
      );
    });
  }

  it('takes a chain of 10', () => assert.equal(gathered('{{>p1}}', chain).names.length, 10));

  it('waits for loads that take time, those of a level together', async () => {
    const templates = templatesOf({ a: '{{>c}}', b: '{{>c}}{{>d}}', c: 'c', d: 'd' });
    const log: string[] = [];
    const load = async ({ name }: PartialReference) => {
      log.push(`ask ${name}`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`got ${name}`);
      return templates.get(name);
    };
    const found: Gathered = await gatherPartials([parseTemplate('{{>a}}{{>b}}')], {}, load);
    assert.deepEqual([...found.partials.keys()], ['a', 'b', 'c', 'd']);
    assert.deepEqual(log, ['ask a', 'ask b', 'got a', 'got b', 'ask c', 'ask d', 'got c', 'got d']);
  });
});

describe('a reference to a partial', () => {
  const read: readonly (readonly [string, string, string])[] = [
    ['pp-greeting', 'pp-greeting', ''],
    ['pp-greeting@5', 'pp-greeting', '5'],
    ['pp-greeting@latest', 'pp-greeting', 'latest'],
    ['0197a6b0-7c11-7000-8000-000000000000', '0197a6b0-7c11-7000-8000-000000000000', ''],
    ['x'.repeat(50), 'x'.repeat(50), ''],
  ];
  for (const [text, name, selector] of read) {
    it(`is read from ${text}`, () => assert.deepEqual(readPartialReference(text), { name, selector }));
  }

  for (const text of [
    '',
    '@5',
    'a@',
    'a@0',
    'a@05',
    'a@1.5',
    'a@5@6',
    'a b',
    'a/b',
    '../a',
    'x'.repeat(51),
    'a@1234567890',
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.throws(() => readPartialReference(text), { code: 'bad_request', param: 'string' });
    });
  }
});

describe('variables', () => {
  it('are taken as they come', () => {
    const given = { a: 'x', b: 1, c: null, d: [true, { e: [] }] };
    assert.equal(readVariables(given), given);
  });

  const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  const refused: readonly (readonly [string, unknown, string])[] = [
    ['an array', [], 'variables'],
    ['a text', 'x', 'variables'],
    ['null', null, 'variables'],
    ['a function', { f: () => 1 }, 'variables.f'],
    ['a function further down', { o: { l: [() => 1] } }, 'variables.o'],
    ['a number that JSON has no text for', { n: Number.NaN }, 'variables.n'],
    ['values 101 levels deep', { d: deep(101) }, 'variables.d'],
    ['values 100,000 levels deep', { d: deep(100_000) }, 'variables.d'],
  ];
  for (const [what, value, param] of refused) {
    it(`may not be ${what}`, () => assert.throws(() => readVariables(value), { code: 'bad_request', param }));
  }

  it('may be 100 levels deep', () => assert.ok(readVariables({ d: deep(100) })));
});
