import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from '../../../../sdk/dialects/chat/index.ts';
import type { JsonObject } from '../../../../sdk/json.ts';
import { frozen } from './codec.ts';

describe('faults of chat replies', () => {
  const cases: readonly (readonly [string, JsonObject, number, JsonObject | undefined])[] = [
    [
      'the official body',
      { error: { message: 'm', type: 't', param: 'p', code: 'c' } },
      400,
      { status: 400, message: 'm', type: 't', code: 'c', param: 'p' },
    ],
    ['a bare message', { message: 'm' }, 422, { status: 422, message: 'm' }],
    ['a detail', { detail: 'm' }, 404, { status: 404, message: 'm' }],
    [
      'a list of details',
      { detail: [{ loc: ['body'], msg: 'a' }, { msg: 'b' }] },
      422,
      { status: 422, message: 'a; b' },
    ],
    ['error text', { error: 'm' }, 500, { status: 500, message: 'm' }],
    ['error text in the place of a good reply', { error: 'm' }, 200, { status: 502, message: 'm' }],
    ['error text beside choices', { error: 'm', choices: [] }, 200, undefined],
    [
      'error text and the status that it names',
      { error: 'm', code: 429 },
      200,
      { status: 429, message: 'm', code: 429 },
    ],
    ['a message in a good reply', { message: 'm' }, 200, undefined],
    [
      'an error object in a good reply',
      { error: { message: 'm', code: 503 } },
      200,
      { status: 503, message: 'm', code: 503 },
    ],
    ['null beside choices', { error: null, choices: [] }, 200, undefined],
    ['a reply of an unknown shape', { nope: 1 }, 500, undefined],
  ];
  for (const [name, body, status, fault] of cases) {
    it(`are read from ${name}`, () => assert.deepEqual(chat.faultOf(frozen(body), status), fault));
  }

  it('are written as the official body', () => {
    assert.deepEqual(chat.encodeFault({ status: 429, message: 'slow' }, 'req'), {
      error: { message: 'slow', type: 'rate_limit_error', param: null, code: null },
    });
  });
});
