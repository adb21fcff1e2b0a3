import type { createGateway } from '../../core/gateway.ts';
import type { Log } from '../contracts/host.ts';
import type { JsonObject } from '../json.ts';

type GatewayConfig = Parameters<typeof createGateway>[0];

/** Noon of the fixtures' world: 2026-01-01T00:00:00Z. */
export const testTimeMs = 1_767_225_600_000;

/** Numbers for names: 32 hex digits that count from 1. `restart` begins anew. */
export function countingIds(): { readonly newId: () => string; readonly restart: () => void } {
  let count = 0;
  return {
    newId: () => {
      count += 1;
      return count.toString(16).padStart(32, '0');
    },
    restart: () => {
      count = 0;
    },
  };
}

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A whole config on a free port, with short deadlines and no keys; 127.0.0.1 is trusted, and the hosts named. */
export function testConfig(
  configs: Readonly<Record<string, JsonObject>>,
  defaultConfig: string,
  folders: readonly string[] = [],
  trustedHosts: readonly string[] = [],
): GatewayConfig {
  return {
    server: {
      host: '127.0.0.1',
      port: 0,
      bodyLimit: 33_554_432,
      drainTimeoutMs: 1000,
      headerVendors: ['gw'],
      cors: { enabled: false, origins: [] },
      trustedHosts: ['127.0.0.1', ...trustedHosts],
      timeouts: { connectMs: 5000, firstByteMs: 10_000, gapMs: 10_000, totalMs: 20_000 },
      maxReplyBytes: 134_217_728,
      customHostMaxReplyBytes: 33_554_432,
    },
    caps: { root: 100, conditionalRoot: 1000, nested: 50 },
    log: { level: 'silent' },
    pluginFolders: folders.map((path) => ({ path, trust: 'trusted', requireSignature: false })),
    signingKeys: [],
    phases: {},
    providers: {},
    configs,
    defaultConfig,
    keys: [],
    // Recordings tell what a provider makes of a request, not what the gateway adds for its own counts.
    ledger: { askUsage: false, onDisconnect: 'count' },
  };
}
