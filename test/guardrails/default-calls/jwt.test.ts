import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { SignJWT, UnsecuredJWT } from 'jose';
import type { JsonObject, Verdict } from 'portcullis/sdk';
import { checkInput, createCheckHost, readyCheck, runCheck, testCheck } from 'portcullis/sdk/testing';
import jwt from '../../../guardrails/default/jwt.ts';
import { manifest } from './replies.ts';
import { createSigner, nowSeconds, type Signer } from './signer.ts';

const input = checkInput();
const shared = Buffer.alloc(32, 7);
let first: Signer;
let second: Signer;

before(async () => {
  [first, second] = await Promise.all([createSigner('first'), createSigner('second')]);
});

const verdictOn = async (
  token: string | undefined,
  rules: JsonObject = {},
  headers: Record<string, string> = {},
): Promise<Verdict> => {
  const all = token === undefined ? headers : { authorization: `Bearer ${token}`, ...headers };
  const verdict = await runCheck(
    jwt,
    { jwks: { keys: [first.jwk] }, ...rules },
    input,
    createCheckHost({ manifest, headers: all }),
  );
  if (token !== undefined) assert.ok(!JSON.stringify(verdict).includes(token), 'The verdict holds the token.');
  return verdict;
};

describe('a signed token', () => {
  it('passes behind Bearer, bare, and in a header of another name, however that is written', async () => {
    const token = await first.sign({ sub: 'ada' });
    assert.deepEqual(await verdictOn(token), { pass: true, why: 'The token is valid.' });
    assert.equal((await verdictOn(undefined, {}, { authorization: token })).pass, true);
    assert.equal(
      (await verdictOn(undefined, { headerKey: 'X-User-Token' }, { 'x-user-token': `bearer ${token}` })).pass,
      true,
    );
  });

  it('fails where there is none', async () => {
    assert.equal((await verdictOn(undefined)).why, 'The header authorization is missing.');
    assert.equal((await verdictOn(undefined, {}, { authorization: 'Bearer ' })).pass, false);
    assert.equal((await verdictOn('x'.repeat(20_000))).why, 'A token has 1 to 16384 characters.');
    assert.equal((await verdictOn('sk-no-token')).why, 'The token is no signed JWT.');
  });

  it('fails with a signature of another key, and after a change', async () => {
    const foreign = await second.sign({ sub: 'ada' }, { kid: 'first' });
    assert.equal((await verdictOn(foreign)).why, 'The signature of the token does not fit.');
    const [head, , signature] = (await first.sign({ sub: 'ada' })).split('.');
    const claims = Buffer.from(JSON.stringify({ sub: 'root', iat: nowSeconds })).toString('base64url');
    assert.equal((await verdictOn(`${head}.${claims}.${signature}`)).why, 'The signature of the token does not fit.');
  });

  it('fails when it is signed in another way than the parameters say', async () => {
    const unsigned = new UnsecuredJWT({ sub: 'ada' }).setIssuedAt(nowSeconds).encode();
    assert.equal((await verdictOn(unsigned)).why, 'The token must be signed with RS256.');
    const text = JSON.stringify(first.jwk);
    const confused = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt(nowSeconds)
      .sign(Buffer.from(text));
    assert.equal((await verdictOn(confused)).why, 'The token must be signed with RS256.');
    assert.equal(
      (await verdictOn(confused, { algorithms: ['RS256', 'HS256'] })).why,
      'The key set has no key for the token.',
    );
  });

  it('passes with a shared secret that stands in jwks, where that is asked for', async () => {
    const keys = [{ kty: 'oct', k: shared.toString('base64url') }];
    const token = await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setIssuedAt(nowSeconds).sign(shared);
    assert.equal((await verdictOn(token, { jwks: { keys }, algorithms: ['HS256'] })).pass, true);
  });

  it('passes with elliptic keys, where that is asked for', async () => {
    const signer = await createSigner('curve', 'ES256');
    const rules = { jwks: { keys: [signer.jwk] }, algorithms: ['ES256'] };
    assert.equal((await verdictOn(await signer.sign({}), rules)).pass, true);
  });

  it('must name its key where there are several', async () => {
    const jwks = { keys: [first.jwk, second.jwk] };
    const nameless = await first.sign({}, {});
    assert.equal((await verdictOn(nameless, { jwks })).why, 'The token does not name its key as kid.');
    assert.equal((await verdictOn(nameless)).pass, true);
    assert.equal((await verdictOn(await second.sign({}), { jwks })).pass, true);
    assert.equal(
      (await verdictOn(await first.sign({}, { kid: 'third' }), { jwks })).why,
      'The key set has no key for the token.',
    );
  });

  it('fails with a key that is meant for something else', async () => {
    const keys = [{ ...first.jwk, use: 'enc' }];
    assert.equal((await verdictOn(await first.sign({}), { jwks: { keys } })).pass, false);
  });
});

