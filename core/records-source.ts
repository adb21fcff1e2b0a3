import { type Directory, GatewayError, type LogStore } from 'portcullis/sdk';
import { type Affinity, createAffinity } from './affinity/affinity.ts';
import { httpAffinitySource } from './affinity/http-source.ts';
import type { BatchRecords } from './batches/records.ts';
import type { GatewayConfig } from './config/gateway-config.ts';
import type { ControlPlane } from './control/control.ts';
import { providerSummaries } from './control/provider-summaries.ts';
import { controlPlaneUrl } from './directory/control-plane-url.ts';
import { createDirectory } from './directory/directory.ts';
import { createHttpSource } from './directory/http-source.ts';
import { createCounters, type LiveCounters } from './limits/counters.ts';
import { httpCounterSource } from './limits/http-source.ts';
import { redisOptions } from './limits/redis-options.ts';
import { loadUnits } from './loader/load.ts';
import { type HeldRuntime, inferAs } from './pipeline/own-request.ts';
import { tryProvider } from './pipeline/provider-trial.ts';
import { type RuntimeParts, upstreamOf, urlGuardOf } from './runtime.ts';

/** What the records need of the process. */
export type RecordsParts = Omit<RuntimeParts, 'counters' | 'affinity' | 'batches'> & { readonly logStore: LogStore };

/** The state of the gateway that serves now. */
export interface Serving {
  runtime(): HeldRuntime['runtime'];
  acquire(): HeldRuntime;
}

/** Where the data plane finds its records. */
export interface RecordsSource {
  readonly directory: Directory;
  readonly checksum: (text: string) => string | undefined;
  readonly keysIssued: () => boolean;
  /** Absent: the audit log is elsewhere. */
  readonly report?: RuntimeParts['report'];
  /** Counts that outlive this process. */
  readonly counters: LiveCounters;
  /** Which target made what, known to all processes. To be closed before the records are. */
  readonly affinity: Affinity;
  /** Batches that outlive this process; absent: they are kept in its memory. */
  readonly batches?: BatchRecords;
  /** Where it is in this process. */
  readonly control: ControlPlane | undefined;
  close(): Promise<void>;
}

/**
 * Starts the control plane of this process, or connects to the one elsewhere; undefined: neither is set.
 * @param serving what serves now: asked for at requests, not before
 */
export async function openRecords(
  config: GatewayConfig,
  parts: RecordsParts,
  serving: Serving,
): Promise<RecordsSource | undefined> {
  if (config.control !== undefined) return ownControl(config, config.control, parts, serving);
  if (config.remote === undefined) return undefined;
  const { url, token, insecure, pollMs, redisUrl } = config.remote;
  const access = {
    url: controlPlaneUrl(url, insecure),
    serviceToken: token,
    headerVendor: config.server.headerVendors[0] ?? 'gw',
  };
  const source = createHttpSource(access);
  const counts = httpCounterSource(access);
  const made = httpAffinitySource(access);
  const directory = createDirectory(source, {
    now: parts.now,
    log: parts.log,
    pollMs,
    ...(redisUrl === undefined ? {} : { redisUrl }),
  });
  return {
    directory,
    checksum: (text) => source.checksum(text),
    keysIssued: planesApart,
    counters: createCounters({
      now: parts.now,
      log: parts.log,
      metrics: parts.metrics,
      source: counts,
      ...redisOptions(config),
    }),
    affinity: createAffinity({ now: parts.now, log: parts.log, source: made }),
    control: undefined,
    close: async () => {
      await directory.close();
      await counts.close();
      await made.close();
    },
  };
}

async function ownControl(
  config: GatewayConfig,
  settings: NonNullable<GatewayConfig['control']>,
  parts: RecordsParts,
  { runtime, acquire }: Serving,
): Promise<RecordsSource> {
  const units = await loadUnits(config);
  const upstream = upstreamOf(config, parts);
  const guard = urlGuardOf(config, parts);
  const summaries = providerSummaries(units);
  // Stores, mail and their libraries are a third of what a gateway loads: only where they are needed.
  const { createControl } = await import('./control/control.ts');
  const control = await createControl(settings, {
    now: parts.now,
    newId: parts.newId,
    log: parts.log,
    env: parts.env,
    plugins: units.plugins,
    bodyLimit: Math.min(config.server.bodyLimit, mostControlBytes),
    headerVendor: config.server.headerVendors[0] ?? 'gw',
    send: (url, request) => upstream.fetch(url, request),
    checkUrl: async (url, param) => {
      guard.checkText(url, param);
      await guard.check(url, param).catch(unlessUnknown);
    },
    providers: () => summaries,
    checks: () => runtime().checks,
    metrics: parts.metrics,
    redisOptions: redisOptions(config),
    logs: { ...parts.logs, ...parts.logStore },
    price: (question) => runtime().pipeline.price(question),
    infer: settings.inference
      ? (request, principal) => inferAs(acquire(), request, principal, parts.newId())
      : undefined,
    tryProvider: (trial) => tryProvider(acquire(), trial, parts),
    checkConfig: (routing) => runtime().plans.check(routing),
  });
  return {
    directory: control.directory,
    checksum: control.checksum,
    report: control.report,
    counters: control.counters,
    affinity: control.affinity,
    batches: control.batches,
    keysIssued: settings.inference && (config.server.workers ?? 1) === 1 ? control.keysIssued : planesApart,
    control,
    close: async () => {
      await control.close();
      await upstream.close();
    },
  };
}

/** Whoever runs the planes apart, or several workers, has a deployment, where nobody is anonymous. */
const planesApart = () => true;

/** Records are small; prompts of requests to models are not. */
const mostControlBytes = 8 * 1024 * 1024;

/** A name that has no address now may have one later, and is judged again at each connection. */
function unlessUnknown(error: unknown): void {
  if (GatewayError.is(error) && error.code !== 'url_blocked') return;
  throw error;
}
