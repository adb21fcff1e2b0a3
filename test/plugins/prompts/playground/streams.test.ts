import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { noUnhandledRejections } from '../../../support/rejections.ts';
import { both, eventsOf, type PlayedEvent, startPlayground } from './world.ts';

noUnhandledRejections();

const chunk = (text: string) =>
  `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;
const last =
  'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const done = 'data: [DONE]\n\n';

const results = (events: readonly PlayedEvent[]) => events.filter(({ event }) => event === 'result');
const saidBy = (events: readonly PlayedEvent[], index: number) =>
  events
    .filter(({ event, data }) => event === 'chunk' && data.index === index)
    .map(({ data }) => asObject(asObjects(asObject(data.data)?.choices)[0]?.delta)?.content ?? '')
    .join('');
const errorOf = ({ error }: JsonObject) => String(asObject(error)?.message);

describe('a playground that streams', () => {
  it('gives the chunks of each model as they come, then how each ended', async (t) => {
    const { open, peer, other } = await startPlayground(t);
    const { promise: release, resolve } = Promise.withResolvers<void>();
    peer.always({ events: [chunk('one'), last, done] });
    other.always({ events: [chunk('two')], ending: 'stall', release, rest: [chunk('three'), last, done] });
    const response = await open({});
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    let text = '';
    for await (const piece of response.body as ReadableStream<Uint8Array>) {
      text += Buffer.from(piece).toString();
      // The first is over while the second still speaks.
      if (text.includes('event: result') && text.includes('two')) resolve();
    }
    const events = eventsOf(text);
    assert.deepEqual([saidBy(events, 0), saidBy(events, 1)], ['one', 'twothree']);
    assert.deepEqual(
      results(events).map(({ data: { index, status, error, body } }) => [index, status, error, body]),
      [
        [0, 200, undefined, undefined],
        [1, 200, undefined, undefined],
      ],
    );
  });

  it('tells what was refused in its result, beside a stream that works', async (t) => {
    const { open, other } = await startPlayground(t);
    other.always({ status: 503, body: { error: { message: 'away' } } });
    const events = eventsOf(await (await open({})).text());
    const [refused] = results(events).filter(({ data }) => data.index === 1);
    assert.equal(refused?.data.status, 503);
    assert.match(errorOf(asObject(refused?.data.body) ?? {}), /away/);
    assert.notEqual(saidBy(events, 0), '');
    assert.equal(results(events).length, 2);
  });

  it('tells of an error midway in the result too', async (t) => {
    const { open, peer, other } = await startPlayground(t);
    peer.always({ events: [chunk('a'), 'data: {"error":{"message":"overloaded","type":"server_error"}}\n\n'] });
    other.always({ events: [chunk('b')], ending: 'cut' });
    const events = eventsOf(await (await open({})).text());
    assert.deepEqual([saidBy(events, 0), saidBy(events, 1)], ['a', 'b']);
    const ended = results(events).toSorted((a, b) => Number(a.data.index) - Number(b.data.index));
    assert.match(errorOf(ended[0]?.data ?? {}), /overloaded/);
    assert.notEqual(ended[1]?.data.error, undefined);
  });

  it('is JSON whatever the provider sends', async (t) => {
    const { open, peer, other } = await startPlayground(t);
    peer.always({ events: [chunk('a'), 'data: not "JSON"\n\n', 'data: {"two":\ndata: "lines"}\n\n', done] });
    other.always({
      body: '{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}]}',
    });
    const events = eventsOf(await (await open({})).text());
    const chunks = events
      .filter(({ event, data }) => event === 'chunk' && data.index === 0)
      .map(({ data }) => data.data);
    assert.deepEqual(chunks.slice(1, 3), ['not "JSON"', { two: 'lines' }]);
    assert.equal(saidBy(events, 1), 'whole', 'a provider that does not stream is streamed');
  });

  it('streams texts', async (t) => {
    const { open, peer } = await startPlayground(t);
    peer.always({
      events: ['data: {"id":"c","object":"text_completion","choices":[{"index":0,"text":"Hej"}]}\n\n', done],
    });
    const response = await open({ string: 'Greet {{name}}', models: both.slice(0, 1) });
    const [first] = eventsOf(await response.text());
    assert.equal(asObjects(asObject(first?.data.data)?.choices)[0]?.text, 'Hej');
    assert.deepEqual([peer.requests[0]?.url, peer.requests[0]?.body.stream], ['/v1/completions', true]);
  });
});

describe('who leaves a playground', () => {
  it('midway ends every call', async (t) => {
    const { open, peer, other } = await startPlayground(t);
    peer.always({ events: [chunk('a')], ending: 'stall' });
    other.always({ before: 'never' });
    const left = new AbortController();
    const response = await open({}, left.signal);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    const requests = await Promise.all([peer.request(0), other.request(0)]);
    left.abort();
    await Promise.all(requests.map(({ abandoned }) => abandoned));
    await assert.rejects(reader.read());
  });

  for (const stream of [true, false])
    it(`before anything has come ends every call: ${stream ? 'a stream' : 'one reply'}`, async (t) => {
      const { open, peer, other } = await startPlayground(t);
      peer.always({ before: 'never' });
      other.always({ before: 'never' });
      const left = new AbortController();
      const asked = assert.rejects(open({ stream }, left.signal).then((response) => response.text()));
      const requests = await Promise.all([peer.request(0), other.request(0)]);
      left.abort();
      await Promise.all(requests.map(({ abandoned }) => abandoned));
      await asked;
    });
});