describe('the times of a token', () => {
  const rows: readonly [string, JsonObject, JsonObject, string | undefined][] = [
    ['passes before it expires', { exp: nowSeconds + 1 }, {}, undefined],
    ['passes within the tolerance', { exp: nowSeconds - 4 }, {}, undefined],
    ['fails after it', { exp: nowSeconds - 6 }, {}, 'The token has expired.'],
    ['fails without tolerance', { exp: nowSeconds - 1 }, { clockTolerance: 0 }, 'The token has expired.'],
    ['fails before its time', { nbf: nowSeconds + 60 }, {}, 'The claim nbf of the token does not hold or is missing.'],
    ['passes on its first day', { iat: nowSeconds - 86_000 }, {}, undefined],
    ['fails on its second', { iat: nowSeconds - 86_500 }, {}, 'The token is older than maxTokenAge.'],
    [
      'fails after a shorter age',
      { iat: nowSeconds - 400 },
      { maxTokenAge: '5m' },
      'The token is older than maxTokenAge.',
    ],
    ['passes within a longer one', { iat: nowSeconds - 86_500 }, { maxTokenAge: '30h' }, undefined],
  ];
  for (const [name, claims, rules, why] of rows) {
    it(name, async () => {
      const verdict = await verdictOn(await first.sign(claims), rules);
      assert.deepEqual([verdict.pass, verdict.why], [why === undefined, why ?? 'The token is valid.']);
    });
  }

  it('fails when nobody knows how old it is', async () => {
    const token = await first.sign({ iat: null });
    assert.equal((await verdictOn(token)).pass, false);
  });
});

