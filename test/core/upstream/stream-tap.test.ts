import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dialects, type Usage } from 'portcullis/sdk';
import { StreamTap } from '../../../core/upstream/stream-tap.ts';
import { streamedReply } from '../ledger/ledgers.ts';
import { Collector } from './support.ts';

const chatEnd = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}\n\n';
const chatUsage = 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}\n\n';
const chat = [
  ...['Hel', 'lo, "usage" is a word', ' \\"usage\\": {'].map(
    (text) => `data: {"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}}}],"usage":null}\n\n`,
  ),
  chatEnd,
  chatUsage,
  'data: [DONE]\n\n',
].join('');

const messages = [
  'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"cache_read_input_tokens":5,"output_tokens":1}}}\n\n',
  'event: ping\ndata: {"type":"ping"}\n\n',
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}\n\n',
  'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15}}\n\n',
  'event: message_stop\ndata: {"type":"message_stop"}\n\n',
].join('');

const responses = `event: response.completed\ndata: ${JSON.stringify({
  type: 'response.completed',
  response: {
    id: 'resp_1',
    output: [{ text: 'x'.repeat(20_000) }],
    usage: { input_tokens: 4, output_tokens: 6, total_tokens: 10 },
  },
})}\n\n`;

type Name = 'chat' | 'messages' | 'responses';

interface Watched {
  readonly usage: Usage | undefined;
  readonly owed: string;
  readonly sent: string;
}

function watch(name: Name, text: string, cuts: readonly number[] = [], hides = false): Watched {
  const bytes = Buffer.from(text);
  const reply = streamedReply(dialects[name]);
  const tap = new StreamTap(dialects[name], reply, hides);
  const [sent, owed] = [new Collector(), new Collector()];
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  edges.slice(1).forEach((edge, index) => {
    const chunk = bytes.subarray(edges[index], edge);
    if (chunk.length > 0) tap.pass(Buffer.from(chunk), sent);
  });
  tap.end('FAULT', owed);
  return { usage: reply.meter.usage, owed: owed.text, sent: sent.text };
}

function counts(usage: Usage | undefined) {
  return usage === undefined ? undefined : [usage.input, usage.output];
}

const lineEnds = ['\n', '\r\n', '\r'];
const streams: readonly [Name, string, number[]][] = [
  ['chat', chat, [7, 3]],
  ['messages', messages, [30, 15]],
  ['responses', responses, [4, 6]],
];

describe('the tap on a forwarded stream', () => {
  for (const [name, text, expected] of streams) {
    for (const lineEnd of lineEnds) {
      it(`reads the usage of ${name} with ${JSON.stringify(lineEnd)} line ends, however the bytes are cut`, () => {
        const stream = text.replaceAll('\n', lineEnd);
        fc.assert(
          fc.property(fc.array(fc.nat(30_000), { maxLength: 40 }), (cuts) => {
            const seen = watch(name, stream, cuts);
            assert.deepEqual(counts(seen.usage), expected);
            assert.deepEqual([seen.owed, seen.sent], ['', stream]);
          }),
          { numRuns: 60 },
        );
      });
    }
  }

  it('reads every single byte as a chunk of its own', () => {
    const seen = watch(
      'messages',
      messages,
      Array.from({ length: messages.length }, (_, index) => index),
    );
    assert.deepEqual(counts(seen.usage), [30, 15]);
  });

  const endings: readonly [string, Name, string, string][] = [
    ['owes nothing after [DONE]', 'chat', chat, ''],
    ['owes nothing when the last blank line is missing', 'chat', chat.trimEnd(), ''],
    ['owes nothing when a comment follows the end', 'chat', `${chat}: bye\n\n`, ''],
    ['owes the end that a provider forgot after its answer', 'chat', chatEnd, '\n\ndata: [DONE]\n\n'],
    ['owes the end that was forgotten behind the usage', 'chat', chatEnd + chatUsage, '\n\ndata: [DONE]\n\n'],
    ['owes an error when the answer was cut short', 'chat', chat.slice(0, 90), '\n\nFAULT'],
    ['owes an error when nothing came', 'chat', '', '\n\nFAULT'],
    ['owes an error when messages stop without message_stop', 'messages', messages.slice(0, -50), '\n\nFAULT'],
  ];
  for (const [says, name, text, owed] of endings) {
    it(says, () => assert.equal(watch(name, text).owed, owed));
  }

  it('does not take half of the last event for an end', () => {
    const tap = new StreamTap(dialects.responses, streamedReply(dialects.responses), false);
    const sink = new Collector();
    tap.pass(Buffer.from('event: response.completed\ndata: {"type":"response.completed","resp'), sink);
    tap.end('FAULT', sink);
    assert.match(sink.text, /\n\nFAULT$/);
  });

  it('gives up reading, not forwarding, when an event never ends', () => {
    for (const hides of [false, true]) {
      const tap = new StreamTap(dialects.chat, streamedReply(dialects.chat), hides);
      const sink = new Collector();
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      for (let count = 0; count < 20; count += 1) tap.pass(chunk, sink);
      tap.end('FAULT', sink);
      assert.equal(sink.text.length, 20 * chunk.length);
      assert.doesNotMatch(sink.text.slice(-10), /FAULT/);
    }
  });
});

