import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, describe, it } from 'node:test';
import type { GatewayError } from 'portcullis/sdk';
import { checkJsonType, parseBody, readBody } from '../../../core/http/body.ts';

type Read = { readonly bytes: Buffer } | { readonly error: GatewayError };

const servers: { close(): unknown; closeAllConnections(): void }[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that reads one body and answers with what came of it; `read` resolves with the same. */
async function reader(limit: number) {
  const { promise, resolve } = Promise.withResolvers<Read>();
  const server = createServer(async (request, reply) => {
    const read: Read = await readBody(request, limit).then(
      (bytes) => ({ bytes }),
      (error: GatewayError) => ({ error }),
    );
    resolve(read);
    if ('error' in read) reply.writeHead(read.error.status, { ...read.error.headers }).end(read.error.code);
    else reply.end(`${read.bytes.length}`);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, read: promise };
}

async function sent(port: number, headers: Record<string, string>, chunks: readonly (string | Buffer)[]) {
  const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers, agent: false });
  request.on('error', () => {});
  for (const chunk of chunks) request.write(chunk);
  request.end();
  const [reply] = (await once(request, 'response')) as [IncomingMessage];
  const text = (await reply.setEncoding('utf8').toArray()).join('');
  return { status: reply.statusCode, connection: reply.headers.connection, text };
}

describe('reading a body', () => {
  it('gives the bytes of all chunks in order', async () => {
    const { port, read } = await reader(100);
    await sent(port, {}, ['{"a":', Buffer.from([0xc3]), Buffer.from([0xa9]), '}']);
    const result = await read;
    assert.ok('bytes' in result);
    assert.equal(result.bytes.toString('utf8'), '{"a":é}');
  });

  it('gives nothing for no body', async () => {
    const { port, read } = await reader(100);
    await sent(port, { 'content-length': '0' }, []);
    const result = await read;
    assert.ok('bytes' in result && result.bytes.length === 0);
  });

  const sizes: readonly [string, Record<string, string>, number, number][] = [
    ['accepts a body of exactly the limit', { 'content-length': '10' }, 10, 200],
    ['accepts an unannounced body of exactly the limit', {}, 10, 200],
    ['refuses a body that announces one byte more', { 'content-length': '11' }, 11, 413],
    ['refuses a body that turns out to be one byte longer', {}, 11, 413],
  ];
  for (const [name, headers, size, status] of sizes) {
    it(name, async () => {
      const { port } = await reader(10);
      const reply = await sent(port, headers, ['x'.repeat(size)]);
      assert.equal(reply.status, status);
      if (status === 413) assert.deepEqual([reply.text, reply.connection], ['payload_too_large', 'close']);
    });
  }

  it('refuses by what is announced, without waiting for the body', async () => {
    const { port, read } = await reader(10);
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n');
    const result = await read;
    assert.ok('error' in result && result.error.code === 'payload_too_large');
    socket.destroy();
  });

  it('tells of a client that leaves in the middle', async () => {
    const { port, read } = await reader(1000);
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf');
    await once(socket, 'connect');
    setImmediate(() => socket.destroy());
    const result = await read;
    assert.ok('error' in result && result.error.code === 'client_closed');
  });

  const encodings: readonly [string, number][] = [
    ['identity', 200],
    ['gzip', 415],
    ['br', 415],
    ['gzip, identity', 415],
  ];
  for (const [encoding, status] of encodings) {
    it(`answers a body in the content encoding ${encoding} with ${status}`, async () => {
      const { port } = await reader(10);
      assert.equal((await sent(port, { 'content-encoding': encoding }, ['x'])).status, status);
    });
  }
});

describe('the content type', () => {
  const types: readonly [string | undefined, boolean][] = [
    [undefined, true],
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['application/json;charset=utf-8', true],
    ['application/vnd.api+json', true],
    ['text/plain', false],
    ['text/json', false],
    ['application/jsonx', false],
    ['application/x-www-form-urlencoded', false],
    ['multipart/form-data; boundary=x', false],
    ['', false],
  ];
  for (const [type, accepted] of types) {
    it(`${accepted ? 'accepts' : 'refuses'} ${type === undefined ? 'none' : JSON.stringify(type)}`, () => {
      const request = { headers: type === undefined ? {} : { 'content-type': type } } as IncomingMessage;
      if (accepted) assert.doesNotThrow(() => checkJsonType(request));
      else assert.throws(() => checkJsonType(request), { code: 'unsupported_media_type', param: 'content-type' });
    });
  }
});

describe('parsing a body', () => {
  const refused: readonly [string, string, Partial<GatewayError>][] = [
    ['an empty body', '', { code: 'invalid_json', message: 'The request body is empty: send a JSON object.' }],
    ['white space', ' \n', { code: 'invalid_json', message: 'The request body is empty: send a JSON object.' }],
    ['broken JSON', '{\n"a": }', { code: 'invalid_json', message: 'The request body is not JSON: line 2, column 6.' }],
    ['an array', '[]', { code: 'bad_request', message: 'The request body must be a JSON object.' }],
    ['null', 'null', { code: 'bad_request', message: 'The request body must be a JSON object.' }],
    ['a text', '"{}"', { code: 'bad_request', message: 'The request body must be a JSON object.' }],
  ];
  for (const [what, text, expected] of refused) {
    it(`refuses ${what}`, () => assert.throws(() => parseBody(Buffer.from(text)), expected));
  }

  it('reads an object, however deep it is nested', () => {
    const depth = 100_000;
    const body = parseBody(Buffer.from(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`));
    assert.ok(Array.isArray(body.a));
  });

  it('does not let a field named __proto__ stand for other fields', () => {
    const body = parseBody(Buffer.from('{"__proto__":{"stream":true}}'));
    assert.equal(body.stream, undefined);
  });
});