describe('the claims of a token', () => {
  const claims = {
    iss: 'https://id.test',
    aud: ['gateway', 'other'],
    team: 'research',
    roles: ['reader', 'non-admin'],
    scope: 'models:read models:list',
    level: 3,
    admin: false,
    nothing: null,
  };
  const value = (claim: string, values: string | string[], matchType?: string) => ({
    claimValues: { [claim]: { values, ...(matchType === undefined ? {} : { matchType }) } },
  });
  const passing: readonly JsonObject[] = [
    { issuer: 'https://id.test', audience: 'gateway' },
    { issuer: ['https://a.test', 'https://id.test'], audience: ['x', 'other'] },
    { requiredClaims: ['team', 'admin', 'iat'] },
    value('team', 'research'),
    value('team', ['sales', 'research'], 'exact'),
    value('level', '3'),
    value('admin', 'false'),
    value('team', 'sear', 'contains'),
    value('team', ['res', 'arch'], 'containsAll'),
    value('roles', ['admin', 'reader'], 'contains'),
    value('roles', ['reader', 'non-admin'], 'containsAll'),
    value('scope', 'models:read', 'contains'),
    value('team', '^re.*ch$', 'regex'),
    value('roles', ['^x$', '^reader$'], 'regex'),
  ];
  const failing: readonly [JsonObject, string][] = [
    [{ issuer: 'https://id.test.evil' }, 'The issuer of the token is not accepted.'],
    [{ audience: 'gate' }, 'The token is meant for another audience.'],
    [{ requiredClaims: ['team', 'sub', 'nothing'] }, 'The token lacks sub, nothing.'],
    [{ requiredClaims: ['toString', '__proto__'] }, 'The token lacks toString, __proto__.'],
    [value('team', 'sales'), 'team'],
    [value('roles', 'reader'), 'roles'],
    [value('roles', 'admin', 'contains'), 'roles'],
    [value('roles', ['reader', 'admin'], 'containsAll'), 'roles'],
    [value('scope', 'models', 'contains'), 'scope'],
    [value('team', '^sea', 'regex'), 'team'],
    [value('absent', '.*', 'regex'), 'absent'],
  ];

  for (const rules of passing)
    it(`pass ${JSON.stringify(rules)}`, async () =>
      assert.equal((await verdictOn(await first.sign(claims), rules)).pass, true));
  for (const [rules, why] of failing) {
    it(`fail ${JSON.stringify(rules)}`, async () => {
      const verdict = await verdictOn(await first.sign(claims), rules);
      assert.equal(verdict.pass, false);
      assert.ok(verdict.why?.includes(why), verdict.why);
    });
  }

  it('must equal what the header of the token says, where both are listed', async () => {
    const token = await first.sign({ kid: 'first', tenant: 'a' }, { kid: 'first', tenant: 'b' });
    assert.equal((await verdictOn(token, { headerPayloadMatch: ['kid'] })).pass, true);
    const why = 'The header and the claims of the token differ in tenant, absent.';
    assert.equal((await verdictOn(token, { headerPayloadMatch: ['kid', 'tenant', 'absent'] })).why, why);
  });

  it('are shown where they are asked for, behind the prefix', async () => {
    const token = await first.sign(claims);
    const extractClaims = ['team', 'roles', 'absent', 'nothing'];
    const shown = { 'x-jwt-team': 'research', 'x-jwt-roles': ['reader', 'non-admin'] };
    assert.deepEqual((await verdictOn(token, { extractClaims })).data, { claims: shown });
    assert.deepEqual((await verdictOn(token, { extractClaims: ['team'], claimPrefix: '' })).data, {
      claims: { team: 'research' },
    });
  });
});

const jwksUri = 'https://id.test/jwks';
testCheck(jwt, {
  refused: [
    { config: {}, message: /One of jwksUri, jwks and introspectEndpoint is required/ },
    { config: { jwksUri, jwks: { keys: [] } }, message: /not both/ },
    { config: { jwksUri: 'id.test' }, message: /jwksUri must be an absolute/ },
    { config: { jwks: {} }, message: /no list of keys/ },
    { config: { jwks: { keys: [] } }, message: /1 to 100 keys/ },
    { config: { jwks: { keys: [{ kty: 'RSA', n: 'a', e: 'AQAB', d: 'x' }] } }, message: /private key/ },
    { config: { jwksUri, algorithms: ['HS256'] }, message: /need the key in jwks/ },
    { config: { jwksUri, algorithms: ['none'] }, message: /algorithms/ },
    { config: { jwksUri, algorithms: [] }, message: /algorithms/ },
    { config: { jwksUri, maxTokenAge: '1 day' }, message: /30s, 5m, 12h or 1d/ },
    { config: { jwksUri, maxTokenAge: '0s' }, message: /maxTokenAge/ },
    { config: { jwksUri, introspectCacheMaxAge: 5 }, message: /introspectCacheMaxAge needs an introspectEndpoint/ },
    { config: { jwksUri, claimValues: { a: { values: '(', matchType: 'regex' } } }, message: /claimValues\.a\.values/ },
    { config: { jwksUri, claimValues: { a: { values: 'x', matchType: 'starts' } } }, message: /matchType/ },
  ],
});

it('reads no token where the unit may not see credentials', async () => {
  const blind = { ...manifest, permissions: { ...manifest.permissions, request: ['body' as const] } };
  const run = async () => readyCheck(jwt, { jwksUri }).run(input, createCheckHost({ manifest: blind }));
  await assert.rejects(run, { code: 'forbidden' });
});
