import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Endpoint, JsonObject } from 'portcullis/sdk';
import { patched } from '../../../plugins/guardrails/scan/patch.ts';
import { readReply } from '../../../plugins/guardrails/scan/read.ts';
import { scanReply } from '../../../plugins/guardrails/scan/scan.ts';
import { deepFreeze } from '../../../sdk/testing/deep-freeze.ts';

/** The reply after the first letter of one of its texts has become an X. */
function edited(endpoint: Endpoint, reply: JsonObject, text: number): JsonObject {
  const reading = readReply(endpoint, deepFreeze(reply));
  const edits = [{ text, start: 0, end: 1, with: 'X' }];
  const place = { dialect: undefined, part: 'reply' } as const;
  return patched(reply, reading, [{ scan: scanReply(reading, 'all_messages'), edits }], place);
}

const logprobs = { content: [{ token: 'secret', logprob: -1 }] };

describe('the tokens of an edited reply', () => {
  it('are gone from a choice of chat, and stay in the others', () => {
    const choice = (content: string, tokens: JsonObject | null) => ({ message: { content }, logprobs: tokens });
    assert.deepEqual(edited('chatComplete', { choices: [choice('secret', logprobs), choice('secret', logprobs)] }, 1), {
      choices: [choice('secret', logprobs), choice('Xecret', null)],
    });
  });

  it('are gone from a choice of completions', () => {
    const tokens = { tokens: ['secret'], token_logprobs: [-1] };
    assert.deepEqual(edited('complete', { choices: [{ text: 'secret', logprobs: tokens }] }, 0), {
      choices: [{ text: 'Xecret', logprobs: null }],
    });
  });

  it('are gone from the part of responses that was edited', () => {
    const part = (text: string, tokens: readonly JsonObject[]) => ({ type: 'output_text', text, logprobs: tokens });
    const tokens = [{ token: 'secret', logprob: -1 }];
    const reply = (content: readonly JsonObject[]) => ({ output: [{ type: 'message', content }] });
    assert.deepEqual(
      edited('createModelResponse', reply([part('secret', tokens), part('secret', tokens)]), 0),
      reply([part('Xecret', []), part('secret', tokens)]),
    );
  });

  it('are not made up where there were none', () => {
    assert.deepEqual(edited('chatComplete', { choices: [{ message: { content: 'ab' } }] }, 0), {
      choices: [{ message: { content: 'Xb' } }],
    });
  });
});
