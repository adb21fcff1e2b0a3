import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { clientError, clientRoutes } from '../support/client-dialects.ts';
import { fakeDirectory, providerOf, recordsOf, workspaceOf } from '../support/directory.ts';
import { saved, startGateway } from '../support/gateway.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { workspaceGateway } from '../support/workspaces.ts';

noUnhandledRejections();

const echo = { configs: { echo: { provider: 'echo' } }, defaultConfig: 'echo' } as const;
const chat = { model: 'echo', messages: [{ role: 'user', content: 'Hi' }] };
const path = '/v1/chat/completions';

describe('a caller who belongs to an organisation', () => {
  const callers = {
    reader: { workspace: 'a', scopes: ['logs.view'] },
    admin: { scopes: ['completions.write'] },
    lost: { workspace: 'gone' },
    late: { workspace: 'old' },
  };
  const workspaces = [workspaceOf('a'), workspaceOf('old', { status: 'archived' })];
  const refused: readonly [string, keyof typeof callers, RegExp][] = [
    ['without the permission to infer', 'reader', /completions\.write/],
    ['without a workspace', 'admin', /workspace API key/],
    ['of a workspace that is gone', 'lost', /no longer exists/],
    ['of an archived workspace', 'late', /"ws-old" is archived/],
  ];
  for (const { dialect, path: route, body } of clientRoutes) {
    for (const [what, name, message] of refused) {
      it(`is refused ${what}, on ${route}`, async (t) => {
        const gateway = await workspaceGateway(t, { workspaces, callers });
        const reply = await gateway.post(route, body('echo'), { 'x-gw-api-key': name, 'x-gw-provider': 'echo' });
        assert.equal(reply.status, 403, reply.text);
        const error = clientError(dialect, reply);
        assert.equal(error.type, 'permission_error');
        assert.match(error.message, message);
      });
    }
  }

  it('is refused before its body is read', async (t) => {
    const gateway = await workspaceGateway(t, { workspaces, callers });
    const reply = await gateway.post(path, '{"broken', { 'x-gw-api-key': 'reader' });
    assert.equal(reply.status, 403, reply.text);
  });
});

describe('metadata', () => {
  const levels = { who: 'organisation', a: 'workspace', b: 'key', c: 'request', _user: 'user' } as const;
  /** A config whose second target serves only where the metadata are as wanted. */
  const config = (wanted: Readonly<Record<string, string>>) => {
    const query = Object.fromEntries(Object.entries(wanted).map(([key, value]) => [`metadata.${key}`, value]));
    const targets = ['no', 'yes'].map((name) => ({ name, virtual_key: 'p' }));
    return `{"strategy":{"mode":"conditional","default":"no","conditions":[{"query":${JSON.stringify(query)},"then":"yes"}]},"targets":${JSON.stringify(targets)}}`;
  };
  const from = (value: string) => ({ who: value, a: value, b: value, c: value });

  it('of the organisation wins over that of the workspace, the key and the request', async (t) => {
    const peer = await startPeer(t);
    const gateway = await workspaceGateway(t, {
      organisation: { defaults: { metadata: { who: 'organisation' } } },
      workspaces: [workspaceOf('a', { defaults: { metadata: { who: 'workspace', a: 'workspace' } } })],
      providers: [providerOf('a', 'p', { customHost: `${peer.origin}/v1` })],
      callers: { alice: { workspace: 'a', metadata: { who: 'key', a: 'key', b: 'key' } } },
    });
    const reply = await gateway.post(
      path,
      { ...chat, model: 'm', user: 'user' },
      { 'x-gw-api-key': 'alice', 'x-gw-metadata': JSON.stringify(from('request')), 'x-gw-config': config(levels) },
    );
    assert.equal(reply.headers.get('x-gw-last-used-option-index'), 'config.targets[1]', reply.text);
  });

  it('of the request still wins for a caller of the file', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, {
      keys: [
        { name: 'f', sha256: createHash('sha256').update('pk').digest('hex'), metadata: { who: 'key', b: 'key' } },
      ],
      providers: { p: saved('openai', `${peer.origin}/v1`) },
    });
    const wanted = { who: 'request', b: 'key', _user: 'user' };
    const reply = await gateway.post(
      path,
      { ...chat, model: 'm', user: 'user' },
      { 'x-gw-api-key': 'pk', 'x-gw-metadata': '{"who":"request"}', 'x-gw-config': config(wanted) },
    );
    assert.equal(reply.headers.get('x-gw-last-used-option-index'), 'config.targets[1]', reply.text);
  });
});

describe('a gateway without a key in its file', () => {
  const directory = fakeDirectory(recordsOf({ workspaces: [workspaceOf('a')] }));

  it('is open beside a control plane until that has issued a key', async (t) => {
    let issued = false;
    const gateway = await startGateway(t, { ...echo, controlPlugins: [] }, { directory, keysIssued: () => issued });
    assert.equal((await gateway.post(path, chat)).status, 200);
    assert.equal((await gateway.request('GET', '/v1/health')).json.open, true);
    issued = true;
    for (const headers of [{}, { authorization: 'Bearer portcullis' }] as const) {
      const reply = await gateway.post(path, chat, headers);
      assert.equal(reply.status, 401, reply.text);
      assert.match(reply.text, /API key is required/);
    }
    assert.equal((await gateway.request('GET', '/v1/health')).json.open, false);
  });

  it('is never open beside a control plane where the operator wants it on the network', async (t) => {
    const server = { host: '0.0.0.0' };
    const gateway = await startGateway(
      t,
      { ...echo, server, controlPlugins: [] },
      { directory, keysIssued: () => false },
    );
    const { host } = new URL(gateway.url);
    assert.match(host, /^0\.0\.0\.0:/);
    assert.equal((await gateway.post(path, chat)).status, 401);
  });

  it('is open on loopback, whatever the address, without a control plane', async (t) => {
    const gateway = await startGateway(t, { ...echo, server: { host: '0.0.0.0' } }, { keysIssued: () => true });
    assert.match(gateway.url, /127\.0\.0\.1/);
    assert.equal((await gateway.post(path, chat)).status, 200);
  });

  it('keeps the caller of its own file beside a control plane', async (t) => {
    const keys = [{ name: 'f', sha256: createHash('sha256').update('pk').digest('hex') }];
    const gateway = await startGateway(t, { ...echo, keys, controlPlugins: [] }, { directory, keysIssued: () => true });
    assert.equal((await gateway.post(path, chat, { 'x-gw-api-key': 'pk' })).status, 200);
    assert.equal((await gateway.post(path, chat)).status, 401);
  });
});
