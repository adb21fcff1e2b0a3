import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { functionsAsTools, pictureSize, unixSeconds, withUnixTimes } from 'portcullis/sdk';

describe('what data of providers cannot say', () => {
  it('turns functions and their traces in the messages into tools', () => {
    const asked = {
      functions: [{ name: 'f' }],
      function_call: { name: 'f' },
      messages: [
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: 'done' },
      ],
    };
    assert.deepEqual(functionsAsTools(asked), {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', content: 'done', tool_call_id: 'call_0' },
      ],
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
    });
    const current = { tools: [], messages: [] };
    assert.equal(functionsAsTools(current), current);
  });

  it('reads times in seconds, milliseconds, text and ISO 8601', () => {
    const times = [
      1_733_832_768,
      1_733_832_768.9,
      1_733_832_768_123,
      '1733832768',
      '2024-12-10T12:12:48.9Z',
      '',
      'soon',
      null,
    ];
    const read = times.map((time) => unixSeconds(time));
    assert.deepEqual(read, [
      1_733_832_768,
      1_733_832_768,
      1_733_832_768,
      1_733_832_768,
      1_733_832_768,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('puts times right in an object and in a list, and leaves what is right', () => {
    assert.deepEqual(withUnixTimes({ data: [{ created_at: '1733832768', expires_at: null }], last_id: 'a' }), {
      data: [{ created_at: 1_733_832_768, expires_at: null }],
      last_id: 'a',
    });
    const right = { created_at: 1_733_832_768, data: [{ completed_at: 1 }] };
    assert.equal(withUnixTimes(right), right);
  });

  it('reads sizes of pictures', () => {
    assert.deepEqual(pictureSize('1024x768'), { width: 1024, height: 768 });
    for (const none of ['auto', '2K', '1024X768', 5, undefined]) assert.equal(pictureSize(none), undefined);
  });
});