describe('a tap that hides usage', () => {
  const hidden = chat.replace(chatUsage, '');
  const spaced = chatUsage.replace('[]', 'null').replace('"usage":{', '"usage" : {');

  for (const lineEnd of lineEnds) {
    it(`takes the event out that holds nothing else, with ${JSON.stringify(lineEnd)} line ends, however the bytes are cut`, () => {
      for (const event of [chatUsage, spaced]) {
        const stream = chat.replace(chatUsage, event).replaceAll('\n', lineEnd);
        const check = (cuts: readonly number[]) => {
          const seen = watch('chat', stream, cuts, true);
          assert.deepEqual([seen.sent + seen.owed, counts(seen.usage)], [hidden.replaceAll('\n', lineEnd), [7, 3]]);
        };
        check(Array.from({ length: stream.length }, (_, index) => index));
        fc.assert(fc.property(fc.array(fc.nat(30_000), { maxLength: 40 }), check), { numRuns: 60 });
      }
    });
  }

  it('leaves an event alone that says something beside its usage', () => {
    const text = chatEnd.replace('null}\n\n', '{"prompt_tokens":1,"completion_tokens":2}}\n\n');
    const seen = watch('chat', `${text}data: [DONE]\n\n`, [], true);
    assert.deepEqual([seen.sent, counts(seen.usage)], [`${text}data: [DONE]\n\n`, [1, 2]]);
  });

  it('holds an event back until it is whole, and no longer', () => {
    const tap = new StreamTap(dialects.chat, streamedReply(dialects.chat), true);
    const sink = new Collector();
    tap.pass(Buffer.from('data: {"choices":[{}]}\n\nda'), sink);
    assert.equal(sink.text, 'data: {"choices":[{}]}\n\n');
    tap.pass(Buffer.from('ta: 2\n'), sink);
    assert.equal(sink.text, 'data: {"choices":[{}]}\n\n');
    tap.pass(Buffer.from('\n'), sink);
    assert.equal(sink.text, 'data: {"choices":[{}]}\n\ndata: 2\n\n');
  });

  it('gives out what it holds when the stream ends or breaks off', () => {
    for (const [ending, held, expected] of [
      ['end', 'data: [DONE]', 'data: [DONE]'],
      ['breakOff', 'data: [DONE]', 'data: [DONE]'],
      ['breakOff', 'data: {"choices":', 'data: {"choices":\n\nFAULT'],
    ] as const) {
      const tap = new StreamTap(dialects.chat, streamedReply(dialects.chat), true);
      const sink = new Collector();
      tap.pass(Buffer.from(held), sink);
      tap[ending]('FAULT', sink);
      assert.equal(sink.text, expected);
    }
  });

  it('keeps an event back that is cut in half', () => {
    const tap = new StreamTap(dialects.responses, streamedReply(dialects.responses), true);
    const sink = new Collector();
    tap.pass(Buffer.from('data: {"type":"response.created"}\n\nevent: response.completed\ndata: {"type":"resp'), sink);
    tap.end('FAULT', sink);
    assert.equal(sink.text, 'data: {"type":"response.created"}\n\n\n\nFAULT');
  });

  it('asks for a pause when the sink does', () => {
    const tap = new StreamTap(dialects.chat, streamedReply(dialects.chat), true);
    const sink = new Collector();
    sink.accepts = () => false;
    assert.equal(tap.pass(Buffer.from('data: 1'), sink), true);
    assert.equal(tap.pass(Buffer.from('\n\n'), sink), false);
  });
});
