import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { startControl } from '../../support/control.ts';
import { heard, makeUser, onEachControl, person } from './tenant.ts';

const status = (expected: number, param?: string) => (reply: { status: number; json: JsonObject }) => {
  assert.equal(reply.status, expected, JSON.stringify(reply.json));
  if (param !== undefined) assert.equal(asObject(reply.json.error)?.param, param);
};

onEachControl((control) => {
  const get = () => control().ok('GET', '/v1/organisation');
  const put = (body: object) => control().call('PUT', '/v1/admin/organisation', { body: body as JsonObject });
  const founder = async () => person({ userId: String((await makeUser(control())).id), organisationRole: 'owner' });

  describe('the first organisation', () => {
    it('is there from the start, with its default workspace', async () => {
      const { id, name, slug, default_workspace_id, block_inline_config } = await get();
      assert.equal(id, control().organisationId);
      assert.equal(name, 'Default organisation');
      assert.match(String(slug), /^org-default-organisation-[0-9a-f]{6}$/);
      assert.equal((await control().ok('GET', `/v1/workspaces/${default_workspace_id}`)).is_default, 1);
      assert.equal(block_inline_config, false);
    });

    it('is announced before its workspace', () => {
      const order = control().log.flatMap(({ fields }) =>
        String(fields.name).endsWith('s.created') ? [fields.name] : [],
      );
      assert.deepEqual(order.slice(0, 2), ['organisations.created', 'workspaces.created']);
    });
  });

  describe('the settings of an organisation', () => {
    for (const [what, body, read, expected] of [
      ['weekly is 7 days', { settings: { user_api_key_rotation_period: 'weekly' } }, 'user_api_key_rotation_period', 7],
      [
        'monthly is 30 days',
        { settings: { user_api_key_rotation_period: 'monthly' } },
        'user_api_key_rotation_period',
        30,
      ],
      [
        'a number of days is itself',
        { settings: { user_api_key_rotation_period: 365 } },
        'user_api_key_rotation_period',
        365,
      ],
      [
        'null is no rotation',
        { settings: { user_api_key_rotation_period: null } },
        'user_api_key_rotation_period',
        null,
      ],
      ['a setting may stand beside the others', { user_api_key_count: 4 }, 'user_api_key_count', 4],
      ['a switch is a boolean', { settings: { user_api_key_auto_create: 1 } }, 'user_api_key_auto_create', true],
      ['a flag is a number', { settings: { debug_log: true } }, 'debug_log', 1],
      ['an age of the cache is seconds', { settings: { cache_max_age: 600 } }, 'cache_max_age', 600],
      [
        'only organisations have some',
        { default_workspace_user_api_key_auto_create: true },
        'default_workspace_user_api_key_auto_create',
        true,
      ],
    ] as const) {
      it(`take what is written: ${what}`, async () => {
        status(200)(await put(body));
        assert.equal(asObject((await get()).settings)?.[read], expected);
      });
    }

    for (const [what, body, param] of [
      [
        'a period of no days',
        { settings: { user_api_key_rotation_period: 0 } },
        'settings.user_api_key_rotation_period',
      ],
      [
        'a period beyond a year',
        { settings: { user_api_key_rotation_period: 366 } },
        'settings.user_api_key_rotation_period',
      ],
      [
        'a period of another name',
        { settings: { user_api_key_rotation_period: 'daily' } },
        'settings.user_api_key_rotation_period',
      ],
      [
        'a session of less than 15 minutes',
        { session_settings: { max_session_ttl: 899 } },
        'session_settings.max_session_ttl',
      ],
      ['an age of the cache that no rule has', { settings: { cache_max_age: 7_776_001 } }, 'settings.cache_max_age'],
      ['a negative lifetime', { settings: { user_api_key_ttl: -1 } }, 'settings.user_api_key_ttl'],
      [
        'a lifetime above the longest',
        { settings: { user_api_key_ttl: 10, user_api_key_max_ttl: 5 } },
        'settings.user_api_key_ttl',
      ],
      ['a setting that is not known', { settings: { wings: 1 } }, 'settings.wings'],
      ['a toggle that is not known', { security_settings: { membersFly: true } }, 'security_settings.membersFly'],
      [
        'a toggle that is no boolean',
        { security_settings: { membersViewLogs: 'yes' } },
        'security_settings.membersViewLogs',
      ],
      ['an override of nothing', { overrides: { wings: true } }, 'overrides.wings'],
      ['a schema that is none', { metadata_schemas: { api_key: { type: 'array' } } }, 'metadata_schemas.api_key.type'],
      ['a member that it does not have', { membersViewLogs: false }, 'membersViewLogs'],
      ['a session setting that is not known', { session_settings: { ttl: 900 } }, 'session_settings.ttl'],
      ['a way to sign in that is not known', { auth_settings: { saml: 'x' } }, 'auth_settings.saml'],
      [
        'more of a domain than there is',
        { auth_settings: { domains: [{ domain: 'example.com', trusted: true }] } },
        'auth_settings.domains[0].trusted',
      ],
      ['a schema of something else', { metadata_schemas: { user: {} } }, 'metadata_schemas.user'],
      ['a default that is not known', { defaults: { model: 'x' } }, 'defaults.model'],
      ['metadata that is no text', { defaults: { metadata: { a: 1 } } }, 'defaults.metadata.a'],
    ] as const) {
      it(`refuse ${what}`, async () => status(400, param)(await put(body)));
    }

    it('take back all that they are read with', async () => {
      const read = await get();
      status(200)(await put(read));
      assert.deepEqual({ ...(await get()), last_updated_at: 0 }, { ...read, last_updated_at: 0 });
    });

    it('say which toggles there are', async () =>
      assert.match((await put({ security_settings: { membersFly: true } })).text, /organisationAdminsViewLogMetadata/));

    it('keep the toggles that are not named', async () => {
      status(200)(await put({ security_settings: { membersViewLogs: false } }));
      status(200)(await put({ security_settings: { managersViewLogs: false } }));
      const toggles = asObject((await get()).security_settings);
      assert.deepEqual(
        [toggles?.membersViewLogs, toggles?.managersViewLogs, toggles?.membersViewPrompts],
        [false, false, true],
      );
      assert.equal(Object.keys(toggles ?? {}).length, 35);
    });

    it('keep the longest session, and let go of it', async () => {
      status(200)(await put({ session_settings: { max_session_ttl: 900 } }));
      assert.deepEqual((await get()).session_settings, { max_session_ttl: 900 });
      status(200)(await put({ session_settings: { max_session_ttl: null } }));
      assert.deepEqual((await get()).session_settings, { max_session_ttl: null });
    });

    it('block inline configs under either name', async () => {
      status(200)(await put({ data_plane_security_settings: { block_inline_config: true } }));
      assert.equal((await get()).block_inline_config, true);
      status(200)(await put({ block_inline_config: false }));
      assert.deepEqual((await get()).data_plane_security_settings, { block_inline_config: false });
    });

    it('are refused where two of them say different things, whichever a client has changed', async () => {
      for (const body of [
        { block_inline_config: true, data_plane_security_settings: { block_inline_config: false } },
        { user_api_key_ttl: 60, settings: { user_api_key_ttl: 120 } },
      ])
        status(400)(await put(body));
      const read = await get();
      status(200)(await put({ block_inline_config: read.block_inline_config, data_plane_security_settings: {} }));
      status(200)(await put(read));
    });

    it('are refused where they would do nothing', async () => {
      for (const [body, param] of [
        [{ auth_settings: { session_settings: { max_session_ttl: 900 } } }, 'auth_settings.session_settings'],
        [{ session_settings: { ttl: 900 } }, 'session_settings.ttl'],
        [{ metadata_schemas: { users: { type: 'object' } } }, 'metadata_schemas.users'],
      ] as const)
        status(400, param)(await put(body));
    });

    it('keep a schema until it is set to null', async () => {
      const api_key = { type: 'object', required: ['team'], properties: { team: { type: 'string' } } };
      status(200)(await put({ metadata_schemas: { api_key } }));
      assert.deepEqual((await get()).metadata_schemas, { api_key, workspace: null });
      status(200)(await put({ metadata_schemas: { api_key: null } }));
      assert.deepEqual((await get()).metadata_schemas, { api_key: null, workspace: null });
    });

    it('are for organisation_settings to read and update', async () => {
      const as = (scope: string) => ({ as: { scopes: [scope] } });
      for (const path of ['/v1/organisation', '/v1/organisation/defaults']) {
        status(403)(await control().call('GET', path, as('organisation_settings.update')));
        status(200)(await control().call('GET', path, as('organisation_settings.read')));
        status(403)(await control().call('PUT', path, { ...as('organisation_settings.read'), body: {} }));
        status(200)(await control().call('PUT', path, { ...as('organisation_settings.update'), body: {} }));
      }
    });
  });

  describe('the defaults of an organisation', () => {
    it('are read and written by themselves', async () => {
      await control().ok('PUT', '/v2/admin/organisation/defaults', { body: { metadata: { site: 'x' } } });
      await control().ok('PUT', '/v2/admin/organisation/defaults', { body: { input_guardrails: [] } });
      assert.deepEqual(await control().ok('GET', '/v2/admin/organisation/defaults'), {
        metadata: { site: 'x' },
        config_id: null,
        input_guardrails: [],
        output_guardrails: [],
      });
    });

    for (const [what, body, param] of [
      ['a guardrail without a name', { input_guardrails: [{}] }, 'defaults.input_guardrails[0]'],
      ['a member that they do not have', { guardrails: [] }, 'guardrails'],
    ] as const) {
      it(`refuse ${what}`, async () =>
        status(400, param)(await control().call('PUT', '/v1/organisation/defaults', { body: { ...body } })));
    }
  });

  describe('e-mail domains', () => {
    it('start unproven, with the record that proves them', async () => {
      status(200)(await put({ auth_settings: { domains: [{ domain: 'Example.COM', allow_subdomains: true }] } }));
      const [entry] = asObjects(asObject((await get()).auth_settings)?.domains);
      assert.deepEqual([entry?.domain, entry?.verified, entry?.allow_subdomains], ['example.com', false, true]);
      const proof = asObject(entry?.verification);
      assert.equal(proof?.name, '_portcullis.example.com');
      assert.match(String(proof?.value), /^portcullis-verification=[0-9A-Za-z]{32}$/);
      status(200)(await put({ auth_settings: { domains: [{ domain: 'example.com', verified: true }] } }));
      const [after] = asObjects(asObject((await get()).auth_settings)?.domains);
      assert.deepEqual([after?.verified, asObject(after?.verification)?.value], [false, proof?.value]);
    });

    it('are proven one at a time, and only those that are listed', async () =>
      status(404, 'domain')(await control().call('POST', '/v1/organisation/domains/other.example/verify')));
  });

  describe('founding another organisation', () => {
    it('makes it with a workspace and its founder as owner', async () => {
      const as = await founder();
      const { id, slug, default_workspace, owner } = await control().ok('POST', '/v1/admin/organisations', {
        as,
        body: { name: 'Acme', slug: 'acme' },
      });
      assert.equal(slug, 'acme');
      const there = { as: { organisationId: String(id) } };
      const { data } = await control().ok('GET', '/v1/workspaces', there);
      assert.deepEqual(
        (data as JsonObject[]).map((one) => [one.id, one.is_default]),
        [[asObject(default_workspace)?.id, 1]],
      );
      const people = asObjects((await control().ok('GET', '/v1/users', there)).data);
      assert.deepEqual(
        people.map((one) => [one.id, one.role]),
        [[asObject(owner)?.id, 'owner']],
      );
      assert.equal(heard(control(), 'organisations.created').at(-1)?.id, id);
    });

    it('is for owners alone', async () => {
      const { userId } = await founder();
      const body = { name: 'Acme' };
      status(403)(await control().call('POST', '/v1/organisations', { body }));
      const as = person({ userId: userId ?? '', organisationRole: 'admin' });
      status(403)(await control().call('POST', '/v1/organisations', { body, as }));
    });

    it('refuses a slug that is taken', async () => {
      const as = await founder();
      await control().ok('POST', '/v1/organisations', { as, body: { name: 'One', slug: 'one' } });
      status(409)(await control().call('POST', '/v1/organisations', { as, body: { name: 'Two', slug: 'one' } }));
    });
  });
});

describe('an operator who has switched the founding of organisations off', () => {
  it('keeps owners from it', async (t) => {
    const control = await startControl(t, { plugins: ['tenancy'], env: { DISABLE_ORG_CREATION: 'ON' } });
    const { id } = await makeUser(control);
    const as = person({ userId: String(id), organisationRole: 'owner' });
    status(403)(await control.call('POST', '/v1/organisations', { as, body: { name: 'Acme' } }));
  });
});
