import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placeOf } from '../../../plugins/sessions/attempts.ts';
import { cookieOf, loggedIn, owner, startSessions, withOwner } from './people.ts';

/** Bypasses the test identity: only what the session plugin knows counts. */
const nobody = { key: '' } as const;

describe('a session’s token', () => {
  it('is taken as key, behind Bearer and as cookie', async (t) => {
    const control = await startSessions(t);
    const { token } = await withOwner(control);
    const { headers } = await control.call('POST', '/v1/auth/login', { body: { ...owner } });
    const carriers = [
      { 'x-gw-api-key': token },
      { authorization: `Bearer ${token}` },
      { authorization: `bearer ${token}` },
      { cookie: `theme=dark; ${cookieOf(headers)}; lang=en` },
    ];
    for (const carrier of carriers) {
      const { status } = await fetch(`${control.url}/v1/auth/self`, { headers: carrier as Record<string, string> });
      assert.equal(status, 200, Object.keys(carrier)[0]);
    }
  });

  it('of the cookie gives way to a key that is sent on purpose', async (t) => {
    const control = await startSessions(t);
    const token = (await withOwner(control)).token;
    const cookie = `portcullis_session=${token}`;
    for (const headers of [
      { cookie, 'x-gw-api-key': 'unknown' },
      { cookie, authorization: 'Bearer unknown' },
    ]) {
      const { status } = await fetch(`${control.url}/v1/auth/self`, { headers: headers as Record<string, string> });
      assert.equal(status, 401);
    }
  });

  it('is refused where its checksum does not fit, without asking the store', async (t) => {
    const control = await startSessions(t);
    const { token } = await withOwner(control);
    const queries: string[] = [];
    control.gateway.control?.store.db.on('query', ({ sql }: { sql: string }) => queries.push(sql));
    const altered = `${token.slice(0, 10)}${token[10] === 'a' ? 'b' : 'a'}${token.slice(11)}`;
    for (const key of [altered, `ses_${'a'.repeat(40)}`, 'ses_', `${token}x`]) {
      const { status } = await control.call('GET', '/v1/auth/self', { key });
      assert.equal(status, 401);
    }
    assert.deepEqual(
      queries.filter((sql) => /from .sessions./.test(sql)),
      [],
    );
  });

  it('does not keep anyone from logging in when it is stale', async (t) => {
    const control = await startSessions(t);
    await withOwner(control);
    const headers = { cookie: `portcullis_session=ses_${'a'.repeat(40)}` };
    const { status } = await control.call('POST', '/v1/auth/login', { ...nobody, body: { ...owner }, headers });
    assert.equal(status, 200);
  });
});

describe('a request with the cookie', () => {
  const pages: readonly [string, Record<string, string>, number][] = [
    ['of the gateway’s own page', { origin: 'https://gateway.example.com' }, 200],
    ['that the browser calls same-origin', { 'sec-fetch-site': 'same-origin' }, 200],
    ['of another site', { origin: 'https://evil.example' }, 403],
    [
      'of another site that pretends to be same-origin',
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      403,
    ],
    ['of another scheme', { origin: 'http://gateway.example.com' }, 403],
    ['of another port', { origin: 'https://gateway.example.com:8443' }, 403],
    ['of a page without an origin', { origin: 'null' }, 403],
    ['of a site beside', { 'sec-fetch-site': 'same-site' }, 403],
    ['of no page at all', {}, 403],
  ];
  for (const [what, headers, expected] of pages) {
    it(`${what} is ${expected === 200 ? 'taken' : 'refused'} where it changes something`, async (t) => {
      const control = await startSessions(t, { env: { PUBLIC_URL: 'https://gateway.example.com' } });
      const cookie = `portcullis_session=${(await withOwner(control)).token}`;
      const reply = await fetch(`${control.url}/v1/auth/logout`, { method: 'POST', headers: { cookie, ...headers } });
      assert.equal(reply.status, expected);
      if (expected === 403) {
        assert.equal((await fetch(`${control.url}/v1/auth/self`, { headers: { cookie, ...headers } })).status, 200);
      }
    });
  }

  it('of the host that it was sent to is taken where no public URL is set', async (t) => {
    const control = await startSessions(t);
    const cookie = `portcullis_session=${(await withOwner(control)).token}`;
    const headers = { cookie, origin: control.url };
    assert.equal((await fetch(`${control.url}/v1/auth/logout`, { method: 'POST', headers })).status, 200);
  });

  it('needs no page where the token is sent on purpose', async (t) => {
    const control = await startSessions(t);
    await withOwner(control);
    const headers = { authorization: `Bearer ${await loggedIn(control)}`, origin: 'https://evil.example' };
    assert.equal((await fetch(`${control.url}/v1/auth/logout`, { method: 'POST', headers })).status, 200);
  });
});

describe('the place that attempts are counted for', () => {
  for (const [address, place] of [
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ] as const) {
    it(`of ${address} is ${place}`, () => assert.equal(placeOf(address), place));
  }
});

describe('a log-in from a page', () => {
  for (const [what, origin, cookies] of [
    ['of the gateway gives the browser a cookie', 'https://gateway.example.com', 1],
    ['of another site gives it none: nobody is logged in as somebody else', 'https://evil.example', 0],
    ['without an origin gives it none', 'null', 0],
  ] as const) {
    it(what, async (t) => {
      const control = await startSessions(t);
      await withOwner(control);
      const headers = { origin };
      const reply = await control.call('POST', '/v1/auth/login', { body: { ...owner }, headers });
      assert.equal(reply.status, 200);
      assert.equal(reply.headers.getSetCookie().length, cookies);
    });
  }
});
