import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { hasDomain } from '../../../plugins/sessions/oidc/admission.ts';
import { checkedPath } from '../../../plugins/sessions/oidc/begin.ts';
import type { ControlOptions } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';
import { audited, cookieOf, isLive, owner, startSessions, withOwner } from './people.ts';
import { type Answer, client, signOnProvider } from './sign-on-provider.ts';

const bob = { email: 'bob@example.com', email_verified: true, given_name: 'Bob' } as const;
const domains = [{ domain: 'example.com', verified: true, allow_subdomains: false }];

/** A gateway with a provider, whose organisation has proven example.com. */
async function setting(t: TestContext, options: ControlOptions = {}, authSettings: JsonObject = { domains }) {
  let now = () => Math.floor(Date.now() / 1000);
  const provider = await signOnProvider({ nowSeconds: () => now() });
  t.after(() => provider.close());
  const env = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENTID: client.id,
    OIDC_CLIENT_SECRET: client.secret,
    OIDC_CUSTOM_SCOPES: 'groups',
  };
  const control = await startSessions(t, { env, startAt: Date.now(), ...options });
  now = () => Math.floor(control.now() / 1000);
  await control.gateway.control?.store.transaction(async (db) => {
    const row = await db('organisations').where('id', control.organisationId).first();
    const document = JSON.stringify({ ...JSON.parse(row.document), auth_settings: authSettings });
    await db('organisations').where('id', control.organisationId).update({ document });
  });

  const begin = async (query = '') => {
    const { status, headers } = await control.call('GET', `/v1/auth/oidc/login${query}`, { key: '' });
    assert.equal(status, 302);
    return { location: headers.get('location') ?? '', cookie: cookieOf(headers, 'portcullis_oidc') };
  };
  const finish = (query: URLSearchParams, cookie: string) =>
    control.call('GET', `/v1/auth/oidc/callback?${query}`, { key: '', headers: { cookie } });
  return {
    control,
    provider,
    begin,
    finish,
    /** The whole way, once. */
    signOn: async (person: JsonObject = bob, answer: Answer = {}, query = '') => {
      const { location, cookie } = await begin(query);
      return finish(provider.authorise(location, person, answer), cookie);
    },
  };
}

const tokenOf = (headers: Headers) => cookieOf(headers).split('=')[1] ?? '';

onEachStore((_, __, fresh) => {
  describe('the sign-on', () => {
    it('makes a verified person of the organisation’s domain a member, with a session', async (t) => {
      const { control, signOn } = await setting(t, { store: await fresh() });
      const { status, headers } = await signOn();
      assert.equal(status, 302);
      assert.equal(headers.get('location'), '/');
      const self = await control.ok('GET', '/v1/auth/self', { key: tokenOf(headers) });
      assert.equal(asObject(self.user)?.email, 'bob@example.com');
      assert.equal(asObject(self.user)?.first_name, 'Bob');
      assert.equal(self.org_role, 'member');
      const [entry] = await audited(control, 'login');
      assert.match(String(entry?.detail ?? JSON.stringify(entry)), /oidc/);
    });

    it('finds who is there already, and makes nobody twice', async (t) => {
      const { control, signOn } = await setting(t, { store: await fresh() });
      const { userId } = await withOwner(control);
      for (let index = 0; index < 2; index += 1) {
        const { headers } = await signOn({ ...bob, email: 'ANN@example.com' });
        const self = await control.ok('GET', '/v1/auth/self', { key: tokenOf(headers) });
        assert.equal(asObject(self.user)?.id, userId);
        assert.equal(self.org_role, 'owner');
      }
    });

    it('lets nobody in again whom an admin has removed', async (t) => {
      const { control, signOn } = await setting(t, { store: await fresh() });
      const { headers } = await signOn();
      const { user } = await control.ok('GET', '/v1/auth/self', { key: tokenOf(headers) });
      await control.ok('DELETE', `/v1/admin/users/${String(asObject(user)?.id)}`);
      assert.equal(await isLive(control, tokenOf(headers)), false);
      assert.equal((await signOn()).status, 403);
    });

    it('can be used once, in the browser that began it, within ten minutes', async (t) => {
      const { control, provider, begin, finish } = await setting(t, { store: await fresh() });
      const one = await begin();
      const query = provider.authorise(one.location, bob);
      assert.equal((await finish(query, 'other=1')).status, 400);
      const other = await begin();
      assert.equal((await finish(query, other.cookie)).status, 400);
      const forged = new URLSearchParams(query);
      forged.set('state', 'x'.repeat(43));
      assert.equal((await finish(forged, one.cookie)).status, 400);
      assert.equal((await finish(query, one.cookie)).status, 302);
      assert.equal((await finish(query, one.cookie)).status, 400);
      control.advance(600_000);
      assert.equal((await finish(provider.authorise(other.location, bob), other.cookie)).status, 400);
    });
  });
});

