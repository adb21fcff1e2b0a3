import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Variables } from '../../../../plugins/prompts/template/variables.ts';
import { rendered } from './rendered.ts';

type Case = readonly [template: string, variables: Variables, expected: string];

const people = [{ name: 'Ann' }, { name: 'Bob' }];

const tables: Readonly<Record<string, readonly Case[]>> = {
  'inserts values': [
    ['Hello {{name}}!', { name: 'Ann' }, 'Hello Ann!'],
    ['{{a}}{{b}}', { a: 'x', b: 'y' }, 'xy'],
    ['{{ name }}', { name: 'Ann' }, 'Ann'],
    ['{{\n name\t}}', { name: 'Ann' }, 'Ann'],
    ['{{first name}}', { 'first name': 'Ann' }, 'Ann'],
    ['{{größe}} {{名前}}', { größe: 'XL', 名前: 'Ann' }, 'XL Ann'],
    ['{{{name}}}', { name: '<b>' }, '<b>'],
    ['{{&name}} {{& name }}', { name: '<b>' }, '<b> <b>'],
    ['{{html}}', { html: '<a href="x">&\'`=/</a>' }, '<a href="x">&\'`=/</a>'],
    ['{{text}}', { text: 'a "quoted"\nline \\' }, 'a "quoted"\nline \\'],
    ['{{text}}', { text: '{{name}}', name: 'not filled in twice' }, '{{name}}'],
    ['{{text}}', { text: '$& $1 \uFFFF 0;' }, '$& $1 \uFFFF 0;'],
    ['[{{missing}}]', {}, '[]'],
    ['[{{none}}]', { none: null }, '[]'],
    ['[{{empty}}]', { empty: '' }, '[]'],
    ['{{n}} {{zero}} {{minus}}', { n: 1.5, zero: 0, minus: -2 }, '1.5 0 -2'],
    ['{{yes}} {{no}}', { yes: true, no: false }, 'true false'],
    ['{{o}}', { o: { a: 1, b: ['x'] } }, '{"a":1,"b":["x"]}'],
    ['{{l}}', { l: ['a', 2, true] }, 'a,2,true'],
    ['{{l}}', { l: [{ a: 1 }, [1, 2], null, 'x'] }, '{"a":1},[1,2],,x'],
    ['[{{l}}]', { l: [] }, '[]'],
    ['{{j}}', { j: ' { "a" : 1 } ' }, ' { "a" : 1 } '],
  ],
  'follows dotted names': [
    ['{{user.name}}', { user: { name: 'Ann' } }, 'Ann'],
    ['{{a.b.c.d}}', { a: { b: { c: { d: 'deep' } } } }, 'deep'],
    ['{{l.0}}{{l.1}}', { l: ['a', 'b'] }, 'ab'],
    ['{{l.length}}', { l: ['a', 'b'] }, '2'],
    ['[{{user.age}}]', { user: { name: 'Ann' } }, '[]'],
    ['[{{user.name.first}}]', { user: { name: 'Ann' } }, '[]'],
    ['[{{user.name}}]', { user: null }, '[]'],
    ['{{user.name}}', { user: '{"name": "Ann"}' }, 'Ann'],
    ['{{a.b.c}}', { a: '{"b": "{\\"c\\": 1}"}' }, '1'],
    ['[{{user.name}}]', { user: '{"name": ' }, '[]'],
    ['[{{a..b}}{{.a}}{{a.}}]', { a: { b: 'x' } }, '[]'],
  ],
  'repeats sections': [
    ['{{#people}}<{{name}}>{{/people}}', { people }, '<Ann><Bob>'],
    ['{{#people}}{{name}} of {{team}}, {{/people}}', { people, team: 'red' }, 'Ann of red, Bob of red, '],
    ['{{#l}}{{.}};{{/l}}', { l: ['a', 1, true, null] }, 'a;1;true;;'],
    ['{{#l}}{{.}};{{/l}}', { l: [{ a: 1 }, ['x', 'y']] }, '{"a":1};x,y;'],
    ['{{#l}}({{#.}}{{.}}{{/.}}){{/l}}', { l: [[1, 2], [3]] }, '(12)(3)'],
    ['{{#user}}{{name}}{{/user}}', { user: { name: 'Ann' } }, 'Ann'],
    ['{{#a}}{{#b}}{{c}}{{d}}{{/b}}{{/a}}', { a: { b: { c: 1 } }, d: 2 }, '12'],
    ['{{#a}}{{x}}{{/a}}', { a: { x: null }, x: 'outer' }, ''],
    ['{{#a}}{{x.y}}{{/a}}', { a: { x: {} }, x: { y: 'outer' } }, 'outer'],
    ['{{#l}}{{#.}}{{/.}}{{#s}}{{.}}{{/s}}{{/l}}', { l: [1, 2], s: 'x' }, 'xx'],
    ['{{#s}}{{.}}!{{/s}}', { s: 'hi' }, 'hi!'],
    ['{{#n}}{{.}}{{/n}}', { n: 5 }, '5'],
    ['{{#yes}}{{name}}{{/yes}}', { yes: true, name: 'Ann' }, 'Ann'],
    ['{{#l}}{{#yes}}{{.}}{{/yes}}{{/l}}', { l: ['a', 'b'], yes: true }, 'ab'],
    ['{{#user.tags}}#{{.}}{{/user.tags}}', { user: { tags: ['a', 'b'] } }, '#a#b'],
    ['{{# l }}x{{/l }}', { l: [1, 2] }, 'xx'],
    ['{{#l}}x{{/l}}', { l: [null, false] }, 'xx'],
    ['{{#j}}{{a}}{{/j}}', { j: '[{"a":1},{"a":2}]' }, '12'],
    ['{{#j}}{{a}}={{.}}{{/j}}', { j: '{"a": 1}' }, '1={"a": 1}'],
    ['{{#l}}{{a}}{{/l}}', { l: ['{"a":1}', '{"a":2}'] }, '12'],
    ['{{#j}}{{.}}{{/j}}', { j: '[broken' }, '[broken'],
  ],
  'decides by sections': [
    ['[{{#x}}a{{/x}}{{^x}}b{{/x}}]', {}, '[b]'],
    ['[{{#x}}a{{/x}}{{^x}}b{{/x}}]', { x: null }, '[b]'],
    ['[{{#x}}a{{/x}}{{^x}}b{{/x}}]', { x: false }, '[b]'],
    ['[{{#x}}a{{/x}}{{^x}}b{{/x}}]', { x: 0 }, '[b]'],
    ['[{{#x}}a{{/x}}{{^x}}b{{/x}}]', { x: '' }, '[b]'],
    ['[{{#x}}a{{/x}}{{^x}}b{{/x}}]', { x: [] }, '[b]'],
    ['[{{#x}}a{{/x}}{{^x}}b{{/x}}]', { x: '[]' }, '[b]'],
    ['[{{#x}}a{{/x}}{{^x}}b{{/x}}]', { x: 'false' }, '[a]'],
    ['[{{#x}}a{{/x}}{{^x}}b{{/x}}]', { x: '0' }, '[a]'],
    ['[{{#x}}a{{/x}}{{^x}}b{{/x}}]', { x: {} }, '[a]'],
    ['[{{#x}}a{{/x}}{{^x}}b{{/x}}]', { x: '{}' }, '[a]'],
    ['{{^x}}{{name}}{{/x}}', { name: 'Ann' }, 'Ann'],
    ['{{#l.length}}Some: {{l}}{{/l.length}}', { l: ['a'] }, 'Some: a'],
  ],
  'leaves out comments, and lines that hold nothing but sections': [
    ['a{{! hidden }}b', {}, 'ab'],
    ['a{{!}}b', {}, 'ab'],
    ['a{{ ! hidden }}b', {}, 'ab'],
    ['a{{! {{name}} }}b', { name: 'x' }, 'a }}b'],
    ['a{{! two\nlines }}b', {}, 'ab'],
    ['a\n  {{! alone }}\nb', {}, 'a\nb'],
    ['{{#l}}\n- {{.}}\n{{/l}}\nend', { l: ['a', 'b'] }, '- a\n- b\nend'],
    ['a\r\n{{#x}}\r\nb\r\n{{/x}}\r\nc', { x: true }, 'a\r\nb\r\nc'],
    ['a {{#x}}\nb\n{{/x}} c', { x: true }, 'a \nb\n c'],
    ['  {{name}}  \n', { name: 'Ann' }, '  Ann  \n'],
    ['\n\n \n{{name}}\n\n\n', { name: 'Ann' }, '\n\n \nAnn\n\n\n'],
    ['0;{{name}}1; \u2000\u200A', { name: 'Ann' }, '0;Ann1; \u2000\u200A'],
  ],
  'takes everything else for text': [
    ['', {}, ''],
    ['{ "a": { "b": {} } }', {}, '{ "a": { "b": {} } }'],
    ['{{name', { name: 'x' }, '{{name'],
    ['name}}', { name: 'x' }, 'name}}'],
    ['{{}}{{ }}{{{}}}', {}, '{{}}{{ }}{{{}}}'],
    ['{{#}}{{/}}{{^}}{{>}}{{>>}}{{&}}', {}, '{{#}}{{/}}{{^}}{{>}}{{>>}}{{&}}'],
    ['{{=<% %>=}}<% name %>{{name}}', { name: 'x' }, '{{=<% %>=}}<% name %>x'],
    ['{{"a": 1}}', {}, '{{"a": 1}}'],
    ['{{a {{name}} b}}', { name: 'x' }, '{{a x b}}'],
    ['{{{{name}}}}', { name: 'x' }, '{x}'],
    ['{{{name}}', { name: 'x' }, '{x'],
    ['{{name}}}', { name: 'x' }, 'x}'],
    ['{"a":{{o}}}', { o: '{}' }, '{"a":{}}'],
    ['{"a":{"b":"{{name}}"}}', { name: 'x' }, '{"a":{"b":"x"}}'],
    ['{{two\nlines}}', {}, '{{two\nlines}}'],
    ['{{#open}}{{name}}', { name: 'x', open: true }, '{{#open}}x'],
    ['{{name}}{{/close}}', { name: 'x' }, 'x{{/close}}'],
    ['{{#a}}{{#b}}{{name}}{{/a}}', { name: 'x', a: true, b: true }, '{{#b}}x'],
    ['{{#a}}{{#b}}x{{/a}}{{/b}}', { a: true, b: true }, '{{#b}}x{{/b}}'],
    ['{{#a}}x{{/b}}', { a: true }, '{{#a}}x{{/b}}'],
    ['{{# #a}}{{/ /a}}{{> >a}}{{{#a}}}', { a: true }, '{{# #a}}{{/ /a}}{{> >a}}{{{#a}}}'],
  ],
};

