import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A process that takes uploads of any size, telling how many bytes came, and answers `GET .../<bytes>/content` with so many bytes. */
const piece = Buffer.alloc(65_536, 'a line of a file\n');

function* file(bytes: number): Generator<Uint8Array> {
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece.subarray(0, Math.min(piece.length, bytes - sent));
}

const server = createServer(async (request, reply) => {
  if (request.method === 'GET') {
    const bytes = Number(/(\d+)\/content$/.exec(request.url ?? '')?.[1]);
    reply.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes });
    await pipeline(Readable.from(file(bytes)), reply);
    return;
  }
  let bytes = 0;
  for await (const chunk of request) bytes += (chunk as Uint8Array).length;
  reply.writeHead(200, { 'content-type': 'application/json' });
  reply.end(JSON.stringify({ text: `${bytes} bytes as ${request.headers['content-type']}` }));
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
