import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clientError, isComplete, streamError, streamedText } from '../support/client-dialects.ts';
import { expectedOf } from '../support/expected.ts';
import { startGateway } from '../support/gateway.ts';
import { type Pairing, pairings, servedOnly } from '../support/pairings.ts';
import { type Act, type Peer, startPeer } from '../support/peer.ts';
import { recordedReply, recordedStream, type WireDialect } from '../support/recordings.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { wireError, wireErrorEvent } from '../support/wire-errors.ts';

noUnhandledRejections();

/** So many events of the recorded text: some text is told, the end is not. */
const begun: Readonly<Record<WireDialect, number>> = { chat: 3, messages: 4, responses: 6, gemini: 2 };

/** An overload as the first event of a stream, where the format has one. */
const overloads: Readonly<Record<WireDialect, string>> = {
  chat: 'data: {"error":{"message":"Overloaded","type":"overloaded_error","param":null,"code":null}}\n\n',
  messages: wireErrorEvent('messages', 529, 'Overloaded'),
  responses:
    'event: error\ndata: {"type":"error","sequence_number":0,"code":"overloaded_error","message":"Overloaded","param":null}\n\n',
  gemini: wireErrorEvent('gemini', 503, 'The model is overloaded. Please try again later.'),
};

/** What closes a stream of the format, and says nothing of an answer. */
const bareEnds: Readonly<Record<WireDialect, readonly string[]>> = {
  chat: ['data: [DONE]\n\n'],
  messages: ['event: ping\ndata: {"type":"ping"}\n\n', 'event: message_stop\ndata: {"type":"message_stop"}\n\n'],
  responses: ['data: [DONE]\n\n'],
  gemini: ['data: [DONE]\n\n'],
};

async function streamOf(t: TestContext, pairing: Pairing, act: Act, server: { gapMs?: number } = {}) {
  const peer: Peer = await startPeer(t);
  peer.always(act);
  const gateway = await startGateway(t, { ...servedOnly(pairing, peer), server: { timeouts: server } });
  const reply = await gateway.post(pairing.path, pairing.body('model-1', true));
  return { peer, gateway, reply };
}

for (const pairing of pairings) {
  const { dialect, wire, provider, title } = pairing;
  const text = expectedOf(wire, 'text', true).text;
  describe(`a stream: ${title}`, () => {
    const shapes: readonly (readonly [string, Act])[] = [
      ['as recorded', {}],
      ['with comments between its events', { comments: true }],
      ['framed with CRLF', { crlf: true }],
      ['framed with CRLF, with comments, one byte at a time', { crlf: true, comments: true, pieceBytes: 1 }],
      ['in pieces of 7 bytes', { pieceBytes: 7 }],
    ];
    for (const [name, act] of shapes) {
      it(`arrives whole ${name}`, async (t) => {
        const { reply } = await streamOf(t, pairing, act);
        assert.equal(reply.status, 200);
        assert.match(reply.headers.get('content-type') ?? '', /^text\/event-stream/);
        assert.equal(streamedText(dialect, reply.text), text);
        assert.ok(isComplete(dialect, reply.text), reply.text);
        assert.equal(streamError(dialect, reply.text), undefined);
      });
    }

    const breaks: readonly (readonly [string, Act, RegExp])[] = [
      ['is cut', { upTo: begun[wire], ending: 'cut' }, /connection was (closed|reset)/],
      ['ends before its end', { upTo: begun[wire] }, /closed the stream before it was complete/],
      [
        'holds an error event',
        {
          events: [
            ...recordedStream(wire, 'text').slice(0, begun[wire]),
            wireErrorEvent(wire, 500, 'Something broke.'),
          ],
        },
        /Something broke\./,
      ],
      [
        'holds an error that repeats the key',
        {
          events: [
            ...recordedStream(wire, 'text').slice(0, begun[wire]),
            wireErrorEvent(wire, 500, 'The key operator-key is used up.'),
          ],
        },
        /The key \*\*\*\* is used up\./,
      ],
    ];
    for (const [name, act, message] of breaks) {
      it(`that ${name} keeps its text and ends with an error event`, async (t) => {
        const { reply } = await streamOf(t, pairing, act);
        assert.equal(reply.status, 200);
        assert.ok(
          text.startsWith(streamedText(dialect, reply.text)) && streamedText(dialect, reply.text) !== '',
          reply.text,
        );
        assert.match(streamError(dialect, reply.text)?.message ?? 'no error event', message, reply.text);
        assert.ok(!isComplete(dialect, reply.text) || dialect === 'chat', reply.text);
      });
    }

    it('that falls silent ends with an error event, and its connection is given up', async (t) => {
      const { reply, peer } = await streamOf(t, pairing, { upTo: begun[wire], ending: 'stall' }, { gapMs: 120 });
      assert.match(streamError(dialect, reply.text)?.message ?? 'no error event', /sent nothing for 120 ms/);
      await peer.requests[0]?.abandoned;
    });

    it('that begins with an overload is answered with the overload, not with a stream', async (t) => {
      const { reply } = await streamOf(t, pairing, { events: [overloads[wire]] });
      assert.equal(reply.status, wire === 'gemini' ? 503 : 529, reply.text);
      assert.match(clientError(dialect, reply).message, new RegExp(`${provider} error: .*[Oo]verloaded`));
    });

    for (const [what, events] of [
      ['without any event', []],
      ['of comments', [': keep-alive\n\n', ': keep-alive\n\n']],
      ['of nothing but its end', bareEnds[wire]],
    ] as const) {
      it(`${what} is 502`, async (t) => {
        const { reply } = await streamOf(t, pairing, { events });
        assert.equal(reply.status, 502);
        assert.match(clientError(dialect, reply).message, /empty stream/);
      });
    }

    it('is made of a whole reply, where the provider gave one', async (t) => {
      const { reply } = await streamOf(t, pairing, { body: recordedReply(wire, 'text') });
      assert.match(reply.headers.get('content-type') ?? '', /^text\/event-stream/);
      assert.equal(streamedText(dialect, reply.text), expectedOf(wire, 'text', false).text);
      assert.ok(isComplete(dialect, reply.text), reply.text);
    });

    it('with an error status is answered with that status', async (t) => {
      const { reply } = await streamOf(t, pairing, {
        status: 429,
        body: wireError(wire, 429, 'Slow down.'),
        headers: { 'retry-after': '7' },
      });
      assert.equal(reply.status, 429);
      assert.equal(reply.headers.get('retry-after'), '7');
      assert.match(clientError(dialect, reply).message, /Slow down/);
    });
  });
}

