import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelNamedIn } from '../../../core/ledger/replied-model.ts';

describe('the model that a reply names', () => {
  const rows: readonly (readonly [string, string, string | undefined])[] = [
    ['as its own member', '{"id":"c","model":"m-2026","choices":[]}', 'm-2026'],
    ['with spaces and escapes', ' \n{ "model" :\n "m\\u002d\\"1\\"\\\\é" }', 'm-"1"\\é'],
    [
      'behind members that hold others of that name',
      '{"billing":{"model":"x"},"tools":[{"model":"y"}],"model":"m"}',
      'm',
    ],
    ['behind texts that look like it', '{"instructions":"say \\"model\\":\\"x\\"","object":"model","model":"m"}', 'm'],
    ['in what it has said alone', '{"choices":[{"model":"x"}]}', undefined],
    ['as no text', '{"model":null,"a":"b"}', undefined],
    ['as an empty text', '{"model":""}', undefined],
    ['in a reply that is cut off', '{"model":"m', undefined],
    ['far from its start', JSON.stringify({ said: 'x'.repeat(3000), model: 'm' }), undefined],
  ];
  for (const [where, text, model] of rows) {
    it(`is ${model === undefined ? 'not ' : ''}found ${where}`, () => {
      assert.equal(modelNamedIn(Buffer.from(text)), model);
    });
  }
});
