import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkPassword } from '../../../plugins/sessions/password/rules.ts';
import { passwords } from '../../../plugins/sessions/password/scrypt.ts';
import { onEachStore } from '../../support/stores.ts';
import {
  audited,
  isLive,
  loggedIn,
  owner,
  password,
  startSessions,
  startWithMail,
  tried,
  withOwner,
} from './people.ts';

const fresh12 = 'nine quiet otters';

describe('a password', () => {
  const refused: readonly [string, string][] = [
    ['too short', 'eleven char'],
    ['too long', 'ab cd ef gh '.repeat(22)],
    ['the e-mail address', 'Ann.Example@example.com'],
    ['the name in the address', `${'ANN.EXAMPLE.'.slice(0, 11)}`],
    ['of few characters', 'abababababababab'],
    ['a common one with digits', 'Password123456'],
    ['a common one with signs', '!!!!Letmein!!!!1'],
    ['a common one in other letters', 'P@$$w0rd2026!!'],
    ['a row of digits', '123456789012'],
    ['the famous one', 'correct horse battery staple'],
  ];
  for (const [what, text] of refused) {
    it(`must not be ${what}`, () => {
      assert.throws(() => checkPassword(text, 'ann.example@example.com'), { code: 'bad_request', param: 'password' });
    });
  }

  for (const text of [
    password,
    'ünïcödé wörds',
    '8#kf92-!vq0zP',
    'пароль из слов',
    'a'.repeat(3) + 'bcdefghijk'.repeat(25),
  ]) {
    it(`may be ${text.slice(0, 20)}`, () => checkPassword(text, 'ann@example.com'));
  }

  it('fits itself and nothing else, and is another text each time', async () => {
    const { hash, fits } = passwords();
    const [one, other] = await Promise.all([hash(password), hash(password)]);
    assert.notEqual(one, other);
    assert.equal(await fits(password, one), true);
    assert.equal(await fits(`${password} `, one), false);
    assert.equal(await fits(password, undefined), false);
  });

  it('is the same in each way that keyboards write it', async () => {
    const { hash, fits } = passwords();
    assert.equal(await fits('cafe\u0301 cafe\u0301 cafe\u0301', await hash('café café café')), true);
  });

  it('waits for its turn; a crowd is refused, not kept in memory', async () => {
    const { fits } = passwords();
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => fits(password, undefined)));
    const refusedOnes = outcomes.filter(({ status }) => status === 'rejected');
    assert.equal(refusedOnes.length, 6);
    for (const outcome of refusedOnes) assert.equal((outcome as PromiseRejectedResult).reason.code, 'throttled');
    assert.equal(await fits(password, undefined), false);
  });
});

onEachStore((_, __, fresh) => {
  describe('changing a password', () => {
    it('needs the old one, and ends all other sessions', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const { token } = await withOwner(control);
      const other = await loggedIn(control);
      const change = (old_password: string, new_password: string) =>
        control.call('POST', '/v1/auth/password', { key: token, body: { old_password, new_password } });
      assert.equal((await change('twelve purple boats', fresh12)).status, 403);
      assert.equal((await change(password, 'short')).status, 400);
      assert.equal((await change(password, fresh12)).status, 200);
      assert.deepEqual([await isLive(control, token), await isLive(control, other)], [true, false]);
      assert.equal(await tried(control, owner), 401);
      assert.equal(await tried(control, { ...owner, password: fresh12 }), 200);
      assert.equal((await audited(control, 'update')).at(-1)?.resource_type, 'credentials');
    });

    it('cannot be tried for ever with a stolen session', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const { token } = await withOwner(control);
      const body = { old_password: 'twelve purple boats', new_password: fresh12 };
      const statuses: number[] = [];
      for (let index = 0; index < 6; index += 1) {
        statuses.push((await control.call('POST', '/v1/auth/password', { key: token, body })).status);
      }
      assert.deepEqual(statuses, [403, 403, 403, 403, 403, 429]);
    });

    it('is not for callers without a session', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const body = { old_password: password, new_password: fresh12 };
      assert.equal((await control.call('POST', '/v1/auth/password', { body })).status, 401);
    });
  });

  describe('a reset mail', () => {
    it('lets the password be set anew, once, and ends all sessions', async (t) => {
      const control = await startWithMail(t, { store: await fresh() });
      const { token: session } = await withOwner(control);
      await control.ok('POST', '/v1/auth/password/forgot', { body: { email: 'ANN@example.com' } });
      const text = await control.mail(1);
      assert.deepEqual(control.received[0]?.to, ['ann@example.com']);
      const token = /rst_[A-Za-z0-9]{40}/.exec(text)?.[0] ?? assert.fail(text);
      assert.match(text, /https:\/\/gateway\.example\.com\/reset-password#token=rst_/);
      const reset = (body: object) => control.call('POST', '/v1/auth/password/reset', { body: { token, ...body } });
      assert.equal((await reset({ password: 'short' })).status, 400);
      assert.equal((await reset({ password: fresh12 })).status, 200);
      assert.equal((await reset({ password: 'ten green turtles' })).status, 401);
      assert.equal(await isLive(control, session), false);
      assert.equal(await tried(control, { ...owner, password: fresh12 }), 200);
      assert.equal(await tried(control, owner), 401);
    });

    it('is for half an hour', async (t) => {
      const control = await startWithMail(t, { store: await fresh() });
      await withOwner(control);
      await control.ok('POST', '/v1/auth/password/forgot', { body: { email: owner.email } });
      const token = /rst_\w{40}/.exec(await control.mail(1))?.[0] ?? '';
      control.advance(30 * 60_000);
      const { status } = await control.call('POST', '/v1/auth/password/reset', { body: { token, password: fresh12 } });
      assert.equal(status, 401);
      assert.equal(await tried(control, owner), 200);
    });

    it('goes to nobody unknown, and not again and again to anyone: the answer is the same', async (t) => {
      const control = await startWithMail(t, { store: await fresh() });
      await withOwner(control);
      const ask = (email: string) => control.call('POST', '/v1/auth/password/forgot', { body: { email } });
      const unknown = await ask('eve@example.com');
      for (let index = 0; index < 6; index += 1) {
        const known = await ask(owner.email);
        assert.deepEqual([known.status, known.text], [unknown.status, unknown.text]);
      }
      await control.mail(3);
      assert.ok(control.received.every(({ to }) => to[0] === owner.email));
      assert.equal(control.received.length, 3);
    });

    it('needs a mail server, and says so', async (t) => {
      const control = await startSessions(t, { store: await fresh() });
      const { status, json } = await control.call('POST', '/v1/auth/password/forgot', { body: { email: owner.email } });
      assert.equal(status, 400);
      assert.match(String(json.message), /mail server/);
    });
  });
});
