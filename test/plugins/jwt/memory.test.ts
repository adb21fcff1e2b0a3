import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { FetchReply } from 'portcullis/sdk';
import {
  claims,
  gatewayOf,
  jsonReply,
  nowSeconds,
  organisationEntry,
  type SigningKey,
  sign,
  signingKey,
  workspaceEntry,
} from './issuer.ts';

let first: SigningKey;
let second: SigningKey;

before(async () => {
  [first, second] = await Promise.all([signingKey('first'), signingKey('second')]);
});

const jwksUrl = 'https://id.example.com/jwks.json';
const long = { ...claims, exp: nowSeconds + 1_000_000 };

/** A key set at a URL, whose reply the test changes. */
async function published(...keys: readonly SigningKey[]) {
  const at = { reply: (): FetchReply => jsonReply({ keys: keys.map(({ jwk }) => jwk) }), asked: 0 };
  const gateway = await gatewayOf({
    organisation: organisationEntry({ jwksUrl }),
    fetch: (url) => {
      assert.equal(url.href, jwksUrl);
      at.asked += 1;
      return at.reply();
    },
  });
  return {
    ...gateway,
    at,
    now: (...current: readonly SigningKey[]) => {
      at.reply = () => jsonReply({ keys: current.map(({ jwk }) => jwk) });
    },
  };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a verified token', () => {
  it('is remembered: the same caller, without asking for the keys again', async () => {
    const { caller, at } = await published(first);
    const token = await sign(first);
    assert.equal(await caller(token), await caller(token));
    assert.equal(at.asked, 1);
  });

  it('is verified once when many requests bring it at the same time', async () => {
    const { caller, at } = await published(first);
    const token = await sign(first);
    const callers = await Promise.all(Array.from({ length: 20 }, () => caller(token)));
    assert.equal(new Set(callers).size, 1);
    assert.equal(at.asked, 1);
  });

  it('is remembered as a whole: one that begins the same is another', async () => {
    const { caller, refusal } = await published(first);
    const token = await sign(first);
    await caller(token);
    const [head, body, signature = ''] = token.split('.');
    const forged = `${head}.${body}.${signature.slice(0, -8)}AAAAAAAA`;
    assert.match(await refusal(forged), /^401 .*signature/);
    const payload = Buffer.from(JSON.stringify({ ...claims, scope: 'logs.list' })).toString('base64url');
    assert.match(await refusal(`${head}.${payload}.${signature}`), /^401 .*signature/);
  });

  it('ends with its time, remembered or not', async () => {
    const { caller, refusal, host } = await published(first);
    const token = await sign(first);
    await caller(token);
    host.advance(64_999);
    await caller(token);
    host.advance(1);
    assert.match(await refusal(token), /^401 .*expired/);
  });

  it('ends when the organisation takes its key back', async () => {
    const organisation = organisationEntry({ jwks: { keys: [first.jwk] } });
    const { caller, refusal, held } = await gatewayOf({ organisation });
    const token = await sign(first);
    await caller(token);
    held.organisation = organisationEntry({ jwks: { keys: [second.jwk] } });
    assert.match(await refusal(token), /^401 .*does not have/);
  });

  it('ends when the key under its id becomes another', async () => {
    const organisation = organisationEntry({ jwks: { keys: [first.jwk] } });
    const { caller, refusal, held } = await gatewayOf({ organisation });
    const token = await sign(first);
    await caller(token);
    held.organisation = organisationEntry({ jwks: { keys: [{ ...second.jwk, kid: 'first' }] } });
    assert.match(await refusal(token), /^401 .*signature/);
  });

  it('ends when the organisation or the workspace is gone, and sees their changes', async () => {
    const organisation = organisationEntry({ jwks: { keys: [first.jwk] } });
    const { caller, refusal, held } = await gatewayOf({ organisation });
    const token = await sign(first);
    assert.equal((await caller(token)).config, undefined);
    held.workspace = workspaceEntry({ defaults: { config: 'pc-new-000001' } });
    assert.equal((await caller(token)).config, 'pc-new-000001');
    held.workspace = workspaceEntry({ status: 'archived' });
    assert.match(await refusal(token), /^403 /);
    held.organisation = undefined;
    assert.match(await refusal(token), /^401 /);
  });
});