for (const [what, cases] of Object.entries(tables)) {
  describe(`a template ${what}`, () => {
    for (const [template, variables, expected] of cases) {
      it(`${JSON.stringify(template)} with ${JSON.stringify(variables)}`, () => {
        assert.equal(rendered(template, variables), expected);
      });
    }
  });
}

describe('a template includes partials', () => {
  const partials = {
    'pp-a': 'A {{name}}',
    'pp-a@2': 'A2',
    'pp-list': '{{#l}}{{>pp-a}};{{/l}}',
    'pp-lines': 'one\ntwo',
  };
  const cases: readonly Case[] = [
    ['<{{>pp-a}}>', { name: 'Ann' }, '<A Ann>'],
    ['<{{> pp-a }}>', { name: 'Ann' }, '<A Ann>'],
    ['{{>pp-a@2}}', {}, 'A2'],
    ['{{>pp-list}}', { l: [{ name: 'x' }, { name: 'y' }] }, 'A x;A y;'],
    ['[{{>pp-unknown}}]', {}, '[]'],
    ['a\n{{>pp-lines}}\nb', {}, 'a\none\ntwo\nb'],
    ['a\n  {{>pp-lines}}\nb', {}, 'a\n  one\ntwo\nb'],
    ['{{>>which}}', { which: 'pp-a@2' }, 'A2'],
    ['{{>> which }}', { which: ' pp-a ', name: 'Ann' }, 'A Ann'],
    ['{{>>by.kind}}', { by: { kind: 'pp-a@2' } }, 'A2'],
    ['[{{>>which}}]', {}, '[]'],
    ['[{{>>which}}]', { which: 5 }, '[]'],
    ['[{{#o}}{{>>which}}{{/o}}]', { o: { which: 'pp-a@2' } }, '[]'],
    ['{{x}}', { x: '{{>pp-a}}' }, '{{>pp-a}}'],
  ];
  for (const [template, variables, expected] of cases) {
    it(`${JSON.stringify(template)} with ${JSON.stringify(variables)}`, () => {
      assert.equal(rendered(template, variables, partials), expected);
    });
  }
});
