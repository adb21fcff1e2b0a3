import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dialects, GatewayError, type GenerationDialect, type ReplyContext, type ReplySink } from 'portcullis/sdk';
import { StreamedReply } from '../../../core/ledger/counted-reply.ts';
import { ForwardedStream, TranslatedStream } from '../../../core/upstream/reply-streams.ts';
import type { WireStream } from '../../../core/upstream/transport.ts';
import { replyLedger, streamedReply } from '../ledger/ledgers.ts';
import { Collector } from './support.ts';

/** A source that gives its chunks at once, and then ends as it is told. */
function sourceOf(chunks: readonly Uint8Array[], error?: Error) {
  const seen = { aborted: 0, resumed: 0, asked: [] as boolean[] };
  const source: WireStream = {
    until: () => Promise.resolve(),
    resume: () => (seen.resumed += 1),
    abort: () => (seen.aborted += 1),
    pipe: (sink: ReplySink) => {
      for (const chunk of chunks) seen.asked.push(sink.data(chunk));
      if (error === undefined) sink.end();
      else sink.error(error);
    },
  };
  return { source, seen };
}

const mask = (text: string) => text;

const bytes = (text: string) => [Buffer.from(text)];

function cut(text: string, at: readonly number[]): Uint8Array[] {
  const whole = Buffer.from(text);
  const places = [...new Set(at.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((start, index) => whole.subarray(start, places[index] ?? whole.length));
}

function forwarded(name: 'chat' | 'messages', chunks: readonly Uint8Array[], error?: Error) {
  const { source, seen } = sourceOf(chunks, error);
  const dialect = dialects[name] as GenerationDialect;
  const reply = streamedReply(dialect);
  const stream = new ForwardedStream(source, replyLedger(reply), { dialect, reply, hidesUsage: false, mask });
  const sink = new Collector();
  stream.pipe(sink);
  return { text: sink.text, ends: sink.ends, error: sink.error_, usage: reply.meter.usage, seen };
}

const chatStream = [
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Grüße 🎉"},"finish_reason":null}]}\n\n',
  ': comment\n\n',
  'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
  'data: {"id":"c","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12}}\n\n',
  'data: [DONE]\n\n',
].join('');

const messageStream = [
  'event: message_start\ndata: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":11,"output_tokens":1}}}\n\n',
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"é"}}\n\n',
  'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}\n\n',
  'event: message_stop\ndata: {"type":"message_stop"}\n\n',
].join('');

