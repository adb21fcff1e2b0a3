import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from 'portcullis/sdk';
import { type Content, contentOf, contentOfRecord, type Kind, kinds } from '../../../core/cli/prompts/content.ts';
import { fileText, readFile } from '../../../core/cli/prompts/file-form.ts';
import { partialsIn, withPartialsNamed } from '../../../core/cli/prompts/references.ts';

function read(kind: Kind, text: string): Content {
  const file = readFile(kind, 'pp-x', text);
  assert.ok(!('faults' in file), 'faults' in file ? file.faults.join('\n') : '');
  return file.content;
}

function faultsOf(kind: Kind, text: string): readonly string[] {
  const file = readFile(kind, 'pp-x', text);
  return 'faults' in file ? file.faults : [];
}

/** Texts of all kinds: line ends, control characters, halves of characters, what YAML would take for something else. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\t',
      '\r',
      '-',
      '#',
      ':',
      '"',
      "'",
      '{',
      '}',
      '%',
      '\ud83d',
      '\u2028',
      '\ufeff',
    ),
  }),
  fc.constantFrom(
    'yes',
    'null',
    '~',
    '0x1f',
    '1e3',
    '---',
    '...',
    '2026-01-01',
    '<<',
    '!!str',
    '&a',
    '*a',
    '{{>pp-a}}\n\n',
  ),
);
const json = fc.jsonValue({ stringUnit: 'binary' }).map((value) => JSON.parse(JSON.stringify(value)));
const mapping = fc.dictionary(text, json, { maxKeys: 4 });
const message = fc.record({ role: text.filter((role) => role !== ''), content: fc.oneof(text, json), more: mapping });
const shown = fc.record(
  {
    name: text.filter((name) => name !== ''),
    virtual_key: text.filter((slug) => slug.replace(/^@/, '') !== ''),
    string: fc.oneof(
      text.filter((template) => template !== ''),
      fc.array(message, { minLength: 1, maxLength: 3 }).map((messages) => JSON.stringify(messages)),
      fc.array(message, { minLength: 1, maxLength: 2 }).map((messages) => JSON.stringify(messages, undefined, 1)),
      json.map((value) => JSON.stringify(value)),
    ),
    parameters: mapping,
    model: fc.option(text),
    is_raw_template: fc.constantFrom(0, 1),
    template_metadata: fc.option(fc.oneof(mapping, fc.constant({ template_type: 'text' }))),
    tools: fc.option(fc.array(mapping, { maxLength: 2 })),
    functions: fc.option(fc.array(mapping, { maxLength: 2 })),
    tool_choice: fc.option(fc.oneof(text, mapping)),
    prompt_version_description: fc.option(text),
    version_description: fc.option(text),
  },
  { requiredKeys: ['name', 'virtual_key', 'string'] },
);
const path = fc.option(
  fc.array(
    text.filter((name) => name !== ''),
    { minLength: 1, maxLength: 3 },
  ),
  { nil: undefined },
);

describe('the file of a prompt', () => {
  for (const kind of kinds) {
    it(`of the ${kind} says all that the gateway shows, and gives it back`, () => {
      fc.assert(
        fc.property(shown, path, (record, collection) => {
          const content = contentOfRecord(kind, record as JsonObject, collection);
          const written = fileText(content);
          assert.deepEqual(read(kind, written), content);
          assert.equal(fileText(read(kind, written)), written);
        }),
        { numRuns: 150 },
      );
    });
  }

  it('has messages as a list and texts as they are read', () => {
    const messages = [
      { role: 'system', content: 'Be kind.\n\nBe {{tone}}.' },
      { role: 'user', content: '{{question}}' },
    ];
    const record = {
      name: 'Welcome',
      virtual_key: 'openai-prod',
      model: 'gpt-4.1',
      string: JSON.stringify(messages),
      parameters: { tone: '', question: '', temperature: 0.2 },
      is_raw_template: 0,
      tools: null,
      template_metadata: {},
      prompt_version_description: 'kinder',
      prompt_version: 3,
      created_at: 1,
    };
    const expected = `name: Welcome
collection:
  - Support
  - "a: b"
version_description: kinder
provider: openai-prod
model: gpt-4.1
parameters:
  temperature: 0.2
template:
  - role: system
    content: |-
      Be kind.

      Be {{tone}}.
  - role: user
    content: "{{question}}"
`;
    assert.equal(fileText(contentOfRecord('prompts', record, ['Support', 'a: b'])), expected);
  });

  it('has a text in lines of its own, however short', () => {
    assert.equal(
      fileText(contentOf('partials', { name: 'Greeting', template: 'Hello {{name}}' })),
      'name: Greeting\ntemplate: |-\n  Hello {{name}}\n',
    );
  });

  const texts: readonly [string, JsonObject][] = [
    ['of a raw template', { is_raw_template: 1, string: '[{"role":"user","content":"{{a}}"}]' }],
    ['of a text template', { template_metadata: { template_type: 'text' }, string: '[{"role":"user"}]' }],
    ['of JSON that is no messages', { string: '[1, 2]' }],
    ['of nothing but a list', { string: '[]' }],
  ];
  for (const [what, record] of texts) {
    it(`keeps the text ${what} as it is`, () => {
      const { template } = contentOfRecord('prompts', { name: 'a', virtual_key: 'b', ...record }, undefined);
      assert.equal(template, record.string);
    });
  }

  it('has no member that changes what an object is', () => {
    const content = read('prompts', 'name: a\nprovider: b\ntemplate: x\nparameters:\n  __proto__: { a: 1 }\n');
    assert.equal(JSON.stringify(content.parameters), '{"__proto__":{"a":1}}');
  });

  it('says the same in each way of writing it', () => {
    const given = { name: 'a', provider: 'b', template: [{ role: 'user', content: 'c' }] };
    const ways: readonly JsonObject[] = [
      { ...given, template: '[ {"role": "user", "content": "c"} ]' },
      { ...given, provider: '@b', is_raw_template: false, tools: [], parameters: {}, collection: [] },
      { ...given, parameters: { variable: '' }, model: '', version_description: '' },
    ];
    for (const way of ways) assert.deepEqual(contentOf('prompts', way), contentOf('prompts', given));
  });

  it('keeps substitutions and tags of other languages as texts', () => {
    const template = `\${HOME} $\${x} <<: *a {{#x}}{{.}}{{/x}}`;
    assert.equal(read('partials', fileText(contentOf('partials', { name: 'a', template }))).template, template);
  });
});

const good = 'name: a\nprovider: b\n';
const wrong: readonly [string, Kind, string, RegExp][] = [
  [
    'an unknown member',
    'prompts',
    `${good}template: x\nmodle: m\n`,
    /^prompts\/pp-x\.yaml:4:1: modle is not a known key\. Did you mean model\?$/,
  ],
  [
    'a missing member',
    'prompts',
    `${good}`,
    /^prompts\/pp-x\.yaml:1:1: template is required: a text or a list of messages, each with a role\.$/,
  ],
  [
    'a member of another type',
    'prompts',
    `${good}template: x\nparameters: [1]\n`,
    /:4:1: parameters must be a mapping, not a list\.$/,
  ],
  [
    'a message without a role',
    'prompts',
    `${good}template:\n  - content: x\n`,
    /:3:1: template must be a text or a list of messages, each with a role\.$/,
  ],
  [
    'a list that is filled in before it is read',
    'prompts',
    `${good}is_raw_template: true\ntemplate:\n  - role: user\n`,
    /:4:1: template must be a text where is_raw_template is true/,
  ],
  [
    'a list that is a text',
    'prompts',
    `${good}template_metadata: { template_type: text }\ntemplate:\n  - role: user\n`,
    /:4:1: template must be a text where template_metadata\.template_type is text\.$/,
  ],
  [
    'a model on a partial',
    'partials',
    'name: a\nmodel: b\ntemplate: x\n',
    /^partials\/pp-x\.yaml:2:1: model is not a known key\. Known: name, collection, version_description, template\.$/,
  ],
  ['an empty file', 'partials', '', /^partials\/pp-x\.yaml:1:1: The file must be a mapping/],
  ['a key that stands twice', 'partials', 'name: a\nname: b\n', /:2:1: The file cannot be read: the key stands twice/],
  ['a bracket that is not closed', 'partials', 'name: [a\n', /The file cannot be read/],
  ['an unknown tag', 'partials', 'name: !secret a\ntemplate: x\n', /:1:7: The file cannot be read: a tag is not known/],
  [
    'a number that JSON does not know',
    'prompts',
    `${good}template: x\nparameters:\n  top: .inf\n`,
    /:5:8: The file holds a number that JSON has no form for\.$/,
  ],
  [
    'aliases that stand for too much',
    'prompts',
    `${good}template: x\nparameters:\n${bomb()}`,
    /The file cannot be read: it is nested too deeply/,
  ],
];

function bomb(): string {
  const lines = Array.from(
    { length: 12 },
    (_, index) => `  a${index + 1}: &a${index + 1} [${`*a${index}, `.repeat(9)}*a${index}]`,
  );
  return `  a0: &a0 [x]\n${lines.join('\n')}\n`;
}

describe('a file at fault', () => {
  for (const [what, kind, content, expected] of wrong) {
    it(`is refused for ${what}, naming file, line and field`, () => {
      const [fault = ''] = faultsOf(kind, content);
      assert.match(fault, expected);
    });
  }

  it('is told of all at once', () => assert.equal(faultsOf('prompts', 'name: 1\ntools: 2\n').length, 4));
});

describe('references to partials', () => {
  const template = '{{>pp-a}} {{> pp-b@5 }} {{ >pp-a@latest}} {{>>pp-c}} {{>pp-d {{pp-e}} {{>Pp-f}} \\{{>pp-a-1}}';

  it('are found, each once', () => {
    assert.deepEqual(partialsIn({ template }), ['pp-a', 'pp-b', 'pp-a-1']);
    assert.deepEqual(partialsIn({ template: [{ role: 'user', content: [{ type: 'text', text: template }] }] }), [
      'pp-a',
      'pp-b',
      'pp-a-1',
    ]);
  });

  it('get other names, and keep all else', () => {
    const names = new Map([
      ['pp-a', 'greeting'],
      ['pp-c', 'x'],
      ['pp-d', 'y'],
    ]);
    assert.equal(
      withPartialsNamed({ template }, names).template,
      '{{>greeting}} {{> pp-b@5 }} {{ >greeting@latest}} {{>>pp-c}} {{>pp-d {{pp-e}} {{>Pp-f}} \\{{>pp-a-1}}',
    );
  });
});
