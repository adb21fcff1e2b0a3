import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { asObject, type JsonObject, type RequestRecord } from 'portcullis/sdk';
import { WebSocket as UndiciSocket } from 'undici';
import { guardrailUnits, without } from '../plugins/guardrails/guarded.ts';
import { type ConfigFragment, saved, startGateway } from '../support/gateway.ts';
import { type Handshake, openClient, rawRequest, realtimePeer, refusedHandshake, until } from './realtime-world.ts';

const key = 'pk-test-0123456789abcdef';
const b64 = (value: unknown) => `b64.${Buffer.from(JSON.stringify(value)).toString('base64url')}`;

async function world(t: TestContext, fragment: ConfigFragment = {}) {
  const peer = await realtimePeer(t);
  const gateway = await startGateway(t, {
    configs: { main: { provider: 'openai', api_key: 'sk-up', custom_host: peer.url } },
    defaultConfig: 'main',
    providers: { voice: saved('openai', peer.url, { api_key: 'sk-voice' }) },
    ...fragment,
  });
  return { peer, gateway };
}

const keyed: ConfigFragment = {
  keys: [{ name: 'app', sha256: createHash('sha256').update(key).digest('hex') }],
};

/** A client as browsers have it: it can set no header. */
async function browse(t: TestContext, url: string, protocols: readonly string[]) {
  const socket = new UndiciSocket(`${url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`, [...protocols]);
  t.after(() => socket.close());
  return new Promise<{ readonly protocol: string; readonly socket: UndiciSocket } | 'failed'>((resolve) => {
    socket.addEventListener('open', () => resolve({ protocol: socket.protocol, socket }));
    socket.addEventListener('error', () => resolve('failed'));
  });
}

describe('a handshake of a browser', () => {
  for (const [name, credential] of [
    ['a key as SDKs send it', `openai-insecure-api-key.${key}`],
    ['a key of the gateway', `gw-api-key.${key}`],
    ['a key of an alias', `acme-api-key.${key}`],
  ] as const) {
    it(`is let in by ${name}, which nobody else gets to see`, async (t) => {
      const { peer, gateway } = await world(t, { ...keyed, server: { headerVendors: ['gw', 'acme'] } });
      const opened = await browse(t, gateway.url, ['realtime', credential, 'openai-beta.realtime-v1']);
      assert.ok(opened !== 'failed');
      assert.equal(opened.protocol, 'realtime');
      assert.deepEqual(peer.seen[0]?.headers['sec-websocket-protocol'], 'realtime,openai-beta.realtime-v1');
      assert.ok(!JSON.stringify([peer.seen, gateway.log]).includes(key));
      const told = once(opened.socket, 'message');
      opened.socket.send('{"type":"hello"}');
      assert.equal((await told)[0].data, '{"type":"hello"}');
      opened.socket.close(3001, 'enough');
      const [code] = await once(await peer.session(), 'close');
      assert.equal(code, 3001);
    });
  }

  it('names config, provider, virtual key, trace and metadata', async (t) => {
    const { peer, gateway } = await world(t, { defaultConfig: undefined as unknown as string });
    const inline = { provider: 'openai', api_key: 'sk-inline', custom_host: peer.url };
    assert.notEqual(await browse(t, gateway.url, ['realtime', `gw-config.${b64(inline)}`]), 'failed');
    assert.notEqual(await browse(t, gateway.url, ['realtime', 'gw-virtual-key.voice']), 'failed');
    assert.notEqual(
      await browse(t, gateway.url, [
        'realtime',
        `gw-provider.b64.${Buffer.from('@voice').toString('base64url')}`,
        'gw-trace-id.t1',
      ]),
      'failed',
    );
    assert.deepEqual(
      peer.seen.map(({ headers }) => headers.authorization),
      ['Bearer sk-inline', 'Bearer sk-voice', 'Bearer sk-voice'],
    );
  });

  it('fails without anything that may be answered, and says why', async (t) => {
    const { peer, gateway } = await world(t, keyed);
    const protocols = [`gw-api-key.${key}`];
    assert.equal(await browse(t, gateway.url, protocols), 'failed');
    const { status, message, json } = await refusedHandshake(gateway.url, {}, { protocols });
    assert.equal(status, 400);
    assert.match(message, /^Offer one more sub-protocol, such as `realtime`/);
    assert.ok(!JSON.stringify(json).includes(key));
    assert.equal(peer.seen.length, 0);
  });

  it('keeps keys of others from the provider', async (t) => {
    const { peer, gateway } = await world(t);
    assert.notEqual(
      await browse(t, gateway.url, ['realtime', 'other-api-key.secret', 'x-virtual-key.secret']),
      'failed',
    );
    assert.equal(peer.seen[0]?.headers['sec-websocket-protocol'], 'realtime');
  });
});

