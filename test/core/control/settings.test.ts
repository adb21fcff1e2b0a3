import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError, type JsonObject } from 'portcullis/sdk';
import { recordsSettings } from '../../../core/config/control-settings.ts';
import { readEnvironment } from '../../../core/config/env.ts';
import { startControl, testKeyMaterial } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

const plugins = ['audit-log', 'tenancy'];
const key = Buffer.alloc(32, 1).toString('base64');

describe('the settings of the control plane', () => {
  it('come from the environment', () => {
    const { control } = recordsSettings(
      readEnvironment({
        PORTCULLIS_ENCRYPTION_KEY: key,
        MIGRATE_ON_START: 'off',
        ADMIN_TIMESTAMPS: 'iso',
        JOBS_ENABLED: 'false',
        PUBLIC_URL: 'https://gateway.example.com/',
        SERVER_MODE: 'control',
      }),
      undefined,
    );
    assert.deepEqual(
      [control?.migrateOnStart, control?.timestamps, control?.runsJobs, control?.publicUrl, control?.inference],
      [false, 'iso', false, 'https://gateway.example.com', false],
    );
  });

  it('are none for a gateway without records, and name what a remote one lacks', () => {
    assert.deepEqual(recordsSettings(readEnvironment({ SERVER_MODE: 'gateway' }), undefined), {});
    for (const [values, param] of [
      [{ SERVER_MODE: 'gateway', CONTROL_PLANE_URL: 'https://control.example.com' }, 'SERVICE_TOKEN'],
      [{ PORTCULLIS_ENCRYPTION_KEY: key, CONTROL_PLANE_URL: 'https://control.example.com' }, 'CONTROL_PLANE_URL'],
    ] as const) {
      assert.throws(
        () => recordsSettings(readEnvironment(values), undefined),
        (error) => GatewayError.is(error) && error.param === param,
      );
    }
  });

  it('write moments as ISO 8601 where that is asked for', async (t) => {
    const control = await startControl(t, { plugins, settings: { timestamps: 'iso' } });
    const { data } = await control.ok('GET', '/v1/workspaces');
    assert.match(String((data as JsonObject[])[0]?.created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});

onEachStore((_, __, fresh) => {
  it('refuses to start on an empty database where it may not migrate, and starts once that is done', async (t) => {
    const store = await fresh();
    const keyMaterial = testKeyMaterial();
    const start = () => startControl(t, { plugins, store, keyMaterial, settings: { migrateOnStart: false } });
    await assert.rejects(start(), { code: 'invalid_config', message: /portcullis migrate/ });
    // What is in memory is gone with the first.
    if (store.kind === 'sqlite' && store.file === ':memory:') return;
    await startControl(t, { plugins, store, keyMaterial });
    await start();
  });
});
