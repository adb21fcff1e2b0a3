import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Host, KeyEntry, MemberEntry, Principal } from 'portcullis/sdk';
import { keyIdentifier } from '../../../plugins/api-keys/identify.ts';
import { newSecret } from '../../../plugins/api-keys/key-format.ts';
import { exchangeOf } from '../../support/exchange.ts';

const checksum = (text: string) => hash('sha256', `pepper${text}`, 'hex').slice(0, 8);
const secret = newSecret('', (length) => 'k'.repeat(length), checksum);
const other = newSecret('', (length) => 'r'.repeat(length), checksum);
const now = 1_700_000_000_000;

const live: KeyEntry = {
  organisationId: 'o1',
  id: 'k1',
  name: 'web',
  type: 'workspace-service',
  workspaceId: 'w1',
  scopes: ['completions.write'],
  status: 'active',
  config: 'c1',
  metadata: { team: 'a' },
  guardrails: { input: ['g1'] },
  allowConfigOverride: false,
};

interface Facts {
  readonly entry?: KeyEntry;
  readonly controlled?: boolean;
  readonly checksum?: Host['checksum'];
  readonly later?: boolean;
}

function identifier(facts: Facts = {}) {
  const asked: string[] = [];
  const { entry = live } = facts;
  const host = {
    controlled: facts.controlled ?? true,
    checksum: facts.checksum ?? checksum,
    now: () => now,
    directory: ((kind: string, sha256: string) => {
      asked.push(`${kind} ${sha256}`);
      const found = sha256 === hash('sha256', secret, 'hex') ? entry : undefined;
      return facts.later === true ? Promise.resolve(found) : found;
    }) as Host['directory'],
  };
  const identify = keyIdentifier(host);
  return {
    asked,
    identify: (headers: Record<string, string>, vendors: readonly string[] = ['gw']) =>
      identify(exchangeOf({ headers, vendors })),
  };
}

