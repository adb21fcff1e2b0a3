import type { JsonObject, LogEntry, LogRow, Operation } from 'portcullis/sdk';
import { metricsOf } from './metrics.ts';
import { bodyOf, providerSide } from './provider-side.ts';

const own = /^x-(?:gw|portkey)-/;

/** One request with all that is kept of it (control-plane.md §1.19). @param seen `line`: nothing of what was said */
export function shownEntry(
  operation: Operation,
  { row, bodies }: LogEntry,
  seen: 'texts' | 'line',
  workspaceSlug: string | null,
): JsonObject {
  const kept = seen === 'texts' ? bodies : undefined;
  const request = kept?.request;
  const response = kept?.response;
  return {
    _id: row.id,
    request: {
      url: row.path,
      method: row.method,
      ...(request === undefined
        ? {}
        : {
            headers: request.headers,
            body: bodyOf(request.body),
            portkeyHeaders: Object.fromEntries(Object.entries(request.headers).filter(([name]) => own.test(name))),
          }),
    },
    response: {
      status: row.status,
      ...(response === undefined ? {} : { headers: response.headers, body: bodyOf(response.body) }),
      responseTime: row.durationMs,
      lastUsedOptionJsonPath: row.target,
    },
    organisation_id: row.organisationId,
    workspace_id: row.workspaceId,
    created_at: operation.time(row.createdAt),
    metrics: metricsOf(row, workspaceSlug),
    ...providerSide(row, kept),
    truncated: kept?.truncated ?? false,
    log_format: kept === undefined ? 'metrics' : 'full',
  };
}

/** The same without what was said, for lists. */
export function shownRow(operation: Operation, row: LogRow, workspaceSlug: string | null): JsonObject {
  return {
    id: row.id,
    trace_id: row.traceId,
    organisation_id: row.organisationId,
    workspace_id: row.workspaceId,
    created_at: operation.time(row.createdAt),
    metrics: metricsOf(row, workspaceSlug),
    object: 'log',
  };
}

/** Slugs of workspaces by their ids; a workspace that is gone has none. */
export async function slugsOf(
  { records, scope }: Operation,
  rows: readonly Pick<LogRow, 'workspaceId'>[],
): Promise<ReadonlyMap<string, string | null>> {
  const ids = [...new Set(rows.map(({ workspaceId }) => workspaceId))];
  if (ids.length === 0) return new Map();
  const found = await records('workspaces').list({ organisationId: scope.organisationId }, { where: { id: ids } });
  return new Map(found.records.map(({ id, slug }) => [id, slug]));
}
