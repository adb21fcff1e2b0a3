import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, ParamRules } from 'portcullis/sdk';
import { applyParamRules } from '../../../core/upstream/params.ts';

const body: JsonObject = Object.freeze({
  model: 'm',
  tool_choice: 'required',
  max_completion_tokens: 5,
  logit_bias: {},
  nothing: null,
});

describe('the parameter rules of a provider', () => {
  const table: readonly [string, ParamRules, JsonObject, readonly string[]][] = [
    ['translate a value', { values: { tool_choice: { required: 'any' } } }, { ...body, tool_choice: 'any' }, []],
    [
      'rename a field',
      { rename: { max_completion_tokens: 'max_tokens' } },
      without('max_completion_tokens', { max_tokens: 5 }),
      [],
    ],
    ['drop a field and say so', { drop: ['logit_bias', 'absent'] }, without('logit_bias'), ['logit_bias']],
    ['drop a field that is null', { drop: ['nothing'] }, without('nothing'), ['nothing']],
    ['set a field', { set: { safe: true } }, { ...body, safe: true }, []],
    [
      'translate before they rename',
      { values: { tool_choice: { required: 'any' } }, rename: { tool_choice: 'choice' } },
      without('tool_choice', { choice: 'any' }),
      [],
    ],
    [
      'rename before they drop',
      { rename: { tool_choice: 'choice' }, drop: ['choice'] },
      without('tool_choice'),
      ['choice'],
    ],
    ['drop before they set', { drop: ['model'], set: { model: 'x' } }, { ...body, model: 'x' }, ['model']],
    ['keep a field that already has the new name', { rename: { tool_choice: 'model' } }, without('tool_choice'), []],
  ];
  for (const [name, rules, expected, dropped] of table) {
    it(name, () => {
      const noted: string[] = [];
      assert.deepEqual(
        applyParamRules(body, rules, (field) => noted.push(field)),
        expected,
      );
      assert.deepEqual(noted, dropped);
    });
  }

  const idle: readonly [string, ParamRules | undefined][] = [
    ['there are none', undefined],
    ['they name nothing', {}],
    ['they name other values', { values: { tool_choice: { auto: 'x' }, absent: { a: 'b' } } }],
    ['they name absent fields', { rename: { absent: 'here' }, drop: ['absent'] }],
  ];
  for (const [when, rules] of idle) {
    it(`give the very object back when ${when}`, () =>
      assert.equal(
        applyParamRules(body, rules, () => {}),
        body,
      ));
  }

  for (const word of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    it(`take the value "${word}" for no row of their table`, () => {
      const given = { tool_choice: word };
      assert.equal(
        applyParamRules(given, { values: { tool_choice: { required: 'any' } } }, () => {}),
        given,
      );
    });
  }
});

function without(field: string, more: JsonObject = {}): JsonObject {
  return { ...Object.fromEntries(Object.entries(body).filter(([name]) => name !== field)), ...more };
}
