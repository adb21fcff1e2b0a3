import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelForms } from '../../../../sdk/dialects/models/form.ts';
import { decodeModels, encodeModels, readModels } from '../../../../sdk/dialects/models/index.ts';
import { asArray } from '../../../../sdk/json.ts';
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

  it('are dated to the epoch in the messages format where their date is none', () => {
    const model = { entry: { id: 'a', created: 1e300 } };
    assert.equal(modelForms.messages?.one(model).created_at, '1970-01-01T00:00:00.000Z');
  });

  it('keep what came in the same format, and what they are called in another', () => {
    const gemini = { name: 'models/g', displayName: 'G', inputTokenLimit: 5, createTime: '1970-01-01T00:00:09Z' };
    const claude = { type: 'model', id: 'c', display_name: 'C', created_at: '1970-01-01T00:00:07Z', max_tokens: 5 };
    const both = readModels({ data: [gemini, claude] });
    assert.deepEqual(
      both.map((model) => modelForms.gemini?.one(model)),
      [gemini, { name: 'models/c', displayName: 'C' }],
    );
    assert.deepEqual(
      both.map((model) => modelForms.messages?.one(model)),
      [{ type: 'model', id: 'g', display_name: 'G', created_at: '1970-01-01T00:00:09.000Z' }, claude],
    );
  });

  it('of the gemini format come 50 to a page, and never more than 1000', () => {
    const models = readModels(Array.from({ length: 1500 }, (_, index) => `m${index}`));
    const sizes = [{}, { pageSize: '0' }, { pageSize: '5000' }, { pageToken: '1490' }, { pageToken: '9999' }].map(
      (query) => {
        const page = modelForms.gemini?.list(models, query);
        return [asArray(page?.models).length, page?.nextPageToken];
      },
    );
    assert.deepEqual(sizes, [
      [50, '50'],
      [50, '50'],
      [1000, '1000'],
      [10, undefined],
      [0, undefined],
    ]);
  });
});
