import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError, type JsonObject } from 'portcullis/sdk';
import { validateRequest } from '../../../../core/http/validate.ts';
import {
  compilePrompt,
  gatherFor,
  type PromptSource,
  promptBody,
} from '../../../../plugins/prompts/body/prompt-body.ts';
import type { Variables } from '../../../../plugins/prompts/template/variables.ts';
import { templatesOf } from '../template/rendered.ts';

const plain: PromptSource = {
  string: 'Hello {{name}}',
  isRawTemplate: false,
  type: 'chat',
  model: 'm',
  parameters: {},
  tools: undefined,
  functions: undefined,
  toolChoice: undefined,
};

function bodyOf(source: Partial<PromptSource>, variables: Variables = {}, overrides: JsonObject = {}): JsonObject {
  return promptBody(
    compilePrompt({ ...plain, ...source }),
    variables,
    templatesOf({ 'pp-a': 'A {{name}}' }),
    overrides,
  );
}

const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
const messages = (...list: readonly JsonObject[]) => JSON.stringify(list);
const everyRole = messages(
  { role: 'system', content: 'You are {{who}}.' },
  { role: 'developer', content: 'Be {{how}}.' },
  { role: 'user', content: [{ type: 'text', text: '{{question}}' }] },
  { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test/{{id}}.png' } }] },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":"{{id}}"}' } }],
  },
  { role: 'tool', content: 'Result: {{result}}', tool_call_id: 'c1' },
  { role: 'function', name: 'f', content: '{{result}}' },
);

interface Example {
  readonly source: Partial<PromptSource>;
  readonly variables?: Variables;
  readonly overrides?: JsonObject;
  readonly body: JsonObject;
}

const hello = [{ role: 'user', content: 'Hello Ann' }];
const ann = { name: 'Ann' };