describe('the sign-on', () => {
  it('asks the provider for a code with PKCE, state and nonce', async (t) => {
    const { begin, provider } = await setting(t);
    const { location } = await begin();
    const { origin, pathname, searchParams } = new URL(location);
    assert.equal(origin + pathname, `${provider.issuer}/authorize`);
    assert.equal(searchParams.get('response_type'), 'code');
    assert.equal(searchParams.get('client_id'), client.id);
    assert.equal(searchParams.get('redirect_uri'), 'https://gateway.example.com/v1/auth/oidc/callback');
    assert.equal(searchParams.get('scope'), 'openid email profile groups');
    assert.equal(searchParams.get('code_challenge_method'), 'S256');
    for (const name of ['state', 'nonce', 'code_challenge']) assert.equal(searchParams.get(name)?.length, 43);
  });

  it('goes back to where the person wanted to be', async (t) => {
    const { signOn } = await setting(t);
    const { headers } = await signOn(bob, {}, `?return_to=${encodeURIComponent('/settings?tab=2')}`);
    assert.equal(headers.get('location'), '/settings?tab=2');
  });

  it('asks the provider about the person where the token names no address', async (t) => {
    const { control, signOn, provider } = await setting(t);
    const { headers } = await signOn({});
    const self = await control.ok('GET', '/v1/auth/self', { key: tokenOf(headers) });
    assert.equal(asObject(self.user)?.email, 'bob@example.com');
    assert.ok(provider.asked.includes('/userinfo'));
  });

  it('is written down when it is refused', async (t) => {
    const { control, signOn } = await setting(t);
    assert.equal((await signOn({ ...bob, email: 'bob@elsewhere.example' })).status, 403);
    assert.equal((await audited(control, 'login_failed')).length, 1);
  });

  it('is not there without a provider', async (t) => {
    const control = await startSessions(t);
    assert.equal((await control.call('GET', '/v1/auth/oidc/login', { key: '' })).status, 404);
  });

  it('says when the provider is away, and works once it is back', async (t) => {
    const control = await startSessions(t, { env: { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENTID: 'gate' } });
    assert.equal((await control.call('GET', '/v1/auth/oidc/login', { key: '' })).status, 503);
  });

  for (const [what, env] of [
    ['an issuer in clear', { OIDC_ISSUER: 'http://id.example.com', OIDC_CLIENTID: 'gate' }],
    ['an issuer that is no URL', { OIDC_ISSUER: 'id', OIDC_CLIENTID: 'gate' }],
    ['no client id', { OIDC_ISSUER: 'https://id.example.com' }],
    ['a session time that is none', { SESSION_TTL: '12h' }],
  ] as const) {
    it(`does not start with ${what}`, async (t) => {
      await assert.rejects(startSessions(t, { env }), { code: 'invalid_config' });
    });
  }
});

