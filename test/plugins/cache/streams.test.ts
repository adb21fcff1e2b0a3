import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Delta,
  type DialectName,
  dialects,
  type Endpoint,
  type GenerationDialect,
  type JsonObject,
  type Outcome,
  type TargetContext,
} from 'portcullis/sdk';
import { eventsOf } from '../../../plugins/cache/streams/events.ts';
import { KeptStream } from '../../../plugins/cache/streams/kept.ts';
import { ReplayedStream } from '../../../plugins/cache/streams/replayed.ts';
import { Room } from '../../../plugins/cache/streams/room.ts';
import { answer, Client, end, finish, Source, start, text, wireOf } from '../guardrails-stream/windows.ts';
import { type Cache, said, settled, startCache, targetWith } from './asking.ts';

type Client4 = 'chat' | 'completions' | 'messages' | 'responses';

const endpoints: Readonly<Record<Client4, Endpoint>> = {
  chat: 'chatComplete',
  completions: 'complete',
  messages: 'messages',
  responses: 'createModelResponse',
};
const clients = Object.keys(endpoints) as Client4[];

function streaming(client: Client4 = 'chat', body: JsonObject = said('x', { stream: true })): TargetContext {
  return targetWith({ body }, { endpoint: endpoints[client], dialect: client });
}

const eventStream = { 'content-type': 'text/event-stream; charset=utf-8' };

interface Watched {
  readonly source: Source;
  readonly client: Client;
  readonly outcome: Outcome;
}

/** A stream that has just begun to flow to its client. */
async function begun({ hooks }: Cache, target: TargetContext): Promise<Watched> {
  const source = new Source();
  assert.equal(await hooks.lookup?.(target), undefined);
  const outcome = await hooks.afterRequest?.(target, {
    status: 200,
    headers: eventStream,
    body: { kind: 'stream', stream: source },
    provider: 'some',
    model: 'm',
    path: 'config',
    retries: 0,
    usage: () => undefined,
  });
  assert.ok(outcome?.body.kind === 'stream');
  const client = new Client();
  outcome.body.stream.pipe(client);
  return { source, client, outcome };
}

/** What the second of two equal requests gets; undefined: nothing was kept. */
async function replayed({ hooks }: Cache, target: TargetContext): Promise<Client | undefined> {
  await settled();
  const outcome = await hooks.lookup?.(target);
  if (outcome === undefined) return undefined;
  assert.equal(outcome.body.kind, 'stream');
  const client = new Client();
  if (outcome.body.kind === 'stream') outcome.body.stream.pipe(client);
  await settled();
  assert.equal(client.ended, 1);
  return client;
}

for (const client of clients) {
  const dialect: GenerationDialect = dialects[client];
  const whole = wireOf(answer('Hello', ' there.'), dialect);

  describe(`a stream in the format of ${client}`, () => {
    it('goes on as it comes, and is given again byte for byte', async () => {
      const cache = await startCache();
      const { source, client: first } = await begun(cache, streaming(client));
      for (const piece of whole.match(/.{1,7}/gs) ?? []) source.push(Buffer.from(piece));
      assert.equal(first.bytes, whole);
      source.end();
      assert.equal((await replayed(cache, streaming(client)))?.bytes, whole);
    });

    const broken: readonly [string, string, (source: Source) => void][] = [
      ['ended without its end', whole.slice(0, whole.lastIndexOf(lastEvent(whole))), (source) => source.end()],
      ['was cut within its last event', whole.slice(0, -12), (source) => source.end()],
      [
        'told of an error and then ended',
        wireOf([start, text('Hello')], dialect) +
          dialect.encodeStreamFault({ status: 502, message: 'The stream broke off.', type: 'api_error' }),
        (source) => source.end(),
      ],
      ['broke off', whole, (source) => source.break(new Error('reset'))],
    ];
    for (const [what, bytes, over] of broken) {
      it(`is not kept when it ${what}`, async () => {
        const cache = await startCache();
        const { source } = await begun(cache, streaming(client));
        source.push(bytes);
        over(source);
        assert.equal(await replayed(cache, streaming(client)), undefined);
      });
    }

    it('is not kept when the client left, though all of it had come', async () => {
      const cache = await startCache();
      const { source, outcome } = await begun(cache, streaming(client));
      source.push(whole);
      if (outcome.body.kind === 'stream') outcome.body.stream.abort();
      source.end();
      assert.deepEqual([await replayed(cache, streaming(client)), source.aborted], [undefined, true]);
    });
  });
}

function lastEvent(stream: string): string {
  const events = stream.split('\n\n').filter((event) => event !== '');
  return events.at(-1) ?? '';
}