const examples: Readonly<Record<string, Example>> = {
  'a plain text of a chat is one message of the user': {
    source: {},
    variables: ann,
    body: { model: 'm', messages: hello },
  },
  'every role and every text in a message is filled in, without escaping': {
    source: { string: everyRole },
    variables: { who: 'a "poet"', how: 'brief\n', question: '{{who}}?', id: 7, result: { ok: true } },
    body: {
      model: 'm',
      messages: [
        { role: 'system', content: 'You are a "poet".' },
        { role: 'developer', content: 'Be brief\n.' },
        { role: 'user', content: [{ type: 'text', text: '{{who}}?' }] },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test/7.png' } }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":"7"}' } }],
        },
        { role: 'tool', content: 'Result: {"ok":true}', tool_call_id: 'c1' },
        { role: 'function', name: 'f', content: '{"ok":true}' },
      ],
    },
  },
  'a role may be filled in': {
    source: { string: messages({ role: '{{role}}', content: 'x' }) },
    variables: { role: 'developer' },
    body: { model: 'm', messages: [{ role: 'developer', content: 'x' }] },
  },
  'a partial is filled in where it is included': {
    source: { string: messages({ role: 'user', content: '<{{>pp-a}}>' }) },
    variables: ann,
    body: { model: 'm', messages: [{ role: 'user', content: '<A Ann>' }] },
  },
  'a text prompt becomes a prompt, without tools': {
    source: { type: 'text', parameters: { max_tokens: 5 }, tools: [tool], toolChoice: 'auto' },
    variables: ann,
    body: { model: 'm', prompt: 'Hello Ann', max_tokens: 5 },
  },
  'a raw text prompt is no JSON': {
    source: { type: 'text', isRawTemplate: true },
    variables: ann,
    body: { model: 'm', prompt: 'Hello Ann' },
  },
  'messages of a text prompt are text': {
    source: { type: 'text', string: '[{"role":"user"}]' },
    body: { model: 'm', prompt: '[{"role":"user"}]' },
  },
  'a raw template may loop over messages and take JSON as structure': {
    source: {
      isRawTemplate: true,
      string: '[{{#turns}}{"role":"{{role}}","content":"{{text}}"},{{/turns}}{"role":"user","content":{{parts}}}]',
    },
    variables: {
      turns: '[{"role":"user","text":"a"},{"role":"assistant","text":"b"}]',
      parts: '[{"type":"text","text":"c"}]',
    },
    body: {
      model: 'm',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: [{ type: 'text', text: 'c' }] },
      ],
    },
  },
  'root members win over stored ones, the model too': {
    source: { parameters: { temperature: 0.1, top_p: 0.5 } },
    variables: ann,
    overrides: { temperature: 1, model: 'other', stream: true },
    body: { model: 'other', messages: hello, temperature: 1, top_p: 0.5, stream: true },
  },
  'stored parameters may give the model, and never the messages': {
    source: { model: undefined, parameters: { model: 'p', messages: [], prompt: 'x' } },
    variables: ann,
    body: { model: 'p', messages: hello },
  },
  'without a model the body has none': { source: { model: undefined }, variables: ann, body: { messages: hello } },
  'variables listed among the parameters are left out': {
    source: {
      string: 'Hello {{name}}{{#more}}{{x}}{{/more}}',
      parameters: { name: '', more: '', x: '', other: '', temperature: 0 },
    },
    variables: ann,
    body: { model: 'm', messages: hello, other: '', temperature: 0 },
  },
  'a variable of the name of a field is left out where the field takes no empty text': {
    source: {
      string: 'Hello {{name}}{{n}}{{user}}{{stop}}{{max_tokens}}{{model}}',
      parameters: { n: '', user: '', stop: '', max_tokens: '', model: '' },
    },
    variables: ann,
    body: { model: 'm', messages: hello, user: '', stop: '' },
  },
  'a variable that has a value among the parameters is a parameter': {
    source: { string: 'Hello {{name}}{{seed}}', parameters: { name: 'x', seed: 5 } },
    variables: ann,
    body: { model: 'm', messages: hello, name: 'x', seed: 5 },
  },
  'tools, functions and the choice are those of the version': {
    source: { tools: [tool], functions: [{ name: 'g' }], toolChoice: 'required' },
    variables: ann,
    body: { model: 'm', messages: hello, tools: [tool], functions: [{ name: 'g' }], tool_choice: 'required' },
  },
  'empty lists are left out, with the choice among nothing': {
    source: { tools: [], functions: [], toolChoice: 'auto' },
    variables: ann,
    body: { model: 'm', messages: hello },
  },
  'an empty list at the root takes the stored tools away': {
    source: { tools: [tool], toolChoice: 'auto' },
    variables: ann,
    overrides: { tools: [] },
    body: { model: 'm', messages: hello },
  },
  'a choice of null is none': {
    source: { tools: [tool], toolChoice: null },
    variables: ann,
    body: { model: 'm', messages: hello, tools: [tool] },
  },
  'what a text holds of tags is no tag in tools': {
    source: { tools: [{ type: 'function', function: { name: 'f', description: '{{name}}' } }] },
    variables: ann,
    body: {
      model: 'm',
      messages: hello,
      tools: [{ type: 'function', function: { name: 'f', description: '{{name}}' } }],
    },
  },
};

describe('the body of a prompt', () => {
  for (const [what, { source, variables, overrides, body }] of Object.entries(examples)) {
    it(`${what}, and is a request as it stands`, () => {
      const made = bodyOf(source, variables, overrides);
      assert.deepEqual(made, body);
      validateRequest(source.type === 'text' ? 'completions' : 'chat', made, { strict: true });
    });
  }

  it('starts with the model and the messages', () => {
    const made = bodyOf({ parameters: { temperature: 1, model: 'x' }, tools: [tool] }, ann);
    assert.deepEqual(Object.keys(made), ['model', 'messages', 'temperature', 'tools']);
  });

  it('leaves the version and the variables as they are, and is the same again', () => {
    const source = { ...plain, string: everyRole, parameters: { temperature: 1 }, tools: [tool] };
    const before = JSON.stringify(source);
    const compiled = compilePrompt(source);
    const variables = Object.freeze({ who: 'x' });
    const first = promptBody(compiled, variables, new Map(), {});
    assert.deepEqual(promptBody(compiled, { who: 'y', how: 'z' }, new Map(), {}).model, 'm');
    assert.deepEqual(promptBody(compiled, variables, new Map(), {}), first);
    assert.equal(JSON.stringify(source), before);
  });

  it('keeps a member named __proto__ a member', () => {
    const made = bodyOf({ string: '[{"role":"user","content":"{{name}}","__proto__":{"role":"system"}}]' }, ann);
    const [message] = made.messages as unknown as readonly JsonObject[];
    assert.deepEqual(message, JSON.parse('{"role":"user","content":"Ann","__proto__":{"role":"system"}}'));
  });

  it('gathers the partials of all its messages', () => {
    const compiled = compilePrompt({
      ...plain,
      string: messages({ role: 'system', content: '{{>pp-a}}' }, { role: 'user', content: '{{>>which}}{{>pp-x}}' }),
    });
    const found = gatherFor(compiled, { which: 'pp-b' }, ({ name }) =>
      templatesOf({ 'pp-a': '', 'pp-b': '' }).get(name),
    );
    assert.ok(!(found instanceof Promise));
    assert.deepEqual([[...found.partials.keys()], found.missing], [['pp-a', 'pp-b'], ['pp-x']]);
    assert.deepEqual(compiled.components.partials, ['pp-a', 'pp-x']);
  });
});

