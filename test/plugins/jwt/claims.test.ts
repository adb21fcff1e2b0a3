import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import {
  claims,
  gatewayOf,
  ids,
  organisationEntry,
  type SigningKey,
  sign,
  signingKey,
  workspaceEntry,
} from './issuer.ts';

let key: SigningKey;

before(async () => {
  key = await signingKey('first');
});

const of = (given: Parameters<typeof organisationEntry>[0] = {}) =>
  organisationEntry({ jwks: { keys: [key.jwk] }, ...given });
const { portkey_oid: _, portkey_workspace: __, ...bare } = claims;

describe('the organisation of a token', () => {
  it('is portkey_oid, else organisation_id', async () => {
    const { refusal } = await gatewayOf({ organisation: of() });
    assert.equal(await refusal(await sign(key, { ...bare, organisation_id: ids.organisation })), 'accepted');
    const both = { ...bare, portkey_oid: ids.other, organisation_id: ids.organisation };
    assert.match(await refusal(await sign(key, both)), /^401 .*not known/);
  });

  it('is the one of ORGANISATIONS_TO_SYNC where the token names none', async () => {
    const one = await gatewayOf({ organisation: of(), env: { ORGANISATIONS_TO_SYNC: ids.organisation } });
    assert.equal(await one.refusal(await sign(key, bare)), 'accepted');
    const two = await gatewayOf({
      organisation: of(),
      env: { ORGANISATIONS_TO_SYNC: `${ids.organisation},${ids.other}` },
    });
    assert.match(await two.refusal(await sign(key, bare)), /^401 .*no organisation/);
    const none = await gatewayOf({ organisation: of() });
    assert.match(await none.refusal(await sign(key, bare)), /^401 .*no organisation/);
  });

  it('must be in ORGANISATIONS_TO_SYNC where that is set', async () => {
    const { refusal } = await gatewayOf({ organisation: of(), env: { ORGANISATIONS_TO_SYNC: ids.other } });
    assert.match(await refusal(await sign(key)), /^403 /);
  });

  it('must exist, and have a key set', async () => {
    const gone = await gatewayOf({ organisation: undefined });
    assert.match(await gone.refusal(await sign(key)), /^401 .*not known/);
    const unset = await gatewayOf({ organisation: organisationEntry() });
    assert.match(await unset.refusal(await sign(key)), /^403 .*JWKS/);
  });
});

describe('the workspace of a token', () => {
  const places: readonly [string, JsonObject, string][] = [
    ['is portkey_workspace by slug', { portkey_workspace: 'ws-main-000001' }, 'accepted'],
    ['is portkey_workspace by id', { portkey_workspace: ids.workspace }, 'accepted'],
    ['is workspace_slug', { workspace_slug: 'ws-main-000001' }, 'accepted'],
    ['is the default of the organisation where none is named', {}, 'accepted'],
    ['must be one of the organisation', { portkey_workspace: 'ws-other-000002' }, '403'],
    [
      'named as portkey_workspace wins',
      { portkey_workspace: 'ws-other-000002', workspace_slug: 'ws-main-000001' },
      '403',
    ],
  ];
  for (const [sentence, change, expected] of places) {
    it(sentence, async () => {
      const { refusal } = await gatewayOf({ organisation: of() });
      const said = await refusal(await sign(key, { ...bare, portkey_oid: ids.organisation, ...change }));
      assert.equal(said.slice(0, expected.length), expected);
    });
  }

  it('must be there: without one and without a default the token is refused', async () => {
    const { defaultWorkspaceId: ___, ...organisation } = of();
    const { refusal } = await gatewayOf({ organisation });
    assert.match(await refusal(await sign(key, { ...bare, portkey_oid: ids.organisation })), /^403 /);
  });

  it('must not be archived', async () => {
    const { refusal } = await gatewayOf({ organisation: of(), workspace: workspaceEntry({ status: 'archived' }) });
    assert.match(await refusal(await sign(key)), /^403 .*archived/);
  });
});

describe('the scopes of a token', () => {
  const { scope: ____, ...scopeless } = claims;
  const cases: readonly [string, JsonObject, readonly string[]][] = [
    ['are a text with spaces', { scope: 'logs.list  configs.read' }, ['logs.list', 'configs.read']],
    ['are a list', { scopes: ['logs.list', 'configs.read'] }, ['logs.list', 'configs.read']],
    [
      'may have the prefix portkey.',
      { scope: 'portkey.completions.write logs.list' },
      ['completions.write', 'logs.list'],
    ],
    ['are the defaults of the gateway where it names none', {}, ['completions.write', 'mcp.invoke']],
    ['are none where it names none by an empty text', { scope: '' }, []],
    [
      'are never of the organisation',
      { scope: 'organisation_users.list portkey.organisation_integrations.create logs.list' },
      ['logs.list'],
    ],
    ['are none that the gateway does not know', { scope: '* admin logs.* logs.list' }, ['logs.list']],
  ];
  for (const [sentence, change, expected] of cases) {
    it(sentence, async () => {
      const env = { JWT_LOCAL_AUTH_DEFAULT_SCOPES: 'completions.write, mcp.invoke' };
      const { caller } = await gatewayOf({ organisation: of(), env });
      const { access } = await caller(await sign(key, { ...scopeless, ...change }));
      assert.deepEqual([...(access?.scopesIn(ids.workspace) ?? [])].sort(), [...expected].sort());
      assert.deepEqual([...(access?.scopesIn('another') ?? [])], []);
      assert.equal(access?.organisationRole, undefined);
    });
  }
});

