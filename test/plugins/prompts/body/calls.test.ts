import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from 'portcullis/sdk';
import { readOverrides } from '../../../../plugins/prompts/body/overrides.ts';
import { promptTypeOf } from '../../../../plugins/prompts/body/prompt-type.ts';

describe('the type of a prompt', () => {
  const chat = '[{"role":"user","content":"x"}]';
  const cases: readonly (readonly [string, Json | undefined, boolean, 'chat' | 'text'])[] = [
    [chat, undefined, false, 'chat'],
    [` \n${chat} `, {}, false, 'chat'],
    ['Hello', undefined, false, 'text'],
    ['["a", "b"]', null, false, 'text'],
    ['[{"role":', { template_type: null }, false, 'text'],
    ['[{{#l}}{}{{/l}}]', undefined, true, 'chat'],
    ['Hello', { template_type: 'chat' }, false, 'chat'],
    [chat, { template_type: 'text' }, false, 'text'],
    ['[]', { template_type: 'text' }, true, 'text'],
  ];
  for (const [string, metadata, isRaw, type] of cases) {
    it(`is ${type} for ${JSON.stringify(string)} with ${JSON.stringify(metadata)}${isRaw ? ', raw' : ''}`, () => {
      assert.equal(promptTypeOf(string, metadata, isRaw), type);
    });
  }

  it('is refused when it is another word', () => {
    assert.throws(() => promptTypeOf('x', { template_type: 'image' }), {
      code: 'bad_request',
      param: 'template_metadata.template_type',
    });
  });
});

describe('the overrides of a call', () => {
  it('are its members but for the variables', () => {
    assert.deepEqual(readOverrides({ variables: { a: 1 }, stream: true, model: 'm', n: null }), {
      stream: true,
      model: 'm',
      n: null,
    });
  });

  for (const param of ['messages', 'prompt']) {
    it(`may not be ${param}`, () => {
      assert.throws(() => readOverrides({ variables: {}, [param]: null }), { code: 'bad_request', param });
    });
  }
});
