import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { estimatedUsage } from '../../../plugins/limits/enforce/estimate.ts';

const request = { endpoint: 'chatComplete', headers: {}, method: 'POST', path: '/v1/chat/completions' } as const;
const contents = [{ parts: [{ text: 'a'.repeat(40) }] }];
const estimate = (more: JsonObject) => estimatedUsage(request, { contents, ...more }, 500);

describe('the estimate of a generateContent request', () => {
  it('has the bound of its configuration, under either spelling, for each candidate', () => {
    assert.equal(estimate({}).output, 500);
    assert.equal(estimate({ generationConfig: { maxOutputTokens: 20 } }).output, 20);
    assert.equal(estimate({ generation_config: { max_output_tokens: 20, candidate_count: 3 } }).output, 60);
    assert.ok(estimate({}).input >= 10);
  });

  it('counts what stands in base64 as an attachment, however long it is', () => {
    const picture = (length: number, type: string) =>
      estimate({ contents: [{ parts: [{ inlineData: { [type]: 'image/png', data: 'A'.repeat(length) } }] }] }).input;
    assert.equal(picture(10, 'mimeType'), picture(1_000_000, 'mimeType'));
    assert.equal(picture(10, 'mime_type'), picture(1_000_000, 'mime_type'));
  });
});