describe('a kept stream', () => {
  it('is given to who asks for a stream, and to nobody else', async () => {
    const cache = await startCache();
    const { source } = await begun(cache, streaming());
    source.push(wireOf(answer('Hi')));
    source.end();
    assert.equal(await replayed(cache, streaming('chat', said('x'))), undefined);
    assert.ok((await replayed(cache, streaming())) !== undefined);
  });

  it('is no whole reply that came in its place', async () => {
    const { ask } = await startCache();
    await ask(streaming());
    assert.equal((await ask(streaming())).called, true);
  });

  it('may have come at once, as one that the gateway made of a whole reply', async () => {
    const cache = await startCache();
    const bytes = Buffer.from(wireOf(answer('Hi')));
    await cache.ask(streaming(), { headers: eventStream, body: { kind: 'bytes', bytes } });
    assert.equal((await replayed(cache, streaming()))?.bytes, bytes.toString());
  });

  it('is none that was read on after its client had left', async () => {
    const cache = await startCache();
    const leaving = new AbortController();
    const target = targetWith({ body: said('x', { stream: true }) }, { signal: leaving.signal });
    const { source } = await begun(cache, target);
    source.push(wireOf(answer('Hi')));
    leaving.abort();
    source.end();
    assert.equal(await replayed(cache, streaming()), undefined);
  });

  it('may end without a blank line', async () => {
    const cache = await startCache();
    const { source } = await begun(cache, streaming());
    const bytes = wireOf(answer('Hi')).trimEnd();
    source.push(bytes);
    source.end();
    assert.equal((await replayed(cache, streaming()))?.bytes, bytes);
  });

  for (const word of ['error', 'content_filter']) {
    it(`is none that the provider ended with ${word}`, async () => {
      const cache = await startCache();
      const { source } = await begun(cache, streaming());
      source.push(wireOf(answer('Hi')).replace('"finish_reason":"stop"', `"finish_reason":"${word}"`));
      source.end();
      assert.equal(await replayed(cache, streaming()), undefined);
    });
  }

  const unfinished: readonly [string, Client4, string][] = [
    ['an end alone', 'chat', 'data: [DONE]\n\n'],
    ['half an answer and an end', 'chat', `${wireOf([start, text('Hel')])}data: [DONE]\n\n`],
    ['one choice of two', 'chat', `${wireOf([start, text('a', 0), text('b', 1), finish(0)])}data: [DONE]\n\n`],
    ['half a text and an end', 'completions', `${wireOf([start, text('Hel')], dialects.completions)}data: [DONE]\n\n`],
    ['a message without its stop', 'messages', 'event: message_stop\ndata: {"type":"message_stop"}\n\n'],
  ];
  for (const [what, client, bytes] of unfinished) {
    it(`is none without the word that it has finished: ${what}, of ${client}`, async () => {
      const cache = await startCache();
      const { source } = await begun(cache, streaming(client));
      source.push(bytes);
      source.end();
      assert.equal(await replayed(cache, streaming(client)), undefined);
    });
  }

  const formless: readonly (DialectName | undefined)[] = [undefined, 'embeddings'];
  for (const dialect of formless) {
    it(`is none whose end cannot be told: ${dialect ?? 'bytes that pass'}`, async () => {
      const cache = await startCache();
      const target = () => targetWith({ body: said('x', { stream: true }) }, { dialect });
      const { source } = await begun(cache, target());
      source.push(wireOf(answer('Hi')));
      source.end();
      assert.equal(await replayed(cache, target()), undefined);
    });
  }

  it('is at most 1 MiB long, and passes whole when it is longer', async () => {
    const cache = await startCache();
    const { source, client } = await begun(cache, streaming());
    const long = wireOf(answer(...Array.from({ length: 20 }, () => 'x'.repeat(60_000))));
    source.push(long);
    source.end();
    assert.deepEqual([client.bytes.length, client.ended], [long.length, 1]);
    assert.equal(await replayed(cache, streaming()), undefined);
  });
});

