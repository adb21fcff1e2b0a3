import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { after, describe, it } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { Agent, fetch, Pool } from 'undici';
import { createUrlGuard, type UrlGuardOptions } from '../../../core/upstream/url-guard/guard.ts';

const closers: (() => Promise<unknown>)[] = [];
after(() => Promise.all(closers.map((close) => close())));

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => new Promise((done) => server.close(done)));
  return (server.address() as AddressInfo).port;
}

async function startServer(listener: RequestListener = (_, reply) => reply.end('internal secret')) {
  const seen = { connections: 0, requests: [] as IncomingMessage[] };
  const server = createServer((request, reply) => {
    seen.requests.push(request);
    listener(request, reply);
  });
  server.on('connection', () => {
    seen.connections += 1;
  });
  return { seen, port: await listen(server) };
}

function poolTo(origin: string, options: UrlGuardOptions): Pool {
  const pool = new Pool(origin, { connect: createUrlGuard(options).connector() });
  closers.push(() => pool.destroy());
  return pool;
}

/** A resolver that gives one answer after the other and counts how often it was asked. */
function resolverOf(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve = async (hostname: string) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    return answer.map((address) => ({ address, family: address.includes(':') ? (6 as const) : (4 as const) }));
  };
  return { asked, resolve };
}

const get = { path: '/v1', method: 'GET' } as const;

describe('the connector', () => {
  it('refuses a host that passes the check and then resolves to loopback', async () => {
    const { seen, port } = await startServer();
    const { asked, resolve } = resolverOf(['93.184.216.34'], ['127.0.0.1']);
    const guard = createUrlGuard({ resolve });
    const { url } = await guard.check(`http://rebind.example.com:${port}`, 'custom_host');
    const pool = new Pool(url.origin, { connect: guard.connector() });
    closers.push(() => pool.destroy());
    await assert.rejects(pool.request(get), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'url_blocked');
      assert.match(error.message, /does not resolve to public addresses only/);
      assert.doesNotMatch(error.message, /127/);
      return true;
    });
    assert.equal(asked.length, 2);
    assert.equal(seen.connections, 0);
  });

  it('connects a trusted host to the address that it checked, asks once, and keeps the Host header', async () => {
    const { seen, port } = await startServer();
    const { asked, resolve } = resolverOf(['127.0.0.1'], ['192.0.2.1']);
    const pool = poolTo(`http://model.example.com:${port}`, { resolve, trustedHosts: ['model.example.com'] });
    const reply = await pool.request(get);
    assert.equal(await reply.body.text(), 'internal secret');
    assert.deepEqual(asked, ['model.example.com']);
    assert.equal(seen.requests[0]?.headers.host, `model.example.com:${port}`);
  });

  it('names the host, not the address, in the TLS handshake', async () => {
    const names: string[] = [];
    const server = createTlsServer({
      SNICallback(name, done) {
        names.push(name);
        done(new Error('no certificate here'));
      },
    });
    server.on('tlsClientError', () => {});
    const port = await listen(server);
    const { asked, resolve } = resolverOf(['127.0.0.1']);
    const pool = poolTo(`https://model.example.com:${port}`, { resolve, trustedHosts: ['model.example.com'] });
    await assert.rejects(pool.request(get));
    assert.deepEqual(names, ['model.example.com']);
    assert.deepEqual(asked, ['model.example.com']);
  });

  it('refuses all addresses of a host when one of them is not public', async () => {
    const { seen, port } = await startServer();
    const { resolve } = resolverOf(['127.0.0.1', '93.184.216.34']);
    const pool = poolTo(`http://mixed.example.com:${port}`, { resolve });
    await assert.rejects(pool.request(get), { code: 'url_blocked' });
    assert.equal(seen.connections, 0);
  });

  it('refuses a trusted host that resolves to cloud metadata', async () => {
    const { resolve } = resolverOf(['127.0.0.1', '169.254.169.254']);
    const { seen, port } = await startServer();
    const pool = poolTo(`http://model.example.com:${port}`, { resolve, trustedHosts: ['example.com'] });
    await assert.rejects(pool.request(get), { code: 'url_blocked', message: /never called/ });
    assert.equal(seen.connections, 0);
  });

  it('trusts a host only on the port that the operator lists', async () => {
    const { seen, port } = await startServer();
    const { resolve } = resolverOf(['127.0.0.1']);
    const trustedHosts = [`model.example.com:${port}`];
    const listed = await poolTo(`http://model.example.com:${port}`, { resolve, trustedHosts }).request(get);
    await listed.body.dump();
    const other = await startServer();
    const pool = poolTo(`http://model.example.com:${other.port}`, { resolve, trustedHosts });
    await assert.rejects(pool.request(get), { code: 'url_blocked' });
    assert.deepEqual([seen.connections, other.seen.connections], [1, 0]);
  });

  const literals = [
    '127.0.0.1',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '127.1',
    '[::7f00:1]',
    '[::1]',
    '0.0.0.0',
  ];
  for (const literal of literals) {
    it(`refuses the address ${literal}, for which Node resolves nothing`, async () => {
      const { seen, port } = await startServer();
      const { asked, resolve } = resolverOf(['93.184.216.34']);
      await assert.rejects(poolTo(`http://${literal}:${port}`, { resolve }).request(get), { code: 'url_blocked' });
      assert.deepEqual([seen.connections, asked.length], [0, 0]);
    });
  }

  it('connects to an address that the operator trusts', async () => {
    const { seen, port } = await startServer();
    const reply = await poolTo(`http://127.0.0.1:${port}`, { trustedHosts: ['127.0.0.1'] }).request(get);
    await reply.body.dump();
    assert.equal(seen.connections, 1);
  });

  it('refuses names and ports that the check refuses, though nobody called the check', async () => {
    const { asked, resolve } = resolverOf(['93.184.216.34']);
    for (const origin of [
      'http://localhost',
      'http://metadata.google.internal',
      'http://a.nip.io',
      'http://a.com:6379',
      'http://xn--a.com',
      'http://a.com.',
    ]) {
      await assert.rejects(poolTo(origin, { resolve }).request(get), { code: 'url_blocked' }, origin);
    }
    assert.deepEqual(asked, []);
  });

  it('says when a host has no address', async () => {
    const pool = poolTo('http://gone.example.com', { resolve: async () => [] });
    await assert.rejects(pool.request(get), { code: 'upstream_unreachable' });
  });

  it('gives up on a resolver that never answers', async () => {
    const guard = createUrlGuard({ resolve: () => new Promise(() => {}) });
    const pool = new Pool('http://slow.example.com', { connect: guard.connector({ timeout: 5 }) });
    closers.push(() => pool.destroy());
    await assert.rejects(pool.request(get), { code: 'UND_ERR_CONNECT_TIMEOUT' });
  });
});

