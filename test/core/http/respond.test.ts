import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import type { Outcome, ReplySink, ReplyStream } from 'portcullis/sdk';
import { respond } from '../../../core/http/respond.ts';
import type { Exchange } from '../../../core/pipeline/exchange.ts';
import type { Ending } from '../../../core/pipeline/settle.ts';
import { exchangeOf, outcomeWith } from '../../support/exchange.ts';

const closers: (() => void)[] = [];
after(() => {
  for (const close of closers) close();
});

/** A source that flows as fast as its sink allows, and counts what is asked of it. */
class Source implements ReplyStream {
  sink: ReplySink | undefined;
  aborted = 0;
  resumed = 0;
  onResume: () => void = () => {};
  readonly piped = Promise.withResolvers<ReplySink>();

  pipe(sink: ReplySink): void {
    this.sink = sink;
    this.piped.resolve(sink);
  }

  resume(): void {
    this.resumed += 1;
    this.onResume();
  }

  abort(): void {
    this.aborted += 1;
    // As the transport does: giving up is told to the sink too.
    this.sink?.error(new Error('given up'));
  }
}

interface Served {
  readonly url: string;
  readonly response: Promise<ServerResponse>;
  readonly ending: Promise<Ending>;
  readonly endings: Ending[];
}

async function serving(outcome: Outcome, exchange: Exchange = exchangeOf()): Promise<Served> {
  const response = Promise.withResolvers<ServerResponse>();
  const ending = Promise.withResolvers<Ending>();
  const endings: Ending[] = [];
  const server = createServer((_, reply) => {
    reply.on('close', () => {
      if (!reply.writableFinished) exchange.cancellation.cancel();
    });
    reply.on('error', () => {});
    respond(reply, exchange, outcome, (how) => {
      endings.push(how);
      ending.resolve(how);
    });
    response.resolve(reply);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    response: response.promise,
    ending: ending.promise,
    endings,
  };
}

async function fetched(url: string): Promise<IncomingMessage> {
  const request = get(url, { agent: false });
  const [reply] = (await once(request, 'response')) as [IncomingMessage];
  return reply;
}

async function textOf(reply: IncomingMessage): Promise<string> {
  return (await reply.setEncoding('utf8').toArray()).join('');
}

const streamed = (stream: ReplyStream, fields: Partial<Outcome> = {}) =>
  outcomeWith({ body: { kind: 'stream', stream }, ...fields });

describe('a reply of bytes', () => {
  it('goes out with its length and the headers of the gateway', async () => {
    const exchange = exchangeOf({ headers: { 'x-gw-trace-id': 'trace-7' } });
    const served = await serving(
      outcomeWith({
        status: 201,
        body: { kind: 'bytes', bytes: Buffer.from('{"é":1}') },
        path: 'config.targets[1]',
        retries: -1,
      }),
      exchange,
    );
    const reply = await fetched(served.url);
    assert.equal(await textOf(reply), '{"é":1}');
    assert.equal(reply.statusCode, 201);
    const names = [
      'content-length',
      'x-gw-request-id',
      'x-gw-trace-id',
      'x-gw-last-used-option-index',
      'x-gw-retry-attempt-count',
      'x-gw-provider',
    ];
    assert.deepEqual(
      names.map((name) => reply.headers[name]),
      ['8', 'req-1', 'trace-7', 'config.targets[1]', '-1', 'some'],
    );
    assert.deepEqual(served.endings, ['sent']);
  });

  it('names no target where none was reached', async () => {
    const reply = await fetched(
      (await serving(outcomeWith({ path: '', provider: undefined, error: 'unauthenticated', status: 401 }))).url,
    );
    assert.deepEqual(
      Object.keys(reply.headers).filter((name) => name.startsWith('x-gw-')),
      ['x-gw-request-id', 'x-gw-trace-id'],
    );
  });

  it('uses the vendor segment of the caller', async () => {
    const exchange = exchangeOf({ vendors: ['gw', 'acme'], headers: { 'x-acme-provider': 'some' } });
    assert.equal((await fetched((await serving(outcomeWith(), exchange)).url)).headers['x-acme-request-id'], 'req-1');
  });

  for (const error of ['internal', 'plugin_failed']) {
    it(`marks ${error} as the gateway's own`, async () => {
      const reply = await fetched((await serving(outcomeWith({ status: 500, error }))).url);
      assert.equal(reply.headers['x-gw-gateway-exception'], 'true');
    });
  }

  it('keeps several values of one header', async () => {
    const reply = await fetched((await serving(outcomeWith({ headers: { 'x-many': ['a', 'b'] } }))).url);
    assert.equal(reply.headers['x-many'], 'a, b');
  });

  it('reaches the client although a header of the provider holds what no header may hold', async () => {
    const headers = { 'x-odd': 'caf\u0113', 'x-break': 'a\r\nx-forged: 1', 'x odd name': 'v', 'x-fine': 'caf\u00e9' };
    const reply = await fetched((await serving(outcomeWith({ headers }))).url);
    assert.equal(await textOf(reply), '{}');
    assert.deepEqual(
      [reply.headers['x-forged'], reply.headers['x-odd'], reply.headers['x-break'], reply.headers['x-fine']],
      [undefined, undefined, undefined, 'caf\u00e9'],
    );
  });

  it('reaches the client although its trace id holds what no header may hold', async () => {
    const exchange = exchangeOf({ headers: { 'x-gw-trace-id': 'a\u007fb' } });
    assert.equal(await textOf(await fetched((await serving(outcomeWith(), exchange)).url)), '{}');
  });

  it('is not sent to a client that has left', async () => {
    const exchange = exchangeOf();
    const source = new Source();
    const endings: Ending[] = [];
    respond({ destroyed: true, writableEnded: false } as ServerResponse, exchange, streamed(source), (how) =>
      endings.push(how),
    );
    assert.deepEqual([endings, source.aborted], [['left'], 1]);
  });
});

describe('a streamed reply', () => {
  it('sends its head before the first chunk', async () => {
    const source = new Source();
    const served = await serving(streamed(source, { headers: { 'content-type': 'text/event-stream' } }));
    const reply = await fetched(served.url);
    assert.deepEqual(
      [reply.headers['cache-control'], reply.headers['x-accel-buffering'], reply.headers['content-type']],
      ['no-cache', 'no', 'text/event-stream'],
    );
    source.sink?.data('one ');
    source.sink?.data(Buffer.from('two'));
    source.sink?.end();
    assert.equal(await textOf(reply), 'one two');
    assert.equal(await served.ending, 'sent');
  });

  it('asks its source to pause while the client does not read, and to go on when it does', async () => {
    const source = new Source();
    const served = await serving(streamed(source));
    const reply = await fetched(served.url);
    const sink = await source.piped.promise;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let sentBytes = 0;
    while (sink.data(chunk)) sentBytes += chunk.length;
    sentBytes += chunk.length;
    const resumed = new Promise<void>((resolve) => {
      source.onResume = resolve;
    });
    assert.equal(source.resumed, 0);
    const received = textOf(reply);
    await resumed;
    sink.end();
    assert.equal((await received).length, sentBytes);
  });

  it('gives up its source when the client leaves, and ends once', async () => {
    const source = new Source();
    const served = await serving(streamed(source));
    const reply = await fetched(served.url);
    source.sink?.data('x');
    reply.destroy();
    assert.equal(await served.ending, 'left');
    source.sink?.data('late');
    source.sink?.end();
    assert.deepEqual([source.aborted, served.endings], [1, ['left']]);
  });

  it('tells that the client left although the source ends its stream in answer', async () => {
    const source = new Source();
    const exchange = exchangeOf();
    // As the forwarded streams do: an error of the source becomes an event and an end.
    const ending: ReplyStream = {
      pipe: (sink) =>
        source.pipe({
          ...sink,
          data: (chunk) => sink.data(chunk),
          end: () => sink.end(),
          error: () => {
            sink.data('event: error\n\n');
            sink.end();
          },
        }),
      resume: () => source.resume(),
      abort: () => source.abort(),
    };
    const served = await serving(streamed(ending), exchange);
    const reply = await fetched(served.url);
    reply.destroy();
    assert.equal(await served.ending, 'left');
    assert.deepEqual(served.endings, ['left']);
  });

  it('breaks the connection when raw bytes break off, so that half a reply does not look whole', async () => {
    const source = new Source();
    const served = await serving(streamed(source));
    const reply = await fetched(served.url);
    source.sink?.data('half');
    source.sink?.error(new Error('reset'));
    await assert.rejects(textOf(reply), { code: 'ECONNRESET' });
    assert.equal(await served.ending, 'left');
  });

  it('gives up at once when the request is already cancelled', async () => {
    const source = new Source();
    const exchange = exchangeOf();
    exchange.cancellation.cancel();
    const endings: Ending[] = [];
    respond({ destroyed: false, writableEnded: false } as ServerResponse, exchange, streamed(source), (how) =>
      endings.push(how),
    );
    assert.deepEqual([endings, source.aborted], [['left'], 1]);
  });
});