describe('the provider’s answer is refused', () => {
  const past = Math.floor(Date.now() / 1000) - 3600;
  const answers: readonly [string, Answer][] = [
    ['with another nonce', { claims: { nonce: 'x'.repeat(43) } }],
    ['without a nonce', { claims: { nonce: null } }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['for another audience', { claims: { aud: 'another client' } }],
    ['for several audiences and another party', { claims: { aud: [client.id, 'other'], azp: 'other' } }],
    ['once it has expired', { claims: { exp: past } }],
    ['without an end', { claims: { exp: null } }],
    ['without a subject', { claims: { sub: null } }],
    ['when it is unsigned', { unsigned: true }],
    ['when another key signed it', { signedBy: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey }],
    ['when it names an unknown key', { kid: 'two' }],
  ];
  for (const [when, answer] of answers) {
    it(when, async (t) => {
      const { control, signOn } = await setting(t);
      const { status, headers } = await signOn(bob, answer);
      assert.equal(status, 401);
      assert.deepEqual(headers.getSetCookie(), []);
      assert.deepEqual(await control.gateway.control?.store.db('users'), []);
    });
  }

  it('when the code was made for another challenge', async (t) => {
    const { provider, begin, finish } = await setting(t);
    const [mine, theirs] = [await begin(), await begin()];
    const code = provider.authorise(theirs.location, bob).get('code') ?? '';
    const query = new URLSearchParams({ code, state: new URL(mine.location).searchParams.get('state') ?? '' });
    assert.equal((await finish(query, mine.cookie)).status, 401);
  });

  it('when it is an error, or the issuer of the answer is another', async (t) => {
    const { provider, begin, finish } = await setting(t);
    const one = await begin();
    const state = new URL(one.location).searchParams.get('state') ?? '';
    assert.equal((await finish(new URLSearchParams({ error: 'access_denied', state }), one.cookie)).status, 401);
    const two = await begin();
    const query = provider.authorise(two.location, bob);
    query.set('iss', 'https://evil.example');
    assert.equal((await finish(query, two.cookie)).status, 401);
  });
});

describe('people of the sign-on are refused', () => {
  const cases: readonly [string, JsonObject, JsonObject?][] = [
    ['when the provider has not verified the address', { ...bob, email_verified: false }],
    ['when the provider says nothing of that', { email: bob.email }],
    ['when it says so as a text', { ...bob, email_verified: 'true' }],
    ['when the domain is another', { ...bob, email: 'bob@example.org' }],
    ['when the domain only ends the same', { ...bob, email: 'bob@notexample.com' }],
    ['when the domain is below, and that is not allowed', { ...bob, email: 'bob@eu.example.com' }],
    ['when the address has two domains', { ...bob, email: 'bob@evil.example@example.com' }],
    ['when the domain is not proven', bob, { domains: [{ domain: 'example.com', verified: false }] }],
    ['when the organisation has no domain', bob, {}],
    ['when the organisation provisions nobody', bob, { domains, disable_auto_provision_user: true }],
  ];
  for (const [when, person, authSettings] of cases) {
    it(when, async (t) => {
      const { control, signOn } = await setting(t, {}, authSettings);
      const { status, headers } = await signOn(person);
      assert.equal(status, 403);
      assert.deepEqual(headers.getSetCookie(), []);
      assert.deepEqual(await control.gateway.control?.store.db('users'), []);
    });
  }

  it('not when they are there already, where the organisation provisions nobody', async (t) => {
    const { control, signOn } = await setting(t, {}, { domains, disable_auto_provision_user: true });
    await withOwner(control);
    assert.equal((await signOn({ ...bob, email: owner.email })).status, 302);
  });
});

describe('a domain of the organisation', () => {
  it('holds those below it where it says so', () => {
    const below = { auth_settings: { domains: [{ domain: 'Example.com', verified: true, allow_subdomains: true }] } };
    assert.equal(hasDomain(below, 'bob@eu.example.com'), true);
    assert.equal(hasDomain(below, 'bob@example.com'), true);
    assert.equal(hasDomain(below, 'bob@notexample.com'), false);
    assert.equal(
      hasDomain({ auth_settings: { domains: [{ domain: '', verified: true, allow_subdomains: true }] } }, 'a@b'),
      false,
    );
  });
});

describe('where the sign-on returns to', () => {
  for (const path of ['/', '/settings', '/a/b?c=d#e', '/a//b']) {
    it(`may be ${path}`, () => assert.equal(checkedPath(path), path));
  }
  const foreign = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'evil',
    '',
    '/\t/evil.example',
    '/a\nb',
    '\\/x',
  ];
  for (const path of [...foreign, 'javascript:alert(1)', `/${'a'.repeat(1024)}`]) {
    it(`must not be ${JSON.stringify(path).slice(0, 40)}`, () => {
      assert.throws(() => checkedPath(path), { code: 'bad_request', param: 'return_to' });
    });
  }
});
