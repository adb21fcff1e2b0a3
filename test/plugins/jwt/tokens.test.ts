import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { mostCharacters } from '../../../plugins/jwt/parts.ts';
import {
  claims,
  gatewayOf,
  ids,
  nowSeconds,
  organisationEntry,
  pack,
  type SigningKey,
  sign,
  signingKey,
} from './issuer.ts';

let key: SigningKey;
let gateway: Awaited<ReturnType<typeof gatewayOf>>;

before(async () => {
  key = await signingKey('first');
  gateway = await gatewayOf({ organisation: organisationEntry({ jwks: { keys: [key.jwk] } }) });
});

/** Signed as the organisation would, with a header and claims as given: for what a signing library refuses to make. */
function signed(header: string, payload: string): string {
  const [head, body] = pack(header, payload).split('.');
  const signature = signBytes('sha256', Buffer.from(`${head}.${body}`), key.privateKey).toString('base64url');
  return `${head}.${body}.${signature}`;
}

const header = (given: JsonObject = {}) => JSON.stringify({ alg: 'RS256', typ: 'JWT', kid: 'first', ...given });

describe('a signed token', () => {
  it('is a caller of its organisation, bound to its workspace', async () => {
    const { kind, name, access, metadata } = await gateway.caller(await sign(key));
    assert.equal(kind, 'token');
    assert.equal(name, 'ann');
    assert.equal(access?.organisationId, ids.organisation);
    assert.equal(access?.workspaceId, ids.workspace);
    assert.deepEqual([...(access?.scopesIn(ids.workspace) ?? [])], ['completions.write']);
    assert.deepEqual(metadata, { _user: 'ann' });
  });

  it('is taken from the key header, and from behind Bearer where there is none', async () => {
    const token = await sign(key);
    const direct = await gateway.identify({ 'x-gw-api-key': token });
    const bearer = await gateway.identify({ authorization: `Bearer ${token}` });
    assert.equal(direct?.consumed, undefined);
    assert.equal(bearer?.consumed, 'authorization');
    assert.equal(bearer?.id, direct?.id);
  });

  it('behind Bearer is a provider’s own where the request brings a key of the gateway', async () => {
    const token = await sign(key);
    assert.equal(
      await gateway.identify({ 'x-gw-api-key': 'pc-some-key', authorization: `Bearer ${token}` }),
      undefined,
    );
  });

  for (const value of ['', 'abc', 'a.b', 'a.b.c.d', 'a b.c.d', 'pc-key', 'a.b.c=']) {
    it(`is not what ${JSON.stringify(value)} is: the next plugin is asked`, async () => {
      assert.equal(await gateway.identify({ 'x-gw-api-key': value }), undefined);
      assert.equal(await gateway.identify({ authorization: `Bearer ${value}` }), undefined);
    });
  }

  it('is nobody where JWT_ENABLED is not ON', async () => {
    const organisation = organisationEntry({ jwks: { keys: [key.jwk] } });
    const { identify } = await gatewayOf({ organisation, env: { JWT_ENABLED: 'OFF' } });
    assert.equal(await identify({ 'x-gw-api-key': await sign(key) }), undefined);
  });

  it('needs JWT_ENABLED to be ON or OFF: a typing error stops the start', async () => {
    await assert.rejects(gatewayOf({ env: { JWT_ENABLED: 'yess' } }), { code: 'invalid_config' });
  });
});

