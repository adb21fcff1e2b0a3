import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { FetchReply, JsonObject } from 'portcullis/sdk';
import { checkInput, createCheckHost, readyCheck } from 'portcullis/sdk/testing';
import jwt from '../../../guardrails/default/jwt.ts';
import { empty, json, manifest } from './replies.ts';
import { createSigner, nowSeconds, type Signer } from './signer.ts';

const input = checkInput();
const jwksUri = 'https://id.test/jwks';
let first: Signer;
let second: Signer;

before(async () => {
  [first, second] = await Promise.all([createSigner('first'), createSigner('second')]);
});

/** A check on a clock and a network that the test moves. */
function checking(config: JsonObject, network: () => FetchReply | Promise<FetchReply>) {
  const ready = readyCheck(jwt, config);
  let calls = 0;
  const fetch = () => {
    calls += 1;
    return network();
  };
  return {
    calls: () => calls,
    run: async (token: string, afterSeconds = 0) => {
      const headers = { authorization: `Bearer ${token}` };
      const now = (nowSeconds + afterSeconds) * 1000;
      return ready.run(input, createCheckHost({ manifest, headers, fetch, now }));
    },
  };
}

describe('a key set at a URL', () => {
  it('is read once for many tokens at once, and again when it is too old', async () => {
    const check = checking({ jwksUri, cacheMaxAge: 600 }, () => json({ keys: [first.jwk] }));
    const token = await first.sign({});
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => check.run(token)));
    assert.ok(verdicts.every(({ pass }) => pass));
    await check.run(token, 599);
    assert.equal(check.calls(), 1);
    await check.run(token, 600);
    assert.equal(check.calls(), 2);
  });

  it('is read again for an unknown key, at most once a minute', async () => {
    let keys = [first.jwk];
    const check = checking({ jwksUri }, () => json({ keys }));
    await check.run(await first.sign({}));
    const rotated = await second.sign({});
    assert.equal((await check.run(rotated, 59)).pass, false);
    assert.equal(check.calls(), 1);
    keys = [first.jwk, second.jwk];
    assert.equal((await check.run(rotated, 61)).pass, true);
    assert.equal((await check.run(await second.sign({}, { kid: 'third' }), 62)).pass, false);
    assert.equal(check.calls(), 2);
  });

  it('throws when it cannot be read, and is asked for again', async () => {
    let reply = empty(503);
    const check = checking({ jwksUri }, () => reply);
    const token = await first.sign({});
    await assert.rejects(check.run(token), {
      code: 'check_failed',
      message: /key set at jwksUri answered with status 503/,
    });
    reply = json({ keys: [first.jwk] });
    assert.equal((await check.run(token)).pass, true);
  });

  it('is read by another run when the one that read for all is cut off', async () => {
    let fails = true;
    const check = checking({ jwksUri }, async () => {
      const failing = fails;
      fails = false;
      await new Promise(setImmediate);
      if (failing) throw new Error('cut off');
      return json({ keys: [first.jwk] });
    });
    const token = await first.sign({});
    const [cut, other] = await Promise.allSettled([check.run(token), check.run(token)]);
    assert.equal(cut.status, 'rejected');
    assert.equal(other.status === 'fulfilled' && other.value.pass, true);
  });

  const unusable: readonly (readonly [string, () => FetchReply])[] = [
    ['no JSON', () => ({ status: 200, headers: {}, body: Buffer.from('<html>') })],
    ['no key set', () => json({ jwks: [] })],
    ['a private key', () => json({ keys: [{ ...first.jwk, d: 'x' }] })],
    ['a shared secret', () => json({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] })],
    ['a key that is none', () => json({ keys: [{ kty: 'RSA', kid: 'first' }] })],
  ];
  for (const [name, reply] of unusable) {
    it(`throws on ${name}`, async () => {
      await assert.rejects(checking({ jwksUri }, reply).run(await first.sign({})), { code: 'check_failed' });
    });
  }
});

describe('introspection', () => {
  const introspectEndpoint = 'https://id.test/introspect';
  const active = { active: true, sub: 'ada', exp: nowSeconds + 100 };

  it('passes an opaque token that is active, by the claims of the answer', async () => {
    const host = createCheckHost({ manifest, headers: { authorization: 'Bearer op&que' }, fetch: () => json(active) });
    const config = { introspectEndpoint, requiredClaims: ['sub'], extractClaims: ['sub'] };
    const { pass, data } = await readyCheck(jwt, config).run(input, host);
    assert.deepEqual([pass, data], [true, { claims: { 'x-jwt-sub': 'ada' } }]);
    const [call] = host.fetched;
    assert.equal(call?.request.body, 'token=op%26que');
    assert.equal(call?.request.headers?.['content-type'], 'application/x-www-form-urlencoded');
  });

  it('sends JSON where the server wants that', async () => {
    const host = createCheckHost({ headers: { authorization: 'opaque' }, fetch: () => json(active) });
    await readyCheck(jwt, { introspectEndpoint, introspectContentType: 'application/json' }).run(input, host);
    assert.equal(host.fetched[0]?.request.body, '{"token":"opaque"}');
  });

  const refused: readonly [string, JsonObject, string][] = [
    ['that is not active', { active: false }, 'The token is not active.'],
    ['that has expired', { active: true, exp: nowSeconds - 6 }, 'The token has expired.'],
    [
      'whose time is to come',
      { active: true, nbf: nowSeconds + 6 },
      'The claim nbf of the token does not hold or is missing.',
    ],
    ['that is too old', { active: true, iat: nowSeconds - 90_000 }, 'The token is older than maxTokenAge.'],
    ['without a claim that is required', { active: true }, 'The token lacks sub.'],
  ];
  for (const [name, answer, why] of refused) {
    it(`fails a token ${name}`, async () => {
      const check = checking({ introspectEndpoint, requiredClaims: ['sub'] }, () => json(answer));
      assert.deepEqual(await check.run('opaque'), { pass: false, why });
    });
  }

  for (const [name, reply] of [
    ['an error', empty(401)],
    ['an answer that does not say', json({ sub: 'ada' })],
    ['a yes in words', json({ active: 'true' })],
  ] as const) {
    it(`throws on ${name}`, async () => {
      await assert.rejects(checking({ introspectEndpoint }, () => reply).run('opaque'), { code: 'check_failed' });
    });
  }

  it('asks every time, unless answers may be kept', async () => {
    const ready = (config: JsonObject) => readyCheck(jwt, { introspectEndpoint, ...config });
    const host = createCheckHost({ headers: { authorization: 'opaque' }, fetch: () => json(active) });
    await ready({}).run(input, host);
    await ready({}).run(input, host);
    assert.equal(host.fetched.length, 2);
    await ready({ introspectCacheMaxAge: 60 }).run(input, host);
    await ready({ introspectCacheMaxAge: 60 }).run(input, host);
    assert.equal(host.fetched.length, 3);
  });

  it('comes after the signature where there are keys too', async () => {
    let active = true;
    const check = checking({ introspectEndpoint, jwks: { keys: [first.jwk] } }, () => json({ active }));
    assert.equal((await check.run(await second.sign({}, { kid: 'first' }))).pass, false);
    assert.equal(check.calls(), 0);
    assert.equal((await check.run(await first.sign({}))).pass, true);
    active = false;
    assert.equal((await check.run(await first.sign({}))).why, 'The token is not active.');
  });
});