describe('what else a token says', () => {
  it('is its user: email_id before sub before uid', async () => {
    const { caller } = await gatewayOf({ organisation: of() });
    const { sub: ___, ...nameless } = claims;
    const user = async (change: JsonObject) =>
      (await caller(await sign(key, { ...nameless, ...change }))).metadata?._user;
    assert.equal(await user({ uid: 'c', sub: 'b', email_id: 'a@example.com' }), 'a@example.com');
    assert.equal(await user({ uid: 'c', sub: 'b' }), 'b');
    assert.equal(await user({ uid: 'c' }), 'c');
    assert.equal(await user({}), undefined);
  });

  it('is metadata, over those of workspace and organisation', async () => {
    const { caller } = await gatewayOf({
      organisation: of({ defaults: { metadata: { a: 'organisation', b: 'organisation', c: 'organisation' } } }),
      workspace: workspaceEntry({ defaults: { metadata: { b: 'workspace', c: 'workspace' } } }),
    });
    const { metadata } = await caller(
      await sign(key, { ...claims, defaults: { metadata: { c: 'token', _user: 'eve' } } }),
    );
    assert.deepEqual(metadata, { a: 'organisation', b: 'workspace', c: 'token', _user: 'eve' });
  });

  it('is a config, before those of workspace and organisation', async () => {
    const organisation = of({ defaults: { config: 'pc-organi-000001' } });
    const workspace = workspaceEntry({ defaults: { config: 'pc-worksp-000001' } });
    const { caller } = await gatewayOf({ organisation, workspace });
    assert.equal(
      (await caller(await sign(key, { ...claims, defaults: { config_id: 'pc-token-000001' } }))).config,
      'pc-token-000001',
    );
    assert.equal((await caller(await sign(key))).config, 'pc-worksp-000001');
    const plain = await gatewayOf({ organisation });
    assert.equal((await plain.caller(await sign(key))).config, 'pc-organi-000001');
  });

  it('is guardrails of its own, by id or slug', async () => {
    const { caller } = await gatewayOf({ organisation: of() });
    const defaults = { input_guardrails: ['pg-token-000001'], output_guardrails: [] };
    assert.deepEqual((await caller(await sign(key, { ...claims, defaults }))).guardrails, {
      input: ['pg-token-000001'],
    });
    assert.equal((await caller(await sign(key))).guardrails, undefined);
  });

  it('is limits of its own, counted by the digest of the token', async () => {
    const { caller } = await gatewayOf({ organisation: of() });
    const token = await sign(key, {
      ...claims,
      usage_limits: { credit_limit: 10, periodic_reset: 'monthly' },
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 60 }],
    });
    const { limits } = await caller(token);
    assert.equal(limits?.key, hash('sha256', token, 'hex'));
    assert.equal(limits?.usageLimits?.credit_limit, 10);
    assert.deepEqual(limits?.rateLimits, [{ type: 'requests', unit: 'rpm', value: 60 }]);
    assert.equal((await caller(await sign(key))).limits, undefined);
  });

  const malformed: readonly JsonObject[] = [
    { portkey_oid: 7 },
    { portkey_workspace: { slug: 'x' } },
    { sub: ['ann'] },
    { sub: 'x'.repeat(256) },
    { scope: ['completions.write'] },
    { scope: undefined as never, scopes: 'completions.write' },
    { scope: undefined as never, scopes: [7] },
    { defaults: 'x' },
    { defaults: { config_id: 7 } },
    { defaults: { input_guardrails: 'pg-token-000001' } },
    { defaults: { output_guardrails: [{ id: 'pg-token-000001' }] } },
    { defaults: { metadata: { a: 7 } } },
    { defaults: { metadata: { a: 'x'.repeat(1025) } } },
    { usage_limits: { credit_limit: -1 } },
    { usage_limits: 'ten' },
    { rate_limits: [{ type: 'requests', unit: 'rpy', value: 1 }] },
  ];
  for (const change of malformed) {
    it(`is refused where it is malformed: ${JSON.stringify(change).slice(0, 60)}`, async () => {
      const { refusal } = await gatewayOf({ organisation: of() });
      assert.match(await refusal(await sign(key, { ...claims, ...change })), /^401 /);
    });
  }
});
