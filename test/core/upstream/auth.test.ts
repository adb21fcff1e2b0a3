import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Auth, Settings, TokenRequest } from 'portcullis/sdk';
import { Authenticator } from '../../../core/upstream/auth.ts';

type Answer = { readonly status: number; readonly body: string };

const settings: Settings = { clientId: 'a', apiKey: 'k' };

/** None of these credentials looks at the request. */
const unsigned = () => {
  throw new Error('There is nothing to sign.');
};

function fixture(answers: (count: number) => Answer | Promise<Answer>) {
  const clock = { now: 1_000_000 };
  const sent: TokenRequest[] = [];
  let signed = 0;
  const authenticator = new Authenticator(
    async (request) => {
      sent.push(request);
      return answers(sent.length);
    },
    () => clock.now,
  );
  const auth: Auth = {
    kind: 'token',
    // As with a signed assertion: no two requests are the same.
    request: (given) => {
      signed += 1;
      return {
        method: 'POST',
        url: 'https://t.example/token',
        form: { id: String(given.clientId), assertion: `signed-${signed}` },
      };
    },
  };
  const headers = async (given: Settings = settings) =>
    (await authenticator.headersFor(auth, { settings: given, upstream: 'some' }, unsigned)).authorization;
  return { clock, sent, headers, authenticator };
}

const token = (name: string, expiresIn: unknown = 3600): Answer => ({
  status: 200,
  body: JSON.stringify({ access_token: name, expires_in: expiresIn }),
});

describe('the credential of a call', () => {
  const table: readonly [string, Auth, Record<string, string>][] = [
    ['nothing', { kind: 'none' }, {}],
    ['a Bearer token', { kind: 'bearer', from: 'apiKey' }, { authorization: 'Bearer k' }],
    ['a header', { kind: 'header', name: 'x-key', from: 'apiKey' }, { 'x-key': 'k' }],
    ['nothing where the setting is absent', { kind: 'bearer', from: 'other' }, {}],
    ['no header where the setting is absent', { kind: 'header', name: 'x-key', from: 'other' }, {}],
  ];
  for (const [what, auth, expected] of table) {
    it(`is ${what}, without a promise`, () =>
      assert.deepEqual(
        fixture(() => token('t')).authenticator.headersFor(auth, { settings, upstream: 'some' }, unsigned),
        expected,
      ));
  }
});

describe('a short-lived token', () => {
  it('is fetched once for all who ask at the same time', async () => {
    const gate = Promise.withResolvers<Answer>();
    const { headers, sent } = fixture(() => gate.promise);
    const asked = [headers(), headers(), headers()];
    await new Promise(setImmediate);
    gate.resolve(token('t1'));
    assert.deepEqual(await Promise.all(asked), ['Bearer t1', 'Bearer t1', 'Bearer t1']);
    assert.equal(sent.length, 1);
  });

  it('is kept until shortly before its end, although the request for it never looks the same', async () => {
    const { headers, sent, clock } = fixture((count) => token(`t${count}`));
    await headers();
    clock.now += 54 * 60_000;
    assert.equal(await headers(), 'Bearer t1');
    clock.now += 2 * 60_000;
    assert.equal(await headers(), 'Bearer t2');
    assert.equal(sent.length, 2);
  });

  const lives: readonly [unknown, number][] = [
    [10, 10],
    ['10', 10],
    [60, 60],
    [400, 400],
  ];
  for (const [expiresIn, lifeSeconds] of lives) {
    it(`of ${JSON.stringify(expiresIn)} seconds is used again, but never after its end`, async () => {
      const { headers, clock } = fixture((count) => token(`t${count}`, expiresIn));
      await headers();
      clock.now += 1000;
      assert.equal(await headers(), 'Bearer t1');
      clock.now += lifeSeconds * 1000 - 1000;
      assert.equal(await headers(), 'Bearer t2');
    });
  }

  for (const expiresIn of [null, 0, -5, 'soon']) {
    it(`whose life is ${JSON.stringify(expiresIn)} still serves`, async () => {
      assert.equal(await fixture(() => token('t', expiresIn)).headers(), 'Bearer t');
    });
  }

  it('is not shared by other settings', async () => {
    const { headers } = fixture((count) => token(`t${count}`));
    assert.deepEqual(
      [await headers(), await headers({ clientId: 'b' }), await headers()],
      ['Bearer t1', 'Bearer t2', 'Bearer t1'],
    );
  });

  const failures: readonly [string, Answer][] = [
    ['a status', { status: 401, body: '{"error":"invalid_client","access_token":"no"}' }],
    ['no token', { status: 200, body: '{}' }],
    ['no JSON', { status: 200, body: '<html>' }],
  ];
  for (const [what, answer] of failures) {
    it(`fails with ${what} of the token endpoint, without its text, and is asked for again`, async () => {
      const { headers } = fixture((count) => (count === 1 ? answer : token('t2')));
      await assert.rejects(headers(), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'upstream_error');
        assert.doesNotMatch(error.message, /invalid_client|html/);
        return true;
      });
      assert.equal(await headers(), 'Bearer t2');
    });
  }

  it('fails for all who waited when its fetch throws, and is asked for again', async () => {
    const { headers } = fixture((count) => (count === 1 ? Promise.reject(new Error('down')) : token('t2')));
    const asked = await Promise.allSettled([headers(), headers()]);
    assert.deepEqual(
      asked.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await headers(), 'Bearer t2');
  });
});