describe('a forwarded stream', () => {
  it('passes every byte on, and reads the tokens, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (at) => {
        const chat = forwarded('chat', cut(chatStream, at));
        assert.deepEqual([chat.text, chat.ends, chat.usage?.input, chat.usage?.output], [chatStream, 1, 7, 5]);
        const messages = forwarded('messages', cut(messageStream, at));
        assert.deepEqual(
          [messages.text, messages.ends, messages.usage?.input, messages.usage?.output],
          [messageStream, 1, 11, 9],
        );
      }),
    );
  });

  it('knows no tokens where the stream tells none', () => {
    assert.equal(forwarded('chat', bytes('data: {"choices":[]}\n\ndata: [DONE]\n\n')).usage, undefined);
  });

  it('adds an end that the provider forgot', () => {
    const text = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
    assert.equal(forwarded('chat', bytes(text)).text, `${text}\n\ndata: [DONE]\n\n`);
  });

  it('gets the blank line that its last event needs to be read', () => {
    for (const cutOff of [messageStream.trimEnd(), `${messageStream.trimEnd()}\n`])
      for (const error of [undefined, new Error('read ECONNRESET')])
        assert.equal(forwarded('messages', bytes(cutOff), error).text, `${cutOff}\n\n`);
  });

  it('needs no blank line behind the end', () => {
    const text = chatStream.trimEnd();
    assert.equal(forwarded('chat', bytes(text)).text, text);
  });

  const short: readonly ['chat' | 'messages', string, RegExp][] = [
    [
      'chat',
      'data: {"choices":[{"delta":{"content":"ha"},"finish_reason":null}]}\n\n',
      /\n\ndata: \{"error":.*closed the stream/,
    ],
    ['chat', 'data: {"choices":[{"delta":{"con', /\n\ndata: \{"error":.*closed the stream/],
    [
      'messages',
      messageStream.slice(0, messageStream.indexOf('event: message_stop')),
      /\n\nevent: error\ndata: \{"type":"error".*closed the stream/,
    ],
  ];
  for (const [name, text, expected] of short) {
    it(`tells of a ${name} stream that is cut short after ${JSON.stringify(text.slice(-12))}`, () => {
      const result = forwarded(name, bytes(text));
      assert.ok(result.text.startsWith(text));
      assert.match(result.text.slice(text.length), expected);
      assert.deepEqual([result.ends, result.error], [1, undefined]);
    });
  }

  it('tells of an error in the middle, in words that hold no inner text', () => {
    const text = 'data: {"choices":[{"delta":{"content":"ha"}}]}\n\n';
    const result = forwarded('chat', bytes(text), new Error('connect 10.0.0.1 failed'));
    assert.match(result.text, /\n\ndata: \{"error":\{"message":"The stream broke off\."/);
    assert.deepEqual([result.ends, result.error], [1, undefined]);
    const stalled = forwarded(
      'messages',
      bytes(messageStream.slice(0, 150)),
      new GatewayError('upstream_stalled', 'some sent nothing for 5 ms.'),
    );
    assert.match(stalled.text, /event: error\ndata: .*some sent nothing for 5 ms\./);
  });

  it('is whole where the end of another format stands behind its own, however it is cut', () => {
    const text = `${messageStream}data: [DONE]\n\n`;
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (at) => {
        assert.equal(forwarded('messages', cut(text, at)).text, text);
      }),
    );
    assert.equal(forwarded('messages', bytes(text.trimEnd())).text, text.trimEnd());
    const short = `${messageStream.slice(0, messageStream.indexOf('event: message_stop'))}data: [DONE]\n\n`;
    assert.match(forwarded('messages', bytes(short)).text.slice(short.length), /closed the stream/);
  });

  it('is whole when the source breaks off behind its end', () => {
    const fault = `event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}\n\n`;
    const whole = [
      ['chat', chatStream],
      ['chat', chatStream.trimEnd()],
      ['messages', messageStream],
      ['messages', `${messageStream}: bye\n\n`],
      ['messages', messageStream.slice(0, 150) + fault],
    ] as const;
    for (const [name, text] of whole) {
      const result = forwarded(name, bytes(text), new Error('read ECONNRESET'));
      assert.deepEqual([result.text, result.ends, result.error], [text, 1, undefined]);
    }
  });

  it('passes on what it cannot read', () => {
    const text = 'data: {"choices":[{"usage": broken\n\ndata: [DONE]\n\n';
    assert.equal(forwarded('chat', bytes(text)).text, text);
  });

  it('passes pauses, resumptions and the giving up through', () => {
    const { source, seen } = sourceOf([Buffer.from('data: 1\n\n'), Buffer.from('data: [DONE]\n\n')]);
    const reply = streamedReply(dialects.chat);
    const stream = new ForwardedStream(source, replyLedger(reply), {
      dialect: dialects.chat,
      reply,
      hidesUsage: false,
      mask,
    });
    const sink = new Collector();
    sink.accepts = (chunk) => chunk.includes('DONE');
    stream.pipe(sink);
    stream.resume();
    stream.abort();
    assert.deepEqual(seen, { aborted: 1, resumed: 1, asked: [false, true] });
  });
});

function context(): ReplyContext {
  let ids = 0;
  return {
    strict: true,
    dropped: () => {},
    request: { model: 'm', stream: true, stream_options: { include_usage: true } },
    newId: (prefix) => {
      ids += 1;
      return `${prefix}${ids}`;
    },
    nowSeconds: () => 1,
  };
}

function translated(
  from: 'chat' | 'messages',
  to: 'chat' | 'messages',
  chunks: readonly Uint8Array[],
  options: {
    error?: Error;
    repair?: (json: object) => never | object;
    finishReasons?: Record<string, 'stop' | 'length'>;
  } = {},
) {
  const { source, seen } = sourceOf(chunks, options.error);
  const facts = context();
  const decoder = (dialects[from] as GenerationDialect).decodeStream(facts);
  const reply = new StreamedReply(decoder.meter, { dialect: dialects[from], framing: 'sse', repair: undefined });
  const stream = new TranslatedStream(source, replyLedger(reply), reply, {
    framing: 'sse',
    decoder,
    encoder: (dialects[to] as GenerationDialect).encodeStream(facts),
    finishReasons: options.finishReasons,
    repair: options.repair as never,
    mask,
  });
  const sink = new Collector();
  stream.pipe(sink);
  return { text: sink.text, ends: sink.ends, error: sink.error_, usage: reply.meter.usage, seen };
}

describe('a translated stream', () => {
  it('gives the same events and tokens however it is cut', () => {
    const expected = translated('messages', 'chat', bytes(messageStream));
    assert.match(expected.text, /é/);
    assert.match(expected.text, /data: \[DONE\]\n\n$/);
    assert.deepEqual([expected.usage?.input, expected.usage?.output], [11, 9]);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (at) => {
        assert.deepEqual(translated('messages', 'chat', cut(messageStream, at)).text, expected.text);
      }),
    );
  });

  it('writes the other way too', () => {
    const { text } = translated('chat', 'messages', bytes(chatStream));
    assert.match(text, /^event: message_start\n/);
    assert.match(text, /Grüße 🎉/);
    assert.match(text, /event: message_stop\n.*\n\n$/);
  });

  it('tells of a stream that is cut short, and ends once', () => {
    const result = translated(
      'messages',
      'chat',
      bytes(messageStream.slice(0, messageStream.indexOf('event: message_delta'))),
    );
    assert.match(result.text, /data: \{"error":/);
    assert.deepEqual([result.ends, result.error], [1, undefined]);
  });

  it('tells of an error in the middle, and ends once', () => {
    const result = translated('chat', 'messages', bytes(chatStream.slice(0, 120)), {
      error: new GatewayError('upstream_stalled', 'some sent nothing.'),
    });
    assert.match(result.text, /event: error\ndata: .*some sent nothing/);
    assert.deepEqual([result.ends, result.error], [1, undefined]);
  });

  it('ends with an error, and gives its source up, when the provider’s own repair throws', () => {
    const result = translated('chat', 'chat', bytes(chatStream), {
      repair: () => {
        throw new TypeError('x is undefined');
      },
    });
    assert.match(result.text, /data: \{"error":/);
    assert.doesNotMatch(result.text, /x is undefined/);
    assert.deepEqual([result.ends, result.seen.aborted], [1, 1]);
  });

  it('uses the provider’s table of finish words, and no row that every object has', () => {
    const stream = (word: string) =>
      bytes(
        `data: {"id":"c","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}\n\ndata: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"${word}"}]}\n\ndata: [DONE]\n\n`,
      );
    assert.match(
      translated('chat', 'chat', stream('eos'), { finishReasons: { eos: 'length' } }).text,
      /"finish_reason":"length"/,
    );
    const { text } = translated('chat', 'chat', stream('constructor'), { finishReasons: { eos: 'length' } });
    assert.match(text, /"finish_reason":"\w+"/);
    assert.doesNotMatch(text, /native code/);
  });
});
