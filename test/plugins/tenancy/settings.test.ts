import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  effectiveSettings,
  GatewayError,
  overriddenSettings,
  settingsAfterSwitch,
  settingsInForce,
  standardToggles,
} from 'portcullis/sdk';

const organisation = (more: object = {}) => ({
  settings: { user_api_key_ttl: 3600, user_api_key_auto_create: true },
  security_settings: { membersViewLogs: false },
  ...more,
});
const open = (...sections: string[]) => ({
  overrides: Object.fromEntries(sections.map((section) => [section, true])),
});

describe('the settings in force', () => {
  it('are the standard ones where nothing is set', () =>
    assert.deepEqual(effectiveSettings({}), {
      blockInlineConfig: false,
      userApiKeyAutoCreate: false,
      userApiKeyTtl: undefined,
      userApiKeyMaxTtl: undefined,
      userApiKeyCount: -1,
      userApiKeyRotationPeriod: undefined,
      maxSessionTtl: undefined,
      maxCacheAge: undefined,
      requestLogging: 'full',
      security: standardToggles,
    }));

  it("are the organisation's in a workspace that sets none", () => {
    const { userApiKeyTtl, security } = effectiveSettings(organisation(), {});
    assert.equal(userApiKeyTtl, 3600);
    assert.equal(security.membersViewLogs, false);
  });

  it('are not those of a workspace while the override is off', () => {
    const { userApiKeyTtl, security, blockInlineConfig } = effectiveSettings(organisation(), {
      settings: { user_api_key_ttl: 60 },
      security_settings: { membersViewLogs: true },
      data_plane_security_settings: { block_inline_config: true },
    });
    assert.deepEqual([userApiKeyTtl, security.membersViewLogs, blockInlineConfig], [3600, false, false]);
  });

  for (const { section, workspace, read, expected } of [
    {
      section: 'user_api_key_settings',
      workspace: { settings: { user_api_key_ttl: 60 } },
      read: 'userApiKeyTtl',
      expected: 60,
    },
    {
      section: 'data_plane_security_settings',
      workspace: { data_plane_security_settings: { block_inline_config: true } },
      read: 'blockInlineConfig',
      expected: true,
    },
  ] as const) {
    it(`are the workspace's own where the override of ${section} is on`, () =>
      assert.equal(effectiveSettings(organisation(open(section)), workspace)[read], expected));
  }

  it('take a toggle of data visibility from a workspace under either override', () => {
    const workspace = { security_settings: { membersViewAllData: false, membersViewLogs: true } };
    const under = (...sections: string[]) => effectiveSettings(organisation(open(...sections)), workspace).security;
    assert.equal(under('data_visibility').membersViewAllData, false);
    assert.equal(under('data_visibility').membersViewLogs, false);
    assert.equal(under('security_settings').membersViewAllData, false);
    assert.equal(under('security_settings').membersViewLogs, true);
    assert.equal(under().membersViewAllData, true);
  });

  it('have a switch of their own for keys of the default workspace', () => {
    const both = organisation({ settings: { user_api_key_auto_create: true } });
    assert.equal(effectiveSettings(both, { is_default: 1 }).userApiKeyAutoCreate, false);
    assert.equal(effectiveSettings(both, { is_default: 0 }).userApiKeyAutoCreate, true);
    const settings = { default_workspace_user_api_key_auto_create: true };
    assert.equal(effectiveSettings({ settings }, { is_default: 1 }).userApiKeyAutoCreate, true);
    assert.equal(effectiveSettings({ settings }, { is_default: 0 }).userApiKeyAutoCreate, false);
  });

  it('leave out of a workspace what only organisations have', () => {
    assert.ok('default_workspace_user_api_key_auto_create' in settingsInForce({}).settings);
    assert.ok(!('default_workspace_user_api_key_auto_create' in settingsInForce({}, {}).settings));
  });

  it('leave out what is stored under a name that nobody knows', () =>
    assert.ok(!('membersFly' in settingsInForce({ security_settings: { membersFly: true } }).security_settings)));
});

describe('a change of a workspace', () => {
  const changed = (sections: readonly string[], changes: Parameters<typeof overriddenSettings>[2]) =>
    overriddenSettings(organisation(open(...sections)), {}, changes);

  it('is refused in a section that the organisation keeps, which is named', () => {
    for (const [field, changes, section] of [
      ['settings', { user_api_key_ttl: 60 }, 'user_api_key_settings'],
      ['settings', { debug_log: 0 }, 'log_settings'],
      ['security_settings', { managersUpdateWs: false }, 'security_settings'],
      ['security_settings', { membersViewAllData: false }, 'data_visibility'],
      ['data_plane_security_settings', { block_inline_config: true }, 'data_plane_security_settings'],
    ] as const) {
      assert.throws(
        () => changed([], { [field]: changes }),
        (error) => GatewayError.is(error) && error.code === 'forbidden' && error.param === section,
      );
    }
  });

  it('is none when it says what holds already', () =>
    assert.deepEqual(
      changed([], { settings: { user_api_key_ttl: 3600 }, security_settings: { membersViewLogs: false } }),
      {},
    ));

  it('is stored beside the values that the workspace had', () => {
    const workspace = { settings: { user_api_key_count: 3 } };
    assert.deepEqual(
      overriddenSettings(organisation(open('user_api_key_settings')), workspace, {
        settings: { user_api_key_ttl: 60 },
      }),
      { settings: { user_api_key_count: 3, user_api_key_ttl: 60 } },
    );
  });
});

describe('opening and closing a section', () => {
  it("copies the organisation's values down when it is not about security", () => {
    const own = settingsAfterSwitch(organisation(open('user_api_key_settings')), {}, organisation());
    assert.equal(own?.settings?.user_api_key_ttl, 3600);
    assert.equal(own?.settings?.user_api_key_auto_create, true);
    assert.equal(own?.settings?.debug_log, undefined);
  });

  it('lets security settings follow the organisation, whatever the workspace had before', () => {
    const workspace = { security_settings: { membersViewLogs: true, membersViewAllData: false } };
    const after = organisation(open('data_visibility'));
    assert.deepEqual(settingsAfterSwitch(after, workspace, organisation()), {
      security_settings: { membersViewLogs: true },
    });
  });

  it('forgets what the workspace had once the section is closed', () =>
    assert.deepEqual(
      settingsAfterSwitch(
        organisation(),
        { settings: { user_api_key_ttl: 60, debug_log: 1 } },
        organisation(open('user_api_key_settings')),
      ),
      { settings: { debug_log: 1 } },
    ));

  it('changes nothing where nothing is opened or closed', () =>
    assert.equal(settingsAfterSwitch(organisation(), { settings: { debug_log: 1 } }, organisation()), undefined));
});