describe('a prompt is refused', () => {
  const huge = 'x'.repeat(3_000_000);
  const raw = (string: string) => ({ string, isRawTemplate: true });
  const deep = `[{"role":"user","content":${'['.repeat(200)}${']'.repeat(200)}}]`;
  const cases: readonly (readonly [string, Partial<PromptSource>, Variables, RegExp, string])[] = [
    ['without messages', { string: '[]' }, {}, /at least 1 message/, 'string'],
    [
      'with an unknown role',
      { string: messages({ role: 'robot' }) },
      {},
      /^messages\[0\] .*system, developer, user, assistant, tool, function\.$/,
      'string',
    ],
    [
      'with a message without role',
      { string: messages({ role: 'user', content: '' }, {}) },
      {},
      /^messages\[1\] /,
      'string',
    ],
    [
      'with an unknown role filled in',
      { string: messages({ role: '{{r}}' }) },
      { r: 'robot' },
      /^messages\[0\] /,
      'variables',
    ],
    ['when it is too long', { string: 'x'.repeat(256_001) }, {}, /256000 characters/, 'string'],
    [
      'when its messages have too many tags together',
      { string: messages(...Array.from({ length: 3 }, () => ({ role: 'user', content: '{{x}}'.repeat(700) }))) },
      {},
      /2000 tags/,
      'string',
    ],
    ['when its messages nest too deep', { string: deep }, {}, /100 levels/, 'string'],
    [
      'when its messages render to too much together',
      { string: messages({ role: 'user', content: '{{x}}' }, { role: 'user', content: '{{x}}' }) },
      { x: huge },
      /4194304 characters/,
      'variables',
    ],
    ['when a raw one gives no list', raw('{"role":"user"}'), {}, /JSON array of at least 1 message/, 'string'],
    ['when a raw one gives no message', raw('[{{#l}}{{.}}{{/l}}]'), {}, /at least 1 message/, 'variables'],
    ['when a raw one gives an unknown role', raw('[{"role":"{{r}}"}]'), { r: 'robot' }, /^messages\[0\] /, 'variables'],
    ['when a raw one nests too deep', raw('{{x}}'), { x: deep }, /100 levels/, 'variables'],
    ['when a raw one is no JSON itself', raw('[\n  {"role": user}\n]'), {}, /line 2, column 12\./, 'string'],
    [
      'when a value breaks a raw one',
      raw('[{"role":"user","content":"{{x}}"}]'),
      { x: 'a "b"' },
      /line 1, column 31\..*escaped/,
      'variables',
    ],
    ['when a raw one ends too early', raw('[{"role":"user"}{{x}}'), {}, /line 1, column 17\./, 'variables'],
    ['when a raw one renders to nothing', raw('{{x}}'), {}, /line 1, column 1\./, 'variables'],
  ];
  for (const [what, source, variables, message, param] of cases) {
    it(what, () => {
      assert.throws(
        () => bodyOf(source, variables),
        (error) =>
          GatewayError.is(error) &&
          error.code === 'bad_request' &&
          error.param === param &&
          message.test(error.message),
      );
    });
  }
});
