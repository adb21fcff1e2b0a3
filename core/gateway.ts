import cluster from 'node:cluster';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type Koa from 'koa';
import { GatewayError, type Log } from 'portcullis/sdk';
import { affinityWithoutStore } from './affinity/without-store.ts';
import { createBatches } from './batches/batches.ts';
import { readEnvironment } from './config/env.ts';
import type { GatewayConfig } from './config/gateway-config.ts';
import type { ControlPlane } from './control/control.ts';
import { type ExplainReport, type ExplainRequest, explainRequest } from './explain.ts';
import { createApp } from './http/app.ts';
import type { Lease } from './http/handle.ts';
import { isLoopback } from './http/local-callers.ts';
import { createCounters } from './limits/counters.ts';
import { redisOptions } from './limits/redis-options.ts';
import { createLog } from './log.ts';
import { createLogs } from './logs/logs.ts';
import { noLogStore, noLogs } from './logs/no-logs.ts';
import { newId } from './new-id.ts';
import type { Runtime } from './pipeline/runtime.ts';
import { serveUpgrades, type Upgrades, upgradeRule } from './realtime/upgrades.ts';
import { openRecords, type RecordsSource } from './records-source.ts';
import { openSharedRedis } from './redis/plugin-redis.ts';
import { createBreakers } from './routing/breaker.ts';
import { createRuntime, type RuntimeParts } from './runtime.ts';
import { createSandbox } from './sandbox/sandbox.ts';
import { registerCoreGauges } from './telemetry/core-gauges.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { metricsAccessOf } from './telemetry/metrics-route.ts';
import { storePools } from './telemetry/store-pools.ts';

/** What tests and embedders put in the place of clock, chance, environment and names. */
export interface GatewayOverrides {
  readonly now?: () => number;
  readonly newId?: () => string;
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly log?: Log;
  readonly env?: (name: string) => string | undefined;
  /** Name resolution for everything that the gateway calls. */
  readonly resolve?: RuntimeParts['resolve'];
  readonly directory?: RuntimeParts['directory'];
  readonly keysIssued?: RuntimeParts['keysIssued'];
}

export interface Gateway {
  readonly app: Koa;
  /** What serves now. */
  readonly runtime: Runtime;
  /** The control plane of this process; undefined: it has none. */
  readonly control: ControlPlane | undefined;
  /** Opens the port; on loopback only without any API key. */
  listen(): Promise<{ readonly url: string; readonly host: string; readonly port: number }>;
  /**
   * Swaps the config; requests in flight finish on the old one.
   * @throws GatewayError when the new one is at fault: then nothing changes
   */
  reload(config: GatewayConfig): Promise<void>;
  /** Says what would happen to a request, without sending anything. */
  explain(request: ExplainRequest): Promise<ExplainReport>;
  /** Stops taking requests, lets those in flight finish for `drainTimeoutMs`, then frees everything. */
  close(): Promise<void>;
}

interface Held {
  readonly runtime: Runtime;
  leases: number;
  retired: boolean;
}