describe('a redirect', () => {
  it('is handed back, not followed', async () => {
    const inner = await startServer();
    const { port } = await startServer((_, reply) => {
      reply.writeHead(302, { location: `http://127.0.0.1:${inner.port}/` }).end();
    });
    const { resolve } = resolverOf(['127.0.0.1']);
    const pool = poolTo(`http://model.example.com:${port}`, { resolve, trustedHosts: ['model.example.com'] });
    const reply = await pool.request(get);
    await reply.body.dump();
    assert.equal(reply.statusCode, 302);
    assert.equal(inner.seen.connections, 0);
  });

  it('is checked like any URL when a client follows it through the connector', async () => {
    const inner = await startServer();
    const { port } = await startServer((_, reply) => {
      reply.writeHead(302, { location: `http://127.0.0.1:${inner.port}/` }).end();
    });
    const { resolve } = resolverOf(['127.0.0.1']);
    const guard = createUrlGuard({ resolve, trustedHosts: ['model.example.com'] });
    const dispatcher = new Agent({ connect: guard.connector() });
    closers.push(() => dispatcher.destroy());
    await assert.rejects(fetch(`http://model.example.com:${port}/`, { dispatcher }), (error: Error) => {
      assert.equal((error.cause as { code?: string }).code, 'url_blocked');
      return true;
    });
    assert.equal(inner.seen.connections, 0);
  });
});
