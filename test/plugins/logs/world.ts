import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allScopes, type JsonObject, type LogEntry, type LogRow, type LogSinks, type LogStore } from 'portcullis/sdk';
import standardPlugins from '../../../core/control/default.json' with { type: 'json' };
import standardPhases from '../../../core/pipeline/default.json' with { type: 'json' };
import { logRow as plainRow } from '../../core/logs/rows.ts';
import { type ControlOptions, startControl, type TestCaller, type TestControl } from '../../support/control.ts';
import { injected } from './injected.ts';
import { memoryLogs } from './memory-logs.ts';

const units = fileURLToPath(new URL('./units', import.meta.url));

/** Noon of 2026-11-21: when the clock of tests starts. */
export const noon = Date.UTC(2026, 10, 21, 12);
export const minute = 60_000;
export const hour = 60 * minute;

/** A control plane with logs, and a workspace in it. */
export interface LogWorld {
  readonly control: TestControl;
  readonly logs: LogStore & LogSinks;
  readonly workspaceId: string;
  readonly folder: string;
  /** A key of the workspace with all that keys may do. */
  readonly key: TestCaller;
  /** Writes a row into the workspace's log. */
  seed(row?: Partial<LogRow>, bodies?: LogEntry['bodies']): LogRow;
}

export async function logWorld(
  t: Pick<TestContext, 'after'>,
  { logs = memoryLogs(), ...options }: Partial<ControlOptions> & { readonly logs?: LogStore & LogSinks } = {},
): Promise<LogWorld> {
  injected.logs = logs;
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const others = standardPlugins.filter((name) => name !== 'logs' && name !== 'analytics');
  const control = await startControl(t, {
    ...options,
    plugins: [...others, 'test-logs', 'test-analytics'],
    env: { DATA_DIR: folder, ...options.env },
    config: {
      ...options.config,
      pluginFolders: [{ path: units, trust: 'trusted', requireSignature: false }],
      phases: { log: standardPhases.log.map(tested), ...options.config?.phases },
    },
  });
  const { id } = await control.ok('POST', '/v1/workspaces', { body: { name: 'Shared' } });
  const workspaceId = String(id);
  const place = { organisationId: control.organisationId, workspaceId };
  return {
    control,
    logs,
    workspaceId,
    folder,
    key: { workspaceId, keyType: 'workspace-service', keyId: 'key-1', scopes: [...allScopes] },
    seed: (row = {}, bodies = undefined) => {
      const entry = { row: { ...logRow(), ...place, ...row }, bodies };
      logs.write(entry);
      return entry.row;
    },
  };
}

/** The plugin with the logs of the test in the place of the gateway's own. */
function tested(name: string): { readonly plugin: string } {
  return { plugin: name === 'logs' ? 'test-logs' : name };
}

/** One request as the gateway writes it, of an hour before noon. */
export function logRow(row: Partial<LogRow> = {}): LogRow {
  const id = randomUUID();
  return plainRow({
    id,
    createdAt: noon - hour,
    traceId: id,
    model: 'gpt-a',
    requestedModel: 'gpt-a',
    providerSlug: null,
    configSlug: null,
    target: 'config',
    inputTokens: 10,
    outputTokens: 5,
    totalTokens: 15,
    costNanoUsd: 1_000_000,
    cacheStatus: null,
    durationMs: 100,
    timings: { parse: 1, prepare: 2, guardrailsBefore: 0, cache: 0, upstream: 90, guardrailsAfter: 0, firstByte: 95 },
    ...row,
  });
}

/** The stretch from 2 hours before noon to noon, as queries name it. */
export const stretch = `time_of_generation_min=${iso(noon - 2 * hour)}&time_of_generation_max=${iso(noon)}`;

export function iso(ms: number): string {
  return encodeURIComponent(new Date(ms).toISOString().replace('Z', '+00:00'));
}

/** Status and param of what is refused. */
export async function refused(
  control: TestControl,
  method: string,
  path: string,
  options?: Parameters<TestControl['call']>[2],
): Promise<readonly [number, unknown]> {
  const { status, json } = await control.call(method, path, options);
  return [status, (json.error as JsonObject | undefined)?.param];
}
