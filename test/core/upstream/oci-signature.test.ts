import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { describe, it } from 'node:test';
import type { RequestToSign } from 'portcullis/sdk';
import { createGateway } from '../../../core/gateway.ts';
import { signatureHeaders } from '../../../providers/oracle/signature.ts';
import { type RecordedRequest, startRecordedServer } from '../../../sdk/testing/recorded-server.ts';
import { countingIds, silentLog, testConfig, testTimeMs } from '../../../sdk/testing/test-gateway.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

const settings = {
  oraclePrivateKey: privateKey,
  oracleTenancy: 'ocid1.tenancy.oc1..t1',
  oracleUser: 'ocid1.user.oc1..u1',
  oracleFingerprint: '20:3b:97:13',
  oracleRegion: 'us-chicago-1',
};

const post: RequestToSign = {
  method: 'POST',
  url: 'https://inference.generativeai.us-chicago-1.oci.oraclecloud.com/20231130/actions/chat?a=1',
  headers: { 'content-type': 'application/json' },
  body: '{"message":"hello"}',
  flows: false,
};

interface Signed {
  readonly keyId: string;
  readonly names: readonly string[];
  readonly signature: Buffer;
}

function parsed(authorization: string): Signed {
  assert.match(authorization, /^Signature version="1",/);
  const field = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(authorization)?.[1] ?? '';
  assert.equal(field('algorithm'), 'rsa-sha256');
  return {
    keyId: field('keyId'),
    names: field('headers').split(' '),
    signature: Buffer.from(field('signature'), 'base64'),
  };
}

/** The verifying side of the draft, from what came over the wire alone. */
function isGenuine(method: string, path: string, headers: Readonly<Record<string, string | undefined>>): boolean {
  const { names, signature } = parsed(headers.authorization ?? '');
  const lines = names.map((name) =>
    name === '(request-target)' ? `${name}: ${method.toLowerCase()} ${path}` : `${name}: ${headers[name]}`,
  );
  return verify('RSA-SHA256', Buffer.from(lines.join('\n')), publicKey, signature);
}

describe('the signature of Oracle Cloud', () => {
  const wire = (request: RequestToSign): Readonly<Record<string, string>> => {
    const { host } = new URL(request.url);
    const length = Buffer.byteLength(request.body ?? '');
    return {
      host,
      'content-length': String(length),
      ...request.headers,
      ...signatureHeaders(request, settings, testTimeMs),
    };
  };

  it('of a POST covers its body, and is what the public key verifies', () => {
    const headers = wire(post);
    assert.equal(isGenuine('POST', '/20231130/actions/chat?a=1', headers), true);
    assert.equal(isGenuine('POST', '/20231130/actions/chat?a=2', headers), false);
    assert.equal(isGenuine('POST', '/20231130/actions/chat?a=1', { ...headers, 'content-length': '20' }), false);
    const { names, keyId } = parsed(headers.authorization ?? '');
    assert.deepEqual(names, ['date', '(request-target)', 'host', 'content-length', 'content-type', 'x-content-sha256']);
    assert.equal(keyId, 'ocid1.tenancy.oc1..t1/ocid1.user.oc1..u1/20:3b:97:13');
    assert.equal(headers.date, 'Thu, 01 Jan 2026 00:00:00 GMT');
    // The digest that the vendor's own tests expect for this body.
    assert.equal(headers['x-content-sha256'], 'my1Dr/v0mjZwKN8uFBT4TA4JmsmMPVSoqAFX/XdxryU=');
  });

  it('of an empty POST has the digest of nothing', () => {
    const headers = wire({ ...post, body: undefined });
    assert.equal(headers['x-content-sha256'], '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
    assert.equal(isGenuine('POST', '/20231130/actions/chat?a=1', headers), true);
  });

  it('of a GET, and of a body that flows, covers date, target and host alone', () => {
    for (const request of [
      { ...post, method: 'GET', body: undefined },
      { ...post, method: 'PUT', body: undefined, flows: true },
    ]) {
      const headers = wire(request);
      assert.deepEqual(parsed(headers.authorization ?? '').names, ['date', '(request-target)', 'host']);
      assert.equal(headers['x-content-sha256'], undefined);
      assert.equal(isGenuine(request.method, '/20231130/actions/chat?a=1', headers), true);
    }
  });

  it('takes keys with a passphrase, and with written line breaks', () => {
    const locked = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const known = { ...settings, oraclePrivateKey: locked.privateKey, oracleKeyPassphrase: 'open' };
    assert.ok(signatureHeaders(post, known, testTimeMs).authorization);
    const escaped = { ...settings, oraclePrivateKey: privateKey.replaceAll('\n', '\\n') };
    assert.deepEqual(signatureHeaders(post, escaped, testTimeMs), signatureHeaders(post, settings, testTimeMs));
    const refusal = { name: 'GatewayError', code: 'missing_credentials' };
    const wrong = { ...known, oracleKeyPassphrase: 'closed' };
    assert.throws(() => signatureHeaders(post, wrong, testTimeMs), refusal);
    assert.throws(
      () => signatureHeaders(post, { ...settings, oraclePrivateKey: 'not a key' }, testTimeMs),
      (error) => {
        assert.doesNotMatch(String(error), /not a key/);
        return true;
      },
    );
  });
});

describe('what reaches Oracle Cloud', () => {
  async function sent(path: string, init: RequestInit): Promise<RecordedRequest> {
    const answer = {
      status: 200,
      headers: { 'content-type': 'application/json' },
      bytes: Buffer.from('{}'),
      stream: false,
    };
    const server = await startRecordedServer([answer]);
    const { oracleRegion: region, ...keys } = settings;
    const target = {
      provider: 'oracle',
      custom_host: `${server.url}/20231130`,
      oracle_region: region,
      oracle_private_key: keys.oraclePrivateKey,
      oracle_tenancy: keys.oracleTenancy,
      oracle_user: keys.oracleUser,
      oracle_fingerprint: keys.oracleFingerprint,
    };
    const gateway = await createGateway(testConfig({ oracle: target }, 'oracle'), {
      now: () => testTimeMs,
      newId: countingIds().newId,
      random: () => 0,
      log: silentLog,
      env: () => undefined,
    });
    try {
      const { url } = await gateway.listen();
      await (await fetch(url + path, init)).arrayBuffer();
      const [request] = server.requests;
      assert.ok(request, 'a request arrives');
      return request;
    } finally {
      await gateway.close();
      await server.close();
    }
  }

  it('carries a signature that fits the bytes and headers on the wire', async () => {
    const body = JSON.stringify({ model: 'meta.llama', messages: [{ role: 'user', content: 'Grüße' }] });
    const request = await sent('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    assert.equal(request.path, '/20231130/actions/chat');
    assert.equal(isGenuine(request.method, request.path, request.headers), true);
    assert.equal(request.headers['x-content-sha256'], createHash('sha256').update(request.body).digest('base64'));
  });

  it('is signed below the proxy too', async () => {
    const request = await sent('/v1/proxy/guardrailVersions?limit=2', { method: 'GET' });
    assert.equal(request.path, '/20231130/guardrailVersions?limit=2');
    assert.equal(isGenuine('GET', request.path, request.headers), true);
  });
});
