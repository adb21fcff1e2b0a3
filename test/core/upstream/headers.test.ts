import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { forwarded, forwardedAll, mayForward, repliedHeaders } from '../../../core/upstream/headers.ts';

const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

describe('the headers of a client on their way to a provider', () => {
  const denied = [
    ...hopByHop,
    'host',
    'content-length',
    'expect',
    'cookie',
    'authorization',
    'x-api-key',
    'api-key',
    'x-goog-api-key',
    'forwarded',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-real-ip',
    'true-client-ip',
    'cf-connecting-ip',
    'sec-fetch-site',
    'metadata-flavor',
    'x-gw-api-key',
    'x-gw-config',
    'x-acme-provider',
  ];
  for (const name of denied) {
    it(`do not carry ${name}`, () => assert.equal(mayForward(name, ['gw', 'acme']), false));
  }

  for (const name of [
    'content-type',
    'accept',
    'user-agent',
    'x-request-id',
    'x-gwen',
    'x-other-provider',
    'traceparent',
  ]) {
    it(`may carry ${name}`, () => assert.equal(mayForward(name, ['gw', 'acme']), true));
  }

  it('are only those that are named, whatever the case of the name', () => {
    const headers = { 'x-one': '1', 'x-two': '2', authorization: 'Bearer x', cookie: 'c' };
    assert.deepEqual(forwarded(['X-One', 'Authorization', 'cookie', 'x-absent'], headers, ['gw']), { 'x-one': '1' });
    assert.deepEqual(forwarded(undefined, headers, ['gw']), {});
  });

  it('are all that may travel on the proxy route', () => {
    assert.deepEqual(forwardedAll({ 'x-one': '1', host: 'h', 'x-gw-provider': 'p', 'x-api-key': 'k' }, ['gw']), {
      'x-one': '1',
    });
  });

  it('are the client’s own: a name that every object has is none', async () => {
    const server = createServer((incoming, reply) => {
      const names = ['constructor', 'toString', '__proto__', 'x-one'];
      reply.end(JSON.stringify(forwarded(names, incoming.headers as Record<string, string>, ['gw'])));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sent = request({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      headers: { 'x-one': '1' },
      agent: false,
    }).end();
    const [reply] = await once(sent, 'response');
    assert.equal((await reply.setEncoding('utf8').toArray()).join(''), '{"x-one":"1"}');
    server.close();
    assert.deepEqual(Object.keys(forwarded(['constructor'], {}, ['gw'])), []);
  });
});

describe('the headers of a provider on their way to the client', () => {
  const vendors = ['gw', 'acme'];
  const kept = {
    'content-type': 'application/json',
    'x-request-id': 'r',
    'retry-after': '3',
    'x-ratelimit-remaining-requests': '9',
  };
  const denied = [
    ...hopByHop,
    'content-length',
    'set-cookie',
    'alt-svc',
    'strict-transport-security',
    'server',
    'via',
    'access-control-allow-origin',
    'access-control-allow-credentials',
    'access-control-expose-headers',
    'x-accel-redirect',
    'x-accel-buffering',
    'x-sendfile',
    'clear-site-data',
    'content-encoding',
  ];

  it('are kept where they speak of the reply', () => assert.deepEqual(repliedHeaders(kept, false, vendors), kept));

  for (const name of denied) {
    it(`do not carry ${name}`, () => assert.deepEqual(repliedHeaders({ ...kept, [name]: 'x' }, false, vendors), kept));
  }

  it('keep the encoding of a body that is passed on untouched', () => {
    assert.deepEqual(repliedHeaders({ 'content-encoding': 'gzip' }, true, vendors), { 'content-encoding': 'gzip' });
  });

  it('keep several values, and leave out what is not there', () => {
    assert.deepEqual(repliedHeaders({ link: ['a', 'b'], 'x-none': undefined }, false, vendors), { link: ['a', 'b'] });
  });

  it('do not carry what the connection to the provider declares to be its own', () => {
    const sent = { ...kept, connection: ['keep-alive, X-Debug', 'x-node'], 'x-debug': '1', 'x-node': '2' };
    assert.deepEqual(repliedHeaders(sent, true, vendors), kept);
  });

  it("do not carry what begins like the gateway's own headers", () => {
    const sent = { ...kept, 'x-gw-cache-status': 'HIT', 'x-acme-provider': 'p', 'x-gwen': 'kept', 'y-gw-a': 'kept' };
    assert.deepEqual(repliedHeaders(sent, true, vendors), { ...kept, 'x-gwen': 'kept', 'y-gw-a': 'kept' });
  });
});