describe('keys at a URL', () => {
  it('are read again once for an id that is not among them, and not for each such token', async () => {
    const { caller, refusal, host, at, now } = await published(first);
    await caller(await sign(first));
    now(first, second);
    assert.match(await refusal(await sign(second, { ...claims, jti: '1' })), /^401 .*does not have/);
    assert.equal(at.asked, 1);
    host.advance(30_000);
    await caller(await sign(second, { ...claims, jti: '2' }));
    assert.equal(at.asked, 2);
    const third = await signingKey('third');
    for (let index = 0; index < 20; index += 1) {
      assert.match(await refusal(await sign(third, { ...claims, jti: `${index}` })), /^401 /);
    }
    assert.equal(at.asked, 2);
  });

  it('are read again after ten minutes while the old ones serve; a key that is gone then ends its tokens', async () => {
    const { caller, refusal, host, at, now } = await published(first);
    const token = await sign(first, long);
    await caller(token);
    now(second);
    host.advance(600_001);
    await caller(token);
    await settled();
    assert.equal(at.asked, 2);
    assert.match(await refusal(token), /^401 .*does not have/);
  });

  it('serve on for a day while the URL fails, and no longer', async () => {
    const { caller, refusal, host, at } = await published(first);
    const token = await sign(first, long);
    await caller(token);
    at.reply = () => jsonReply({}, 500);
    host.advance(600_001);
    await caller(token);
    await settled();
    host.advance(85_000_000);
    await caller(token);
    await settled();
    host.advance(1_400_000);
    assert.match(await refusal(token), /^503 /);
    assert.ok(host.logged.some(({ event }) => event === 'jwks_unreadable'));
  });

  it('that cannot be read at first are no fault of the token: it is good as soon as they can', async () => {
    const { caller, refusal, host, at, now } = await published();
    at.reply = () => jsonReply({}, 500);
    const token = await sign(first);
    assert.match(await refusal(token), /^503 /);
    now(first);
    host.advance(30_000);
    await caller(token);
    assert.equal(at.asked, 2);
  });

  it('are read again when the organisation changes, and the old ones serve where that fails', async () => {
    const { caller, at, held } = await published(first);
    const token = await sign(first);
    await caller(token);
    at.reply = () => jsonReply({}, 500);
    held.organisation = organisationEntry({ jwksUrl, name: 'Acme Ltd' });
    await caller(token);
    assert.equal(at.asked, 2);
  });

  for (const [what, reply] of [
    ['a private key', () => jsonReply({ keys: [{ ...first.jwk, d: 'AQAB' }] })],
    ['a secret key', () => jsonReply({ keys: [first.jwk, { kty: 'oct', kid: 'x', k: 'c2VjcmV0' }] })],
    ['no list', () => jsonReply({ keys: {} })],
    ['too many keys', () => jsonReply({ keys: Array.from({ length: 101 }, () => first.jwk) })],
    ['no JSON', () => ({ status: 200, headers: {}, body: Buffer.from('<html>') })],
  ] as const) {
    it(`are refused with ${what} among them`, async () => {
      const { refusal, at } = await published();
      at.reply = reply;
      assert.match(await refusal(await sign(first)), /^503 /);
    });
  }

  it('count only where an id stands once, for signatures with RS256', async () => {
    const { refusal, now } = await published();
    now(first, { ...second, jwk: { ...second.jwk, kid: 'first' } });
    assert.match(await refusal(await sign(first)), /^401 .*does not have/);
    for (const change of [{ use: 'enc' }, { alg: 'RS512' }, { key_ops: ['encrypt'] }, { kty: 'EC' }]) {
      const other = await published({ ...first, jwk: { ...first.jwk, ...change } });
      assert.match(await other.refusal(await sign(first)), /^401 .*does not have/);
    }
  });
});

describe('a private key in the settings of the organisation', () => {
  it('makes the whole set unusable', async () => {
    const organisation = organisationEntry({ jwks: { keys: [first.jwk, { ...second.jwk, d: 'AQAB' }] } });
    const { refusal } = await gatewayOf({ organisation });
    assert.match(await refusal(await sign(first)), /^403 .*JWKS/);
  });
});

describe('a refused token', () => {
  it('is refused again without being verified, for five seconds', async () => {
    const { refusal, host } = await published(first);
    const token = await sign({ ...second, kid: 'first' });
    for (let index = 0; index < 10; index += 1) assert.match(await refusal(token), /^401 .*signature/);
    assert.equal(host.logged.length, 1);
    host.advance(5_000);
    await refusal(token);
    assert.equal(host.logged.length, 2);
  });

  it('is accepted as soon as its organisation has the key', async () => {
    const organisation = organisationEntry({ jwks: { keys: [first.jwk] } });
    const { refusal, held } = await gatewayOf({ organisation });
    const token = await sign(second);
    assert.match(await refusal(token), /^401 /);
    held.organisation = organisationEntry({ jwks: { keys: [first.jwk, second.jwk] } });
    assert.equal(await refusal(token), 'accepted');
  });
});
