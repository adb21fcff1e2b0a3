import { GatewayError } from 'portcullis/sdk';
import standardPlugins from '../control/default.json' with { type: 'json' };
import type { ControlSettings, RemoteSettings } from '../control/settings.ts';
import { mailSettingsOf } from '../mail/settings.ts';
import { keyMaterialOf } from '../secrets/key-material.ts';
import { storeOptionsOf } from '../store/options.ts';
import { type Environment, environmentTable } from './env.ts';

/** Where the records of this process come from: a control plane of its own, one elsewhere, or nowhere. */
export function recordsSettings(
  environment: Environment,
  plugins: readonly string[] | undefined,
): { readonly control?: ControlSettings; readonly remote?: RemoteSettings } {
  const mode = environment.SERVER_MODE ?? (environmentTable.SERVER_MODE.default as string);
  if (mode === 'gateway') return remoteSettings(environment);
  if (environment.CONTROL_PLANE_URL !== undefined) {
    throw new GatewayError(
      'invalid_config',
      `CONTROL_PLANE_URL is for a gateway without a control plane of its own: set SERVER_MODE=gateway, or leave it out.`,
      { param: 'CONTROL_PLANE_URL' },
    );
  }
  return { control: controlSettings(environment, plugins, mode === 'all') };
}

function remoteSettings(environment: Environment): { readonly remote?: RemoteSettings } {
  const { CONTROL_PLANE_URL: url, SERVICE_TOKEN: token } = environment;
  if (url === undefined) return {};
  if (token === undefined) {
    throw new GatewayError(
      'invalid_config',
      'CONTROL_PLANE_URL needs SERVICE_TOKEN beside it: the secret that the control plane was given too.',
      { param: 'SERVICE_TOKEN' },
    );
  }
  return {
    remote: {
      url,
      token,
      insecure: environment.CONTROL_PLANE_INSECURE ?? false,
      pollMs: environment.DIRECTORY_POLL_MS ?? (environmentTable.DIRECTORY_POLL_MS.default as number),
      ...(environment.REDIS_URL === undefined ? {} : { redisUrl: environment.REDIS_URL }),
    },
  };
}

function controlSettings(
  environment: Environment,
  plugins: readonly string[] | undefined,
  inference: boolean,
): ControlSettings {
  const { PUBLIC_URL, REDIS_URL, SERVICE_TOKEN } = environment;
  const mail = mailSettingsOf(environment);
  return {
    plugins: plugins ?? standardPlugins,
    store: storeOptionsOf(environment),
    keyMaterial: keyMaterialOf(environment),
    migrateOnStart: environment.MIGRATE_ON_START ?? true,
    timestamps: environment.ADMIN_TIMESTAMPS ?? 'unix',
    pollMs: environment.DIRECTORY_POLL_MS ?? (environmentTable.DIRECTORY_POLL_MS.default as number),
    runsJobs: environment.JOBS_ENABLED ?? true,
    inference,
    ...(mail === undefined ? {} : { mail }),
    ...(PUBLIC_URL === undefined ? {} : { publicUrl: PUBLIC_URL.replace(/\/+$/, '') }),
    ...(REDIS_URL === undefined ? {} : { redisUrl: REDIS_URL }),
    ...(SERVICE_TOKEN === undefined ? {} : { serviceToken: SERVICE_TOKEN }),
  };
}
