import type Router from '@koa/router';
import type {
  AuditEvent,
  Checks,
  ControlHost,
  Db,
  FetchReply,
  FetchRequest,
  JsonObject,
  Log,
  LogSinks,
  LogStore,
  Metrics,
  ProviderSummary,
  Records,
} from 'portcullis/sdk';
import { affinityActions } from '../affinity/actions.ts';
import { type Affinity, createAffinity } from '../affinity/affinity.ts';
import { expiredAffinityJob, sqlAffinitySource } from '../affinity/sql-source.ts';
import type { BatchRecords } from '../batches/records.ts';
import { oldBatchesJob, sqlBatchRecords } from '../batches/sql-records.ts';
import { directoryActions } from '../directory/actions.ts';
import { createDirectory, type LiveDirectory } from '../directory/directory.ts';
import { type LoadingParts, loadingFrom } from '../directory/loading.ts';
import { createStoreSource } from '../directory/store-source.ts';
import { bumpVersion } from '../directory/versions.ts';
import { counterActions } from '../limits/actions.ts';
import { createCounters, type LiveCounters } from '../limits/counters.ts';
import { endedCountsJob } from '../limits/ended-counts.ts';
import type { RedisOptions } from '../limits/redis-options.ts';
import { sqlCounterSource } from '../limits/sql-source.ts';
import type { PluginEntry } from '../loader/load.ts';
import type { Registry } from '../loader/registry.ts';
import { namedLog } from '../log.ts';
import { createMailer } from '../mail/mailer.ts';
import { createOutbox, mailJob } from '../mail/outbox.ts';
import type { Endpoint } from '../resources/endpoints.ts';
import { type Jobs, startJobs } from '../resources/jobs.ts';
import { openApiDocument } from '../resources/openapi.ts';
import type { OperationParts } from '../resources/operation.ts';
import { recordsOf } from '../resources/records.ts';
import type { ServeParts } from '../resources/serve.ts';
import { openVault } from '../secrets/vault.ts';
import { isUniqueViolation } from '../store/failures.ts';
import { openStore, type Store } from '../store/store.ts';
import { type ControlCapabilities, createControlHost } from './control-host.ts';
import { routerOf, serviceCheck } from './control-router.ts';
import { bootstrapAgain, firstStart } from './first-start.ts';
import { coreTables, issuedKeys } from './issued-keys.ts';
import { bringUpToDate, controlMigrations } from './migrations.ts';
import { type ControlUnit, controlEntries, modelsOf, reactionsOf, routeTable, setupControl } from './plugins.ts';
import { reporter } from './reports.ts';
import type { ControlSettings } from './settings.ts';

/** What the control plane needs of the process that it runs in. */
export interface ControlParts {
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
  readonly env: (name: string) => string | undefined;
  readonly plugins: Registry<PluginEntry>;
  readonly bodyLimit: number;
  readonly headerVendor: string;
  /** Through the URL guard of the upstream. */
  readonly send: (url: URL, request: FetchRequest) => Promise<FetchReply>;
  readonly checkUrl: (url: string, param: string) => Promise<void>;
  readonly providers: () => readonly ProviderSummary[];
  readonly checks: () => Checks;
  readonly metrics: Metrics;
  readonly redisOptions: RedisOptions;
  readonly logs: LogStore & LogSinks;
  readonly price: ControlHost['price'];
  readonly infer: ControlCapabilities['infer'];
  readonly tryProvider: ControlHost['tryProvider'];
  readonly checkConfig: ControlHost['checkConfig'];
}

/** How the edge finds out who calls. */
export interface ControlEdge {
  readonly identify: ServeParts['identify'];
  readonly anonymous: ServeParts['anonymous'];
}

export interface ControlPlane {
  readonly directory: LiveDirectory;
  readonly endpoints: readonly Endpoint[];
  readonly store: Store;
  readonly jobs: Jobs;
  readonly counters: LiveCounters;
  readonly affinity: Affinity;
  readonly batches: BatchRecords;
  readonly checksum: (text: string) => string;
  /** Writes an audit entry in the background. */
  readonly report: (event: AuditEvent) => void;
  /** What the operator is shown once, at the very first start. */
  readonly welcome: readonly string[];
  /**
   * Makes what the plugin made at the first start once more, for the first organisation: a new admin key when all are lost.
   * @returns the lines for the operator
   */
  startAgain(plugin: string): Promise<readonly string[]>;
  /** Whether any key of a workspace has been issued: until then anyone on this machine may call. */
  keysIssued(): boolean;
  routes(edge: ControlEdge): Router;
  openApi(publicUrl: string): JsonObject;
  close(): Promise<void>;
}