describe('a stream of a custom host', () => {
  for (const pairing of pairings) {
    it(`is cut off with an error event above the limit: ${pairing.title}`, async (t) => {
      const peer = await startPeer(t);
      const filler = recordedStream(pairing.wire, 'text').slice(0, begun[pairing.wire]);
      peer.always({ events: [...filler, `: ${'x'.repeat(20_000)}\n\n`], ending: 'stall' });
      const gateway = await startGateway(t, {
        ...servedOnly(pairing, peer),
        server: { customHostMaxReplyBytes: 10_000 },
      });
      const reply = await gateway.post(pairing.path, pairing.body('model-1', true));
      assert.match(streamError(pairing.dialect, reply.text)?.message ?? reply.text, /more than the 10000 bytes/);
      await peer.requests[0]?.abandoned;
    });
  }
});

describe('a chat stream that forgets its last event', () => {
  it('gets it, when the answer was complete', async (t) => {
    const peer = await startPeer(t);
    const events = recordedStream('chat', 'text');
    peer.always({ events: events.slice(0, -1) });
    const gateway = await startGateway(t, servedOnly({ provider: 'openai', wire: 'chat' }, peer));
    const reply = await gateway.post('/v1/chat/completions', {
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    });
    assert.ok(isComplete('chat', reply.text));
    assert.equal(streamError('chat', reply.text), undefined);
  });
});

describe('comments in a stream that is forwarded', () => {
  const events = recordedStream('messages', 'text');
  const [last, before] = [events.at(-1) ?? '', events.slice(0, -1)];
  for (const [name, sent] of [
    ['after its end', [...events, ': bye\n\n']],
    ['after its end, without an empty line', [...events, ': bye\n']],
    ['after its end, in two pieces', [...events, ': b', 'ye\n\n']],
    ['inside its last event', [...before, `: note\n${last}`]],
    ['inside its last event, in two pieces', [...before, ': note\n', last]],
  ] as const) {
    it(`do not make it look cut off when they stand ${name}`, async (t) => {
      const peer = await startPeer(t);
      peer.always({ events: [...sent] });
      const gateway = await startGateway(t, servedOnly({ provider: 'anthropic', wire: 'messages' }, peer));
      const reply = await gateway.post('/v1/messages', {
        model: 'm',
        max_tokens: 9,
        stream: true,
        messages: [{ role: 'user', content: 'x' }],
      });
      assert.equal(reply.text, sent.join(''));
    });
  }
});

it("forwards the bytes of a stream in the client's own format untouched", async (t) => {
  const peer = await startPeer(t);
  const odd = `: hello\r\n\r\n${recordedStream('messages', 'text').join('')}`;
  peer.always({ events: [odd] });
  const gateway = await startGateway(t, servedOnly({ provider: 'anthropic', wire: 'messages' }, peer));
  const reply = await gateway.post('/v1/messages', {
    model: 'm',
    max_tokens: 9,
    stream: true,
    messages: [{ role: 'user', content: 'x' }],
  });
  assert.equal(reply.text, odd);
});