describe('a handshake that is refused', () => {
  it('says so in the form of HTTP', async (t) => {
    const { peer, gateway } = await world(t, keyed);
    const bearer = { authorization: `Bearer ${key}` };
    const cases: readonly [number, string, Awaited<ReturnType<typeof refusedHandshake>>][] = [
      [401, 'unauthenticated', await refusedHandshake(gateway.url)],
      [401, 'unauthenticated', await refusedHandshake(gateway.url, { authorization: 'Bearer wrong-key-000000' })],
      [404, 'not_found', await refusedHandshake(gateway.url, bearer, { path: '/v1/unknown' })],
      [404, 'not_found', await refusedHandshake(gateway.url, bearer, { path: '/v1/chat/completions' })],
      [400, 'unknown_virtual_key', await refusedHandshake(gateway.url, { ...bearer, 'x-gw-virtual-key': 'none' })],
      [400, 'bad_request', await refusedHandshake(gateway.url, { ...bearer, 'x-gw-metadata': 'no' })],
    ];
    for (const [status, code, refusal] of cases) {
      assert.deepEqual([refusal.status, asObject(refusal.json.error)?.code], [status, code]);
      assert.match(String(refusal.headers['x-gw-request-id']), /./);
      assert.equal(refusal.headers.connection, 'close');
    }
    assert.equal(peer.seen.length, 0);
  });

  it('holds nothing that is no handshake for one', async (t) => {
    const { peer, gateway } = await world(t);
    const ask = (method: string, path: string, ...lines: readonly string[]) =>
      rawRequest(gateway.url, [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...lines, '\r\n'].join('\r\n'));
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
    const whole = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
    const plain = await gateway.request('GET', '/v1/realtime?model=m');
    assert.deepEqual([plain.status, plain.headers.get('upgrade')], [426, 'websocket']);
    assert.match(plain.text, /is a WebSocket: send a GET/);
    assert.equal(
      (await gateway.request('GET', '/v1/realtime', { headers: { 'x-gw-provider': 'openai' } })).status,
      426,
    );
    assert.equal((await gateway.request('DELETE', '/v1/realtime')).status, 405);
    assert.match(await ask('GET', '/v1/realtime', 'Connection: close, Upgrade', 'Upgrade: h2c'), /^HTTP\/1.1 426 /);
    assert.match(await ask('POST', '/v1/realtime', ...upgrade, ...whole, 'Content-Length: 0'), /^HTTP\/1.1 405 /);
    assert.match(
      await ask('GET', '/v1/realtime', ...upgrade, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='),
      /^HTTP\/1.1 426 [\s\S]*sec-websocket-version: 13/i,
    );
    assert.match(
      await ask('GET', '/v1/realtime', ...upgrade, 'Sec-WebSocket-Version: 13'),
      /^HTTP\/1.1 400 [\s\S]*16 bytes/,
    );
    for (const offers of ['a, a', 'a b', 'gw-config.b64.e30='])
      assert.match(
        await ask('GET', '/v1/realtime', ...upgrade, ...whole, `Sec-WebSocket-Protocol: ${offers}`),
        /^HTTP\/1.1 400 /,
      );
    assert.equal(peer.seen.length, 0);
  });

  it('leaves requests alone that offer another protocol, as clients of Java do', async (t) => {
    const { gateway } = await world(t);
    const body = '{"model":"echo","messages":[{"role":"user","content":"Hi"}]}';
    const answer = await rawRequest(
      gateway.url,
      [
        'POST /v1/chat/completions HTTP/1.1',
        'Host: localhost',
        'Connection: close, Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAEAAEAA',
        'Content-Type: application/json',
        'x-gw-provider: echo',
        'x-gw-config: {"provider":"echo"}',
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    );
    assert.match(answer, /^HTTP\/1.1 200 /);
  });
});

describe('a provider that does not open the session', () => {
  const body = JSON.stringify({ error: { message: 'It says no.', type: 'invalid_request_error', code: 'nope' } });
  for (const status of [400, 401, 404, 429, 500, 503]) {
    it(`passes on its ${status} with its words`, async (t) => {
      const { peer, gateway } = await world(t);
      peer.handshakes.unshift({ status, body, headers: { 'retry-after': '7' } });
      const refusal = await refusedHandshake(gateway.url);
      assert.deepEqual([refusal.status, refusal.headers['retry-after']], [status, '7']);
      assert.match(refusal.message, /It says no\./);
      assert.equal(refusal.headers['x-gw-provider'], 'openai');
    });
  }

  const act = (...handshake: readonly [Handshake, JsonObject?]) => ({
    handshake: handshake[0],
    more: handshake[1] ?? {},
  });
  const upgrade = { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-accept': 'x' };
  const elsewhere = (custom_host: string) => act('accept', { custom_host });
  const cases: readonly [string, ReturnType<typeof act>, number, RegExp][] = [
    ['never answers', act('hang', { request_timeout: 200 }), 408, /200ms/],
    ['never ends its refusal', act({ status: 403, length: 99 }, { request_timeout: 200 }), 403, /./],
    ['breaks off', act('drop'), 502, /Could not reach openai/],
    ['is not there', elsewhere('http://127.0.0.1:9/v1'), 502, /the connection was refused/],
    ['has no address', elsewhere('https://nowhere.example.com/v1'), 502, /does not resolve|resolved/],
    ['is where the guard lets nobody go', elsewhere('http://169.254.169.254/v1'), 400, /custom_host/],
    ['answers with a page', act({ status: 200, body: '<p>' }), 502, /status 200, and no WebSocket/],
    ['leads elsewhere', act({ status: 302, headers: { location: '/x' } }), 502, /status 302, and no WebSocket/],
    [
      'answers with another digest',
      act({ status: 101, headers: upgrade }),
      502,
      /no WebSocket: Invalid Sec-WebSocket-Accept/,
    ],
  ];
  for (const [name, { handshake, more }, status, words] of cases) {
    it(`is told apart where it ${name}; another target may take its place`, async (t) => {
      const { peer, gateway } = await world(t, { configs: {}, defaultConfig: undefined as unknown as string });
      const target = { provider: 'openai', api_key: 'sk-1', custom_host: peer.url };
      const first = { ...target, ...more };
      if (handshake !== 'accept') peer.handshakes.unshift(handshake);
      const alone = await refusedHandshake(gateway.url, { 'x-gw-config': JSON.stringify(first) });
      assert.equal(alone.status, status, alone.message);
      assert.match(alone.message, words);
      if (handshake !== 'accept') peer.handshakes.unshift(handshake);
      const targets = [first, { ...target, api_key: 'sk-2' }];
      const config = { strategy: { mode: 'fallback', on_status_codes: [status] }, targets };
      const { headers } = await openClient(t, gateway.url, { 'x-gw-config': JSON.stringify(config) });
      assert.equal(headers['x-gw-last-used-option-index'], 'config.targets[1]');
    });
  }

  it('is asked again as often as the config says', async (t) => {
    const { peer, gateway } = await world(t);
    peer.handshakes.unshift({ status: 503, body }, { status: 503, body });
    const config = {
      provider: 'openai',
      api_key: 'sk-up',
      custom_host: peer.url,
      retry: { attempts: 3, on_status_codes: [503] },
    };
    const { headers } = await openClient(t, gateway.url, { 'x-gw-config': JSON.stringify(config) });
    assert.equal(headers['x-gw-retry-attempt-count'], '2');
    assert.equal(peer.seen.length, 3);
  });
});

describe('the routing of a session', () => {
  it('takes the model from query and config', async (t) => {
    const { peer, gateway } = await world(t, { defaultConfig: undefined as unknown as string });
    const target = { provider: 'openai', api_key: 'sk-1', custom_host: peer.url };
    const open = (config: JsonObject, query?: string) =>
      openClient(t, gateway.url, { 'x-gw-config': JSON.stringify(config) }, query === undefined ? {} : { query });
    await open({ ...target, override_params: { model: 'gpt-other' } });
    await open({ ...target, default_params: { model: 'gpt-default' } }, '?a=1');
    await open(target, '?intent=transcription');
    // biome-ignore lint/suspicious/noThenProperty: the name of the field in configs
    const conditions = [{ query: { 'params.model': { $eq: 'gpt-realtime' } }, then: 'b' }];
    await open({
      strategy: { mode: 'conditional', conditions, default: 'a' },
      targets: [
        { name: 'a', provider: 'echo' },
        { ...target, name: 'b', api_key: 'sk-b' },
      ],
    });
    await open({ strategy: { mode: 'loadbalance' }, targets: [{ ...target, weight: 1, api_key: 'sk-c' }] });
    await openClient(t, gateway.url, {}, { query: '?model=@voice/gpt-realtime' });
    assert.deepEqual(
      peer.seen.map(({ url, headers }) => [url, headers.authorization]),
      [
        ['/v1/realtime?model=gpt-other', 'Bearer sk-1'],
        ['/v1/realtime?a=1&model=gpt-default', 'Bearer sk-1'],
        ['/v1/realtime?intent=transcription', 'Bearer sk-1'],
        ['/v1/realtime?model=gpt-realtime', 'Bearer sk-b'],
        ['/v1/realtime?model=gpt-realtime', 'Bearer sk-c'],
        ['/v1/realtime?model=gpt-realtime', 'Bearer sk-voice'],
      ],
    );
  });

  it('reaches the deployments of an Azure resource, once each in the query', async (t) => {
    const { peer, gateway } = await world(t, { defaultConfig: undefined as unknown as string });
    const host = peer.url.replace('/v1', '/openai');
    const azure = {
      provider: 'azure-openai',
      api_key: 'az',
      custom_host: host,
      azure_resource_name: 'res',
      azure_deployment_id: 'voice',
    };
    for (const [version, query] of [
      ['2025-04-01-preview', '?model=gpt-realtime'],
      ['v1', '?deployment=gpt-realtime'],
    ] as const)
      await openClient(
        t,
        gateway.url,
        { 'x-gw-config': JSON.stringify({ ...azure, azure_api_version: version }) },
        { query },
      );
    assert.deepEqual(
      peer.seen.map(({ url, headers }) => [url, headers['api-key']]),
      [
        ['/openai/realtime?api-version=2025-04-01-preview&deployment=voice', 'az'],
        ['/openai/v1/realtime?model=voice', 'az'],
      ],
    );
  });

  it('refuses providers that have no sessions', async (t) => {
    const { gateway } = await world(t);
    const { status, json } = await refusedHandshake(gateway.url, { 'x-gw-config': '{"provider":"echo"}' });
    assert.deepEqual([status, asObject(json.error)?.code], [400, 'endpoint_unsupported']);
  });
});

describe('a session under guardrails', () => {
  async function guardedWorld(t: TestContext) {
    const peer = await realtimePeer(t);
    const gateway = await startGateway(t, {
      pluginFolders: [{ path: guardrailUnits, trust: 'trusted', requireSignature: false }],
      phases: { log: [{ plugin: 'test-watch' }] },
    });
    const open = { provider: 'openai', api_key: 'sk', custom_host: peer.url };
    const records = () =>
      gateway.log
        .filter(({ event }) => event === 'record')
        .map(({ fields }) => fields.record as unknown as RequestRecord);
    return { peer, gateway, open, records };
  }

  it('is refused where one must see what is asked, before the provider is called', async (t) => {
    const { peer, gateway, open } = await guardedWorld(t);
    const config = { ...open, input_guardrails: [{ ...without('bad'), deny: true }] };
    const { status, json, message } = await refusedHandshake(gateway.url, { 'x-gw-config': JSON.stringify(config) });
    assert.deepEqual([status, asObject(json.error)?.type], [446, 'hooks_failed'], message);
    assert.ok(json.hook_results !== undefined);
    assert.equal(peer.seen.length, 0);
  });

  it('is refused where one must see what is answered, and the connection is closed', async (t) => {
    const { peer, gateway, open } = await guardedWorld(t);
    const config = { ...open, output_guardrails: [{ ...without('bad'), deny: true }] };
    const { status } = await refusedHandshake(gateway.url, { 'x-gw-config': JSON.stringify(config) });
    assert.equal(status, 446);
    await until(() => peer.sessions.every(({ readyState }) => readyState === 3));
  });

  it('passes where one only watches', async (t) => {
    const { gateway, open, records } = await guardedWorld(t);
    const config = { ...open, input_guardrails: [{ ...without('bad'), deny: false }] };
    const client = await openClient(t, gateway.url, { 'x-gw-config': JSON.stringify(config) });
    client.send({ type: 'hello' });
    await client.next('hello');
    client.socket.close(1000);
    await until(() => records().length === 1);
  });
});