/** The one composition root. */
export async function createGateway(config: GatewayConfig, overrides: GatewayOverrides = {}): Promise<Gateway> {
  const log = overrides.log ?? createLog(config.log.level);
  const now = overrides.now ?? Date.now;
  const metrics = createMetrics();
  const logs = config.logs === undefined ? undefined : await createLogs(config.logs, { now: Date.now, log, metrics });
  const redis = config.redisUrl === undefined ? undefined : openSharedRedis(config.redisUrl, log);
  const basics: Omit<RuntimeParts, 'counters' | 'affinity' | 'batches'> = {
    now,
    newId: overrides.newId ?? newId,
    random: overrides.random ?? Math.random,
    sleep: overrides.sleep ?? ((ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal })),
    log,
    env: overrides.env ?? readEnvironment().lookup,
    resolve: overrides.resolve,
    directory: overrides.directory,
    keysIssued: overrides.keysIssued,
    breakers: createBreakers(now),
    metrics,
    logs: logs?.sinks ?? noLogs,
    redis,
    // Its deadlines are those of the machine, whatever the clock of the gateway says.
    sandbox: createSandbox({ log, now: Date.now }),
  };
  const release = async (): Promise<void> => {
    await basics.sandbox.close();
    await logs?.close();
    await redis?.close();
  };
  /** A start that fails leaves nothing open behind it. */
  const releasing = async (error: unknown): Promise<never> => {
    await release();
    throw error;
  };
  const logStore = logs?.store ?? noLogStore;
  const records = await openRecords(
    config,
    { ...basics, logStore },
    { runtime: () => current.runtime, acquire: () => acquire() },
  ).catch(releasing);
  const counters = records?.counters ?? createCounters({ now, log, metrics, ...redisOptions(config) });
  const affinity = records?.affinity ?? affinityWithoutStore(basics);
  const batches = createBatches({ ...basics, records: records?.batches, acquire: () => acquire() });
  const parts: RuntimeParts = { ...basics, ...recordsOf(records), counters, affinity, batches };
  const runtime = await firstRuntime(config, parts, records).catch(async (error: unknown) => {
    await Promise.all([counters.close(), affinity.close()]);
    return releasing(error);
  });
  let current: Held = { runtime, leases: 0, retired: false };
  const inference = config.control?.inference ?? true;
  let accepting = true;
  let server: Server | undefined;
  let upgrades: Upgrades | undefined;
  const sockets = new Set<Socket>();
  let boundToLoopback = false;

  const acquire = (): Lease => {
    const held = current;
    held.leases += 1;
    return {
      runtime: held.runtime,
      release: () => {
        held.leases -= 1;
        if (held.retired && held.leases === 0) void dispose(held.runtime);
      },
    };
  };
  registerCoreGauges(metrics, {
    inFlight: () => current.leases,
    breakers: basics.breakers.counts,
    sandbox: () => basics.sandbox.state,
    ...(records?.control === undefined ? {} : { store: storesOf(records.control) }),
  });
  const app = createApp({
    acquire,
    newId: parts.newId,
    accepting: () => accepting,
    runtime: () => current.runtime,
    control: records?.control,
    inference,
    metrics: {
      access: metricsAccessOf(config.metrics ?? {}),
      text: cluster.isWorker ? (await import('./telemetry/worker-metrics.ts')).textOfAllWorkers(metrics) : metrics.text,
      contentType: metrics.contentType,
    },
  });

  return {
    app,
    get runtime() {
      return current.runtime;
    },
    control: records?.control,
    async listen() {
      const { host, port } = current.runtime.config.server;
      const { open } = current.runtime;
      boundToLoopback = open && !isLoopback(host);
      const address = open ? (isLoopback(host) ? host : '127.0.0.1') : host;
      if (open)
        parts.log.warn('no_api_keys', {
          listening: 'loopback only',
          ignored_host: host !== undefined && boundToLoopback ? host : null,
        });
      // Files of a gigabyte take their time.
      const patience = { keepAliveTimeout: 65_000, headersTimeout: 60_000, requestTimeout: 3_600_000 };
      server = createServer({ ...patience, ...upgradeRule(inference) }, app.callback());
      if (inference) upgrades = serveUpgrades(server, { acquire, newId: parts.newId, accepting: () => accepting });
      server.on('connection', (socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
      });
      await opened(server, port, address);
      const bound = server.address() as AddressInfo;
      const shown = bound.address.includes(':') ? `[${bound.address}]` : bound.address;
      return {
        url: `http://${shown === '[::]' ? 'localhost' : shown}:${bound.port}`,
        host: bound.address,
        port: bound.port,
      };
    },
    async reload(next) {
      const runtime = await createRuntime(next, parts);
      if (server !== undefined && runtime.open && !current.runtime.open) {
        await dispose(runtime);
        throw new GatewayError(
          'invalid_config',
          'The new config has no API keys, but the gateway is reachable from outside: restart it to do that.',
          { param: 'keys' },
        );
      }
      const before = restartOnly(current.runtime.config);
      for (const [setting, value] of Object.entries(restartOnly(next))) {
        if (server !== undefined && before[setting] !== value) parts.log.warn('restart_needed', { setting });
      }
      if (server !== undefined && current.runtime.open && !runtime.open) {
        // It was opened on loopback, because anyone could call.
        parts.log.warn('restart_needed', { setting: 'keys' });
      }
      const old = current;
      current = { runtime, leases: 0, retired: false };
      old.retired = true;
      if (old.leases === 0) await dispose(old.runtime);
    },
    explain: (request) => explainRequest(current.runtime, request, parts.newId),
    async close() {
      accepting = false;
      const { drainTimeoutMs: ms } = current.runtime.config.server;
      await Promise.all([upgrades?.close(ms), server === undefined ? undefined : drained(server, sockets, ms)]);
      await batches.close();
      await dispose(current.runtime);
      await Promise.all([counters.close(), affinity.close()]);
      await records?.close();
      await release();
    },
  };
}

function recordsOf(records: RecordsSource | undefined): Partial<RuntimeParts> {
  if (records === undefined) return {};
  const { directory, checksum, keysIssued, report } = records;
  return { directory, checksum, keysIssued, report };
}

function storesOf({ store }: ControlPlane): () => ReturnType<typeof storePools> {
  return () => storePools(store);
}

/** A config at fault must not leave the store open behind it. */
async function firstRuntime(
  config: GatewayConfig,
  parts: RuntimeParts,
  records: RecordsSource | undefined,
): Promise<Runtime> {
  try {
    return await createRuntime(config, parts);
  } catch (error) {
    await records?.close();
    throw error;
  }
}

async function dispose(runtime: Runtime): Promise<void> {
  await runtime.pipeline.close();
  await runtime.upstream.close();
}

function opened(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'it is in use' : (cause.code ?? 'the system refuses it');
      reject(
        new GatewayError('invalid_config', `Port ${port} cannot be opened: ${why}.`, { param: 'server.port', cause }),
      );
    };
    server.once('error', refused);
    server.listen(port, host, () => {
      server.off('error', refused);
      resolve();
    });
  });
}

/** Settings that are read once: a reload keeps the old value, and says so. */
function restartOnly({ server, log }: GatewayConfig): Readonly<Record<string, string | number | undefined>> {
  return {
    'server.host': server.host,
    'server.port': server.port,
    'server.workers': server.workers,
    'log.level': log.level,
  };
}

function drained(server: Server, sockets: ReadonlySet<Socket>, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), limitMs);
    // A connection that was busy when the close began is idle, and kept alive, once its reply is out.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(force);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
    // One that has never asked anything does not count as idle for Node.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  });
}