describe('the bytes that running streams keep', () => {
  const running = (room: Room, ended: (bytes: Buffer) => void = () => {}, maxBytes = 100) => {
    const source = new Source();
    const stream = new KeptStream({ source, room, maxBytes, ended });
    const client = new Client();
    stream.pipe(client);
    return { source, stream, client };
  };

  it('are bounded for all of them together', () => {
    const room = new Room(10);
    const kept: string[] = [];
    const first = running(room, (bytes) => kept.push(bytes.toString()));
    const second = running(room, (bytes) => kept.push(bytes.toString()));
    first.source.push('1234567');
    second.source.push('abcd');
    assert.equal(room.used, 7);
    first.source.end();
    second.source.end();
    assert.deepEqual([kept, second.client.bytes, room.used], [['1234567'], 'abcd', 0]);
  });

  const endings: readonly [string, (stream: ReturnType<typeof running>) => void][] = [
    ['ended', ({ source }) => source.end()],
    ['broke off', ({ source }) => source.break(new Error('x'))],
    ['was given up', ({ stream }) => stream.abort()],
    ['grew too long', ({ source }) => void source.push('x'.repeat(200))],
    ['was given up twice', ({ stream }) => [stream.abort(), stream.abort()]],
  ];
  for (const [what, over] of endings) {
    it(`are free again once a stream ${what}`, () => {
      const room = new Room(100);
      const stream = running(room);
      stream.source.push('12345');
      assert.equal(room.used, 5);
      over(stream);
      assert.equal(room.used, 0);
    });
  }

  it('are those of strings and of bytes', () => {
    const room = new Room(100);
    let kept = '';
    const { source } = running(room, (bytes) => {
      kept = bytes.toString();
    });
    source.push('é');
    source.push(Buffer.from('b'));
    assert.equal(room.used, 3);
    source.end();
    assert.equal(kept, 'éb');
  });

  it('make nobody wait: the client asks for its pauses as before', () => {
    const { source, client, stream } = running(new Room(100));
    client.takes = false;
    assert.equal(source.push('a'), false);
    stream.resume();
    assert.equal(source.resumed, 1);
  });
});

describe('a replayed stream', () => {
  const frames: readonly [string, string, readonly string[]][] = [
    ['LF', 'a\n\nb\n\n', ['a\n\n', 'b\n\n']],
    ['CRLF', 'a\r\n\r\nb\r\n\r\n', ['a\r\n\r\n', 'b\r\n\r\n']],
    ['CR', 'a\r\rb\r\r', ['a\r\r', 'b\r\r']],
    ['a last event without its blank line', 'a\n\nb', ['a\n\n', 'b']],
    ['several lines', 'event: a\ndata: b\n\n: c\n\n', ['event: a\ndata: b\n\n', ': c\n\n']],
    ['letters of several bytes', 'é\n\nü\n\n', ['é\n\n', 'ü\n\n']],
    ['nothing', '', []],
  ];
  for (const [what, bytes, events] of frames) {
    it(`is cut into its events, with ${what}`, () => {
      assert.deepEqual(
        eventsOf(Buffer.from(bytes)).map((event) => Buffer.from(event).toString()),
        events,
      );
    });
  }

  class Counting extends Client {
    readonly events: string[] = [];

    override data(chunk: Uint8Array | string): boolean {
      this.events.push(Buffer.from(chunk as Uint8Array).toString());
      return super.data(chunk);
    }
  }

  const many = Array.from({ length: 300 }, (_, index) => `data: ${index}\n\n`);

  it('sends one event after the other, and lets others have their turn in between', async () => {
    const client = new Counting();
    new ReplayedStream(Buffer.from(many.join(''))).pipe(client);
    assert.ok(client.events.length < many.length);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    assert.deepEqual([client.events, client.ended], [many, 1]);
  });

  it('waits for a client that is slow', async () => {
    const client = new Counting();
    client.takes = false;
    const stream = new ReplayedStream(Buffer.from(many.join('')));
    stream.pipe(client);
    await nextTurn();
    assert.equal(client.events.length, 1);
    stream.resume();
    assert.equal(client.events.length, 2);
    client.takes = true;
    stream.resume();
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    assert.deepEqual([client.events.length, client.ended], [many.length, 1]);
  });

  it('is not sent twice over when it is resumed without need', async () => {
    const client = new Counting();
    const stream = new ReplayedStream(Buffer.from(many.join('')));
    stream.pipe(client);
    stream.resume();
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    stream.resume();
    assert.deepEqual([client.events, client.ended], [many, 1]);
  });

  it('ends for nobody once it was given up', async () => {
    const client = new Counting();
    const stream = new ReplayedStream(Buffer.from(many.join('')));
    stream.pipe(client);
    const sent = client.events.length;
    stream.abort();
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    assert.deepEqual([client.events.length, client.ended], [sent, 0]);
  });
});

describe('several choices', () => {
  it('are one stream, and kept when all of them have finished', async () => {
    const cache = await startCache();
    const { source } = await begun(cache, streaming());
    const deltas: readonly Delta[] = [start, text('a', 0), text('b', 1), finish(0), finish(1), end];
    source.push(wireOf(deltas));
    source.end();
    assert.equal((await replayed(cache, streaming()))?.bytes, wireOf(deltas));
  });
});
