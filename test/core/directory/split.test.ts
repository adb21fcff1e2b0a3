import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { controlPlaneUrl } from '../../../core/directory/control-plane-url.ts';
import { createHttpSource } from '../../../core/directory/http-source.ts';
import { tokenCheck } from '../../../core/directory/token.ts';
import { checksumWith } from '../../../core/secrets/checksum.ts';
import { type ControlPlane, serviceToken, startControlPlane } from './control-plane.ts';
import { digestOf, type FakeSource, fakeSource } from './fake-source.ts';
import { openDirectory, refusalOf, until, workspace } from './support.ts';

const signal = new AbortController().signal;
const path = ['org-1', 'main'] as const;
const checksumKey = Buffer.from('the key of checksums').toString('base64url');

describe('a gateway apart from its control plane', () => {
  let plane: ControlPlane;
  let behind: FakeSource;
  before(async () => {
    behind = fakeSource();
    behind.put('workspace', path, workspace('org-1'));
    plane = await startControlPlane({ source: behind, checksumKey: () => checksumKey });
  });
  after(() => plane.close());

  const sourceWith = (token: string) => createHttpSource({ url: plane.url, serviceToken: token });

  it('knows the checksums of issued keys from the first answer on', async () => {
    const source = sourceWith(serviceToken);
    assert.equal(source.checksum('text'), undefined);
    await source.versions(0, signal);
    assert.equal(source.checksum('text'), checksumWith(checksumKey)('text'));
    await source.close();
  });

  it('is told nothing without the right token, and does not take that for missing records', async () => {
    const source = sourceWith('x'.repeat(32));
    const told = await refusalOf(() => source.load('workspace', path, signal));
    assert.equal(told.code, 'not_ready');
    assert.match(String(told), /SERVICE_TOKEN/);
    assert.ok(!String(told).includes('xxx'));
    await source.close();
  });

  const strange: readonly (readonly [string, number, string])[] = [
    ['a 404 of somebody else', 404, '{"message":"no route"}'],
    ['a page', 200, '<html>'],
    ['a redirect', 302, ''],
    ['another object', 200, '{"object":"list","data":[]}'],
    ['a miss with status 200', 200, '{"object":"directory_entry","entry":null}'],
    ['a failing proxy', 502, 'Bad Gateway'],
  ];
  for (const [what, status, body] of strange) {
    it(`does not take ${what} for an answer`, async () => {
      const source = sourceWith(serviceToken);
      plane.answer = { status, body };
      try {
        assert.equal((await refusalOf(() => source.load('workspace', path, signal))).code, 'not_ready');
        assert.equal((await refusalOf(() => source.versions(0, signal))).code, 'not_ready');
      } finally {
        plane.answer = undefined;
        await source.close();
      }
    });
  }

  it('takes a record at fault for that alone', async () => {
    const source = sourceWith(serviceToken);
    behind.fault = { name: `key\0${digestOf(1)}`, error: new TypeError('broken') };
    assert.equal((await refusalOf(() => source.load('key', [digestOf(1)], signal))).code, 'internal');
    assert.ok((await source.load('workspace', path, signal)).entry);
    await source.close();
  });

  it('goes on serving while the control plane is gone, and follows it when it is back', async () => {
    const first = await startControlPlane({ source: behind, checksumKey: () => checksumKey });
    const { directory } = await openDirectory(createHttpSource({ url: first.url, serviceToken }));
    const known = await directory.get('workspace', ...path);
    assert.equal(known?.name, 'Main');
    await first.close();
    directory.notify('org-1');
    assert.equal(await directory.get('workspace', ...path), known);
    assert.equal((await refusalOf(() => directory.get('key', digestOf(2)))).code, 'not_ready');
    await until(() => directory.status.away);
    behind.put('workspace', path, workspace('org-1', { name: 'Later' }));
    const second = await startControlPlane({ source: behind, checksumKey: () => checksumKey }, Number(first.url.port));
    await until(() => !directory.status.away);
    assert.equal((await directory.get('workspace', ...path))?.name, 'Later');
    await directory.close();
    await second.close();
  });

  it('asks for nothing that no record is named by', async () => {
    const ask = (suffix: string) =>
      fetch(new URL(`/v2/gateway/${suffix}`, plane.url), { headers: { 'x-gw-service-token': serviceToken } });
    assert.equal((await ask('entries/nothing?path=a')).status, 400);
    assert.equal((await ask('entries/config?path=a/b')).status, 400);
    assert.equal((await ask('entries/config?path=%25')).status, 400);
    const loads = behind.loads;
    assert.equal((await ask('entries/key?path=plain-text')).status, 404);
    assert.equal(behind.loads, loads);
    assert.equal((await ask('keys')).headers.get('cache-control'), 'no-store');
  });
});

describe('the place of the control plane', () => {
  const taken = ['https://control.example/base', 'http://localhost:8787', 'http://127.0.0.1', 'http://[::1]:1'];
  for (const url of taken) it(`may be ${url}`, () => assert.ok(controlPlaneUrl(url, false)));

  const refused = [
    'http://control.example',
    'http://127.evil.example',
    'ftp://control.example',
    'https://u:p@c.example',
  ];
  for (const url of refused) {
    it(`may not be ${url}`, () => {
      assert.throws(() => controlPlaneUrl(url, false), { code: 'invalid_config', param: 'CONTROL_PLANE_URL' });
    });
  }

  it('may be plain http where the operator says so', () => {
    assert.equal(controlPlaneUrl('http://control.example', true).hostname, 'control.example');
  });
});

describe('the service token', () => {
  it('is compared whole', () => {
    const isToken = tokenCheck(serviceToken);
    assert.deepEqual([serviceToken, `${serviceToken}x`, serviceToken.slice(1), '', undefined].map(isToken), [
      true,
      false,
      false,
      false,
      false,
    ]);
  });
  it('is refused when it is short, without being shown', () => {
    assert.throws(
      () => tokenCheck('short-token'),
      ({ message }: Error) => !message.includes('short-token'),
    );
  });
});