describe('a token is refused', () => {
  const times: readonly [string, JsonObject, RegExp][] = [
    ['once it has expired', { exp: nowSeconds - 5 }, /^401 .*expired/],
    ['without an end', { exp: undefined as never }, /^401 .*exp/],
    ['with an end of null', { exp: null }, /^401 .*exp/],
    ['with an end that is no number', { exp: 'tomorrow' }, /^401 .*exp/],
    ['before its time', { nbf: nowSeconds + 6 }, /^401 .*nbf/],
    ['when it was issued in the future', { iat: nowSeconds + 6 }, /^401 .*future/],
  ];
  for (const [when, change, expected] of times) {
    it(when, async () =>
      assert.match(await gateway.refusal(signed(header(), JSON.stringify({ ...claims, ...change }))), expected),
    );
  }

  it('not for clocks that differ by less than five seconds', async () => {
    const payload = { ...claims, exp: nowSeconds - 4, nbf: nowSeconds + 4, iat: nowSeconds + 4 };
    assert.equal(await gateway.refusal(await sign(key, payload)), 'accepted');
  });

  it('when it is unsigned', async () => {
    const payload = JSON.stringify(claims);
    for (const alg of ['none', 'None', 'NONE', '']) {
      assert.match(await gateway.refusal(pack(header({ alg }), payload, '')), /^401 .*RS256/);
    }
    assert.match(await gateway.refusal(pack(header(), payload, '')), /^401 .*/);
  });

  it('when the public key serves as a shared secret (key confusion)', async () => {
    const payload = JSON.stringify(claims);
    for (const secret of [
      key.publicKey.export({ type: 'spki', format: 'pem' }),
      key.publicKey.export({ type: 'spki', format: 'der' }),
      JSON.stringify(key.jwk),
    ]) {
      for (const alg of ['HS256', 'RS256']) {
        const [head, body] = pack(header({ alg }), payload).split('.');
        const mac = createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url');
        assert.match(await gateway.refusal(`${head}.${body}.${mac}`), /^401 /);
      }
    }
  });

  for (const alg of ['RS384', 'RS512', 'PS256', 'ES256', 'EdDSA', 'HS512', 'rs256']) {
    it(`when it says that it is signed with ${alg}`, async () => {
      assert.match(await gateway.refusal(signed(header({ alg }), JSON.stringify(claims))), /^401 .*RS256/);
    });
  }

  it('when another key signed it, or a key that it brings itself', async () => {
    const other = await signingKey('first');
    assert.match(await gateway.refusal(await sign(other)), /^401 .*signature/);
    assert.match(await gateway.refusal(await sign(other, claims, { jwk: other.jwk })), /^401 .*signature/);
    const jku = await sign(other, claims, { jku: 'https://attacker.example/jwks.json' });
    assert.match(await gateway.refusal(jku), /^401 .*signature/);
  });

  it('when a character of it has been changed', async () => {
    const [head, , signature] = (await sign(key)).split('.');
    const body = Buffer.from(JSON.stringify({ ...claims, scope: 'logs.list' })).toString('base64url');
    assert.match(await gateway.refusal(`${head}.${body}.${signature}`), /^401 .*signature/);
  });

  it('without a key id, or with one that the organisation does not have', async () => {
    const payload = JSON.stringify(claims);
    assert.match(await gateway.refusal(signed(JSON.stringify({ alg: 'RS256', typ: 'JWT' }), payload)), /^401 .*kid/);
    assert.match(await gateway.refusal(signed(header({ kid: 7 }), payload)), /^401 .*kid/);
    assert.match(await gateway.refusal(signed(header({ kid: 'second' }), payload)), /^401 .*does not have/);
    assert.match(await gateway.refusal(signed(header({ kid: '__proto__' }), payload)), /^401 .*does not have/);
  });

  it('with a header that must be understood and is not', async () => {
    const payload = JSON.stringify(claims);
    assert.match(await gateway.refusal(signed(header({ crit: ['exp'] }), payload)), /^401 .*critical/);
    assert.match(await gateway.refusal(signed(header({ crit: ['b64'], b64: false }), payload)), /^401 .*critical/);
    assert.match(await gateway.refusal(signed(header({ typ: 'secevent+jwt' }), payload)), /^401 .*type/);
  });

  it('when it names a header or a claim twice, whichever way the name is written', async () => {
    const twice = `${JSON.stringify(claims).slice(0, -1)},"scope":"logs.list"}`;
    const escaped = `${JSON.stringify(claims).slice(0, -1)},"sc\\u006fpe":"logs.list"}`;
    for (const payload of [twice, escaped])
      assert.match(await gateway.refusal(signed(header(), payload)), /^401 .*once/);
    const head = '{"alg":"none","alg":"RS256","typ":"JWT","kid":"first"}';
    assert.match(await gateway.refusal(signed(head, JSON.stringify(claims))), /^401 .*once/);
  });

  it('not for equal names at different depths, or names inside texts', async () => {
    const payload = { ...claims, note: '"scope": {', defaults: { metadata: { scope: 'x', sub: 'y' } } };
    assert.equal(await gateway.refusal(await sign(key, payload)), 'accepted');
  });

  it('when its parts are not JSON objects', async () => {
    for (const part of ['[]', 'null', '"x"', '{', '']) {
      assert.match(await gateway.refusal(`${Buffer.from(part || ' ').toString('base64url')}.e30.x`), /^401 /);
      assert.match(await gateway.refusal(signed(header(), part || ' ')), /^401 /);
    }
  });

  it(`when it is longer than ${mostCharacters} characters`, async () => {
    const long = await sign(key, { ...claims, note: 'x'.repeat(mostCharacters) });
    assert.match(await gateway.refusal(long), /^401 .*longer/);
  });

  it('when its key is too short', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'short', alg: 'RS256' } as unknown as JsonObject;
    const weak = await gatewayOf({ organisation: organisationEntry({ jwks: { keys: [jwk] } }) });
    const [head, body] = pack(header({ kid: 'short' }), JSON.stringify(claims)).split('.');
    const signature = signBytes('sha256', Buffer.from(`${head}.${body}`), privateKey).toString('base64url');
    assert.match(await weak.refusal(`${head}.${body}.${signature}`), /^401 .*does not have/);
  });

  it('when the key’s exponent lets every text sign itself', async () => {
    const trivial = await gatewayOf({ organisation: organisationEntry({ jwks: { keys: [{ ...key.jwk, e: 'AQ' }] } }) });
    assert.match(await trivial.refusal(await sign(key)), /^401 .*does not have/);
  });

  it('with a word in the log that holds neither the token nor its claims', async () => {
    const silent = await gatewayOf({ organisation: organisationEntry({ jwks: { keys: [key.jwk] } }) });
    const token = await sign(await signingKey('first'), { ...claims, email_id: 'ann@example.com' });
    await silent.refusal(token);
    const [line] = silent.host.logged;
    assert.equal(line?.event, 'jwt_refused');
    assert.equal(line?.fields.organisation, ids.organisation);
    assert.doesNotMatch(JSON.stringify(silent.host.logged), new RegExp(`ann@|${token.slice(0, 20)}`));
  });
});
