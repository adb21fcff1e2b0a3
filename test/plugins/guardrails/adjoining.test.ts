import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DialectName, type Endpoint, type Json, type JsonObject, seamless } from 'portcullis/sdk';
import { readReply, readRequest } from '../../../plugins/guardrails/scan/read.ts';
import { scanReply, scanRequest } from '../../../plugins/guardrails/scan/scan.ts';
import { exchangeOf } from '../../support/exchange.ts';

function asked(body: JsonObject, endpoint: Endpoint = 'chatComplete', dialect?: DialectName, strip = false) {
  const request = exchangeOf({ endpoint, ...(dialect === undefined ? {} : { dialect }) });
  return scanRequest(readRequest(request, body), 'all_messages', strip).texts;
}

const text = (said: string): JsonObject => ({ type: 'text', text: said });
const user = (...content: readonly Json[]) => ({ role: 'user', content });
const split = [text('Our atta'), text('ck plan')];

const joined: readonly [string, string, ReturnType<typeof asked>][] = [
  ['a message of chat', 'Our attack plan', asked({ messages: [user(...split)] })],
  ['texts in the place of parts', 'Our attack plan', asked({ messages: [user('Our atta', 'ck plan')] })],
  [
    'a message, with an image between them',
    'Our attack plan',
    asked({
      messages: [
        user(text('Our atta'), { type: 'image_url', image_url: { url: 'https://a.example/' } }, text('ck plan')),
      ],
    }),
  ],
  [
    'one message of several',
    'First\nOur attack plan\nlast',
    asked({ messages: [user('First'), user(...split), user('last')] }),
  ],
  ['a message of /v1/messages', 'Our attack plan', asked({ messages: [user(...split)] }, 'messages', 'messages')],
  ['a system prompt', 'Our attack plan\nHi', asked({ system: split, messages: [user('Hi')] }, 'messages', 'messages')],
  [
    'a result of a tool',
    'Our attack plan',
    asked({ messages: [user({ type: 'tool_result', tool_use_id: 't', content: split })] }, 'messages', 'messages'),
  ],
  [
    'an item',
    'Our attack plan',
    asked(
      {
        input: [user({ type: 'input_text', text: 'Our atta' }, { type: 'input_text', text: 'ck plan' })],
      },
      'createModelResponse',
      'responses',
    ),
  ],
  [
    'a content',
    'Our attack plan',
    asked({ contents: [{ parts: [{ text: 'Our atta' }, { text: 'ck plan' }] }] }, 'chatComplete', 'gemini'),
  ],
  [
    'an answer',
    'Our attack plan',
    scanReply(readReply('messages', { content: split }, 'messages'), 'last_message').texts,
  ],
  [
    'an answer whose parts have sources',
    'Our attack plan\nA page\nAnother page',
    scanReply(
      readReply(
        'messages',
        {
          content: [
            { ...text('Our atta'), citations: [{ type: 'char_location', document_title: 'A page' }] },
            { ...text('ck plan'), citations: [{ type: 'char_location', document_title: 'Another page' }] },
          ],
        },
        'messages',
      ),
      'last_message',
    ).texts,
  ],
];

const parted: readonly [string, ReturnType<typeof asked>][] = [
  ['one text', asked({ messages: [user('Our attack plan')] })],
  ['a message each', asked({ messages: [user(text('Our atta')), user(text('ck plan'))] })],
  ['what is embedded', asked({ input: ['Our atta', 'ck plan'] }, 'embed', 'embeddings')],
  ['prompts', asked({ prompt: ['Our atta', 'ck plan'] }, 'complete', 'completions')],
  ['documents', asked({ query: 'q', documents: ['Our atta', 'ck plan'] }, 'rerank')],
  [
    'results of tools',
    asked(
      {
        messages: [
          user(
            { type: 'tool_result', tool_use_id: 'a', content: [text('Our atta')] },
            { type: 'tool_result', tool_use_id: 'b', content: [text('ck plan')] },
          ),
        ],
      },
      'messages',
      'messages',
    ),
  ],
  [
    'a text and what stands around it',
    asked({ messages: [user('Our atta<system-reminder>x</system-reminder>ck plan')] }, 'messages', 'messages', true),
  ],
];

describe('parts of a message', () => {
  for (const [what, said, texts] of joined)
    it(`are joined without a break: ${what}`, () => {
      assert.equal(seamless(texts), said);
    });

  for (const [what, texts] of parted)
    it(`are none: ${what}`, () => {
      assert.equal(seamless(texts), undefined);
    });
});