describe('identifying by an API key', () => {
  const accepted: readonly [string, Record<string, string>, string | undefined][] = [
    ["the gateway's own header", { 'x-gw-api-key': secret }, undefined],
    ['a Bearer token', { authorization: `Bearer ${secret}` }, 'authorization'],
    ['a bearer token in lower case', { authorization: `bearer  ${secret}` }, 'authorization'],
    ['x-api-key', { 'x-api-key': secret }, 'x-api-key'],
    ['api-key', { 'api-key': secret }, 'api-key'],
    ['x-goog-api-key', { 'x-goog-api-key': secret }, 'x-goog-api-key'],
    ["x-api-key beside a provider's key", { authorization: 'Bearer sk-1', 'x-api-key': secret }, 'x-api-key'],
    ["its own header beside a provider's key", { authorization: 'Bearer sk-1', 'x-gw-api-key': secret }, undefined],
  ];
  for (const [where, headers, consumed] of accepted) {
    it(`knows a key in ${where}, and says which header it was`, () => {
      const principal = identifier().identify(headers) as Principal;
      const { access, ...rest } = principal;
      assert.deepEqual(rest, {
        id: 'k1',
        kind: 'key',
        name: 'web',
        config: 'c1',
        metadata: { team: 'a' },
        guardrails: { input: ['g1'] },
        allowConfigOverride: false,
        ...(consumed === undefined ? {} : { consumed }),
      });
      assert.deepEqual([...(access?.scopesIn('w1') ?? [])], ['completions.write']);
    });
  }

  it("knows a key in the header of another vendor's clients", () => {
    const principal = identifier().identify({ 'x-other-api-key': secret }, ['gw', 'other']) as Principal;
    assert.equal(principal.id, 'k1');
  });

  const foreign: readonly [string, Record<string, string>][] = [
    ['no credential at all', {}],
    ['a key of another form in its own header', { 'x-gw-api-key': 'pc_static' }],
    ['a key with a wrong checksum', { 'x-gw-api-key': `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}` }],
    ['a signed token', { authorization: 'Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln' }],
    [
      'a foreign key in its own header, even beside a good one',
      { 'x-gw-api-key': 'pc', authorization: `Bearer ${secret}` },
    ],
  ];
  for (const [what, headers] of foreign) {
    it(`leaves ${what} to the next plugin, and asks nobody`, () => {
      const { identify, asked } = identifier();
      assert.equal(identify(headers), undefined);
      assert.deepEqual(asked, []);
    });
  }

  it('leaves what was issued and is unknown to the next plugin: it may be a session', () => {
    const { identify, asked } = identifier();
    assert.equal(identify({ 'x-gw-api-key': other }), undefined);
    assert.deepEqual(asked, [`key ${hash('sha256', other, 'hex')}`]);
  });

  it('asks by the hash of the key, never by the key', () => {
    const { identify, asked } = identifier();
    identify({ 'x-gw-api-key': secret });
    assert.deepEqual(asked, [`key ${hash('sha256', secret, 'hex')}`]);
  });

  const member: MemberEntry = {
    organisationId: 'o1',
    userId: 'u1',
    email: 'ada@example.com',
    role: 'member',
    security: {},
    workspaces: [],
  };
  const { workspaceId: _, ...userKey } = { ...live, type: 'workspace-user' as const, userId: 'u1' };
  const refused: readonly [string, KeyEntry, string][] = [
    ['an expired key', { ...live, status: 'expired' }, 'key_expired'],
    ['a key whose time ends this millisecond', { ...live, expiresAt: now }, 'key_expired'],
    ['a key whose budget is used up', { ...live, status: 'exhausted' }, 'budget_exhausted'],
    ['a key whose owner is gone', { ...userKey, workspaceId: 'w1' }, 'unauthenticated'],
    ['a key whose owner has left the workspace', { ...userKey, workspaceId: 'w1', member }, 'unauthenticated'],
  ];
  for (const [what, entry, code] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(() => identifier({ entry }).identify({ 'x-gw-api-key': secret }), { code });
    });
  }

  it('names the key whose budget is used up, with status 412', () => {
    const { identify } = identifier({ entry: { ...live, status: 'exhausted' } });
    assert.throws(() => identify({ 'x-gw-api-key': secret }), { status: 412, message: /"web"/ });
  });

  it('takes a key until the last millisecond of its time', () => {
    const { identify } = identifier({ entry: { ...live, expiresAt: now + 1 } });
    assert.equal((identify({ 'x-gw-api-key': secret }) as Principal).id, 'k1');
  });

  it('says that it is not ready, not that the key is unknown, before it can check any', () => {
    const { identify } = identifier({ checksum: () => undefined });
    assert.throws(() => identify({ 'x-gw-api-key': secret }), { code: 'not_ready' });
    assert.equal(identify({ 'x-gw-api-key': 'pc_static' }), undefined);
  });

  it('knows nobody where there is no control plane', () => {
    const { identify, asked } = identifier({ controlled: false });
    assert.equal(identify({ 'x-gw-api-key': secret }), undefined);
    assert.deepEqual(asked, []);
  });

  it('hands out the same principal at once for a known entry, one for each header', () => {
    const { identify } = identifier();
    const direct = identify({ 'x-gw-api-key': secret });
    const bearer = identify({ authorization: `Bearer ${secret}` });
    assert.equal(identify({ 'x-gw-api-key': secret }), direct);
    assert.equal(identify({ authorization: `Bearer ${secret}` }), bearer);
    assert.notEqual(direct, bearer);
  });

  it('works the checksum of a key out once', () => {
    let worked = 0;
    const { identify } = identifier({
      checksum: (text) => {
        worked += 1;
        return checksum(text);
      },
    });
    for (let again = 0; again < 3; again += 1) assert.ok(identify({ 'x-gw-api-key': secret }));
    assert.equal(worked, 1);
  });

  it('waits for an entry that has to be loaded', async () => {
    const principal = await identifier({ later: true }).identify({ 'x-gw-api-key': secret });
    assert.equal(principal?.id, 'k1');
    await assert.rejects(
      async () =>
        identifier({ later: true, entry: { ...live, status: 'expired' } }).identify({ 'x-gw-api-key': secret }),
      { code: 'key_expired' },
    );
  });
});
