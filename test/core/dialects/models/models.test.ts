import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeModels, encodeModels } from '../../../../sdk/dialects/models/index.ts';
import { frozen } from '../chat/codec.ts';

describe('model lists', () => {
  const cases: readonly (readonly [string, unknown, readonly unknown[]])[] = [
    [
      'chat',
      { object: 'list', data: [{ id: 'gpt-4o', object: 'model', created: 1686935002, owned_by: 'openai' }] },
      [{ id: 'gpt-4o', created: 1686935002, ownedBy: 'openai' }],
    ],
    [
      'messages',
      {
        data: [{ type: 'model', id: 'claude-sonnet-4', display_name: 'Claude', created_at: '2025-02-19T00:00:00Z' }],
        has_more: false,
      },
      [{ id: 'claude-sonnet-4', created: 1739923200 }],
    ],
    [
      'gemini',
      { models: [{ name: 'models/gemini-2.5-pro', displayName: 'Gemini' }, { name: 'tunedModels/x' }] },
      [{ id: 'gemini-2.5-pro' }, { id: 'tunedModels/x' }],
    ],
    ['bare', [{ id: 'a', created: 1 }, 'b'], [{ id: 'a', created: 1 }, { id: 'b' }]],
    ['malformed', { data: [null, 1, {}, { id: 5 }, { id: 'a', created_at: 'soon' }], models: 'x' }, [{ id: 'a' }]],
    ['absent', undefined, []],
    ['textual', 'models', []],
  ];
  for (const [name, body, expected] of cases) {
    it(`that are ${name} give their entries`, () => assert.deepEqual(decodeModels(frozen(body)), expected));
  }

  it('are written as the chat format has them, with a count', () => {
    assert.deepEqual(encodeModels([{ id: 'a', created: 1, ownedBy: 'o' }, { id: 'b' }], 'p'), {
      object: 'list',
      data: [
        { id: 'a', object: 'model', created: 1, owned_by: 'o' },
        { id: 'b', object: 'model', created: 0, owned_by: 'p' },
      ],
      total_count: 2,
      provider: 'p',
    });
    assert.deepEqual(encodeModels([]), { object: 'list', data: [], total_count: 0 });
  });
});