/** Opens the store, brings it up to date, sets up the plugins and starts their jobs. */
export async function createControl(settings: ControlSettings, parts: ControlParts): Promise<ControlPlane> {
  const { log, now, newId } = parts;
  const entries = controlEntries(settings.plugins, parts.plugins);
  const store = await openStore(settings.store, log);
  const opened: (() => Promise<void> | void)[] = [() => store.close()];
  try {
    await bringUpToDate(store, controlMigrations(parts.plugins.units), settings.migrateOnStart, log);
    const vault = await openVault(store, settings.keyMaterial, log);
    opened.unshift(() => vault.close());
    const { seal, unseal } = vault;
    const mailer = createMailer(settings.mail, log);
    const outbox = createOutbox({ store, mailer, seal, unseal, now, newId, log });
    opened.unshift(() => outbox.close());

    const state: { units: readonly ControlUnit[]; operations: OperationParts | undefined } = {
      units: [],
      operations: undefined,
    };
    const operationsNow = (): OperationParts => {
      if (state.operations === undefined) throw new TypeError('The control plane is not set up yet.');
      return state.operations;
    };
    const reading: LoadingParts = {
      vault,
      now,
      loaders: () => Object.assign({}, ...state.units.map(({ control }) => control.loaders ?? {})),
      knows: (name) => operationsNow().models.has(name),
      records: (db) => (name) => readingRecords(operationsNow(), db, name),
    };
    const source = createStoreSource({ store, ...reading });
    const directory = createDirectory(source, {
      now,
      log,
      pollMs: settings.pollMs,
      ...(settings.redisUrl === undefined ? {} : { redisUrl: settings.redisUrl }),
    });
    opened.unshift(() => directory.close());

    const counts = sqlCounterSource(store, now);
    const counters = createCounters({ now, log, metrics: parts.metrics, source: counts, ...parts.redisOptions });
    opened.unshift(() => counters.close());
    const made = sqlAffinitySource(store, now);
    const affinity = createAffinity({ now, log, source: made });
    opened.unshift(() => affinity.close());

    const capabilities: ControlCapabilities = {
      log: (plugin) => namedLog(log, plugin),
      now,
      newId,
      env: parts.env,
      publicUrl: settings.publicUrl ?? '',
      directory,
      store,
      get operations() {
        return operationsNow();
      },
      send: parts.send,
      mails: outbox.enabled,
      checkUrl: parts.checkUrl,
      providers: parts.providers,
      checks: parts.checks,
      counters,
      logs: parts.logs,
      price: parts.price,
      infer: parts.infer,
      tryProvider: parts.tryProvider,
      checkConfig: parts.checkConfig,
    };
    const units = await setupControl(entries, (manifest) => createControlHost(manifest, capabilities));
    state.units = units;
    for (const { control } of units) opened.unshift(() => control.close?.());
    const models = modelsOf(units);
    const tables = new Map(units.map(({ manifest }) => [manifest.name, new Set(manifest.tables ?? [])]));
    const issued = await issuedKeys(store);
    const sink = units.find(({ control }) => control.audit !== undefined)?.control;
    const operations: OperationParts = {
      models,
      reactions: reactionsOf(units, models, issued.reactions),
      loading: loadingFrom(reading),
      tablesOf: (plugin) => tables.get(plugin) ?? (plugin === 'core' ? coreTables : noTables),
      crypt: vault,
      timestamps: settings.timestamps,
      now,
      newId,
      log,
      isUniqueViolation,
      mails: outbox,
      audit: sink?.audit?.bind(sink),
      bumpVersion,
      announce: (organisationIds) => {
        for (const organisationId of organisationIds) directory.notify(organisationId);
      },
    };
    state.operations = operations;
    const welcome = await firstStart(units, { store, operations, newId, now });
    const endpoints = routeTable(units, models, [
      ...directoryActions({ source, checksumKey: vault.checksumKey }),
      ...counterActions(counts),
      ...affinityActions(made),
    ]);
    const planned = [
      ...units.flatMap(({ control }) => control.jobs ?? []),
      endedCountsJob(store, now),
      expiredAffinityJob(store, now),
      oldBatchesJob(store, now),
      mailJob(outbox),
    ];
    const jobs = startJobs(planned, { store, log, now, newId, scheduled: settings.runsJobs });
    opened.unshift(() => jobs.close());
    return {
      directory,
      endpoints,
      store,
      jobs,
      counters,
      affinity,
      batches: sqlBatchRecords(store),
      checksum: vault.checksum,
      report: reporter({ store, sink: operations.audit, log, now }),
      welcome,
      keysIssued: issued.any,
      startAgain: (plugin) => bootstrapAgain(units, plugin, { store, operations, newId, now }),
      routes: (edge) =>
        routerOf(endpoints, {
          ...operations,
          ...edge,
          store,
          bodyLimit: parts.bodyLimit,
          demandService: serviceCheck(settings),
        }),
      openApi: remembering((publicUrl) =>
        openApiDocument(endpoints, { version: '1.0.0', publicUrl, vendor: parts.headerVendor }),
      ),
      close: () => closeAll(opened, log),
    };
  } catch (error) {
    await closeAll(opened, log);
    throw error;
  }
}

const noTables: ReadonlySet<string> = new Set();

/** The last answer: anyone may ask for the document, again and again, and it never changes. */
function remembering(make: (publicUrl: string) => JsonObject): (publicUrl: string) => JsonObject {
  let last: { readonly publicUrl: string; readonly document: JsonObject } | undefined;
  return (publicUrl) => {
    if (last?.publicUrl !== publicUrl) last = { publicUrl, document: make(publicUrl) };
    return last.document;
  };
}

/** Records for reading alone, outside any operation. */
function readingRecords(operations: OperationParts, db: Db, name: string): Pick<Records, 'find' | 'list' | 'secrets'> {
  const model = operations.models.get(name);
  if (model === undefined) throw new TypeError(`There is no resource ${name}.`);
  return recordsOf(model, {
    db,
    now: operations.now(),
    newId: operations.newId,
    actorId: null,
    seal: operations.crypt.seal,
    unseal: operations.crypt.unseal,
    isUniqueViolation: operations.isUniqueViolation,
    emit: async () => {},
    changed: () => {},
  });
}

async function closeAll(opened: readonly (() => Promise<void> | void)[], log: Log): Promise<void> {
  for (const close of opened) {
    try {
      await close();
    } catch (error) {
      log.error('close_failed', { error: error instanceof Error ? error.message : 'not an error' });
    }
  }
}
