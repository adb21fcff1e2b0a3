import type { Json, JsonObject, LogEntry, Operation } from 'portcullis/sdk';
import { metricsOf } from '../read/metrics.ts';
import { bodyOf } from '../read/provider-side.ts';

/** What can be asked for, besides the members of the metrics. */
const others = ['id', 'trace_id', 'created_at', 'request', 'response', 'metadata'] as const;

const ofMetrics = [
  'is_success',
  'ai_org',
  'ai_model',
  'req_units',
  'res_units',
  'total_units',
  'request_url',
  'cost',
  'cost_currency',
  'response_time',
  'response_status_code',
  'mode',
  'config',
  'prompt_slug',
] as const;

export const exportable: readonly string[] = [...others, ...ofMetrics];

/** Members that tell what was said. */
export const texts: readonly string[] = ['request', 'response'];

/** One line of an export. */
export function lineOf({ row, bodies }: LogEntry, requested: readonly string[], time: Operation['time']): string {
  const metrics = metricsOf(row, null);
  const members: Readonly<Record<string, () => Json>> = {
    id: () => row.id,
    trace_id: () => row.traceId,
    created_at: () => time(row.createdAt),
    metadata: () => row.metadata,
    request: () => said(bodies?.request),
    response: () => said(bodies?.response),
  };
  const line: Record<string, Json> = {};
  for (const name of requested) line[name] = members[name]?.() ?? metrics[name] ?? null;
  return `${JSON.stringify(line)}\n`;
}

function said(side: NonNullable<LogEntry['bodies']>['request'] | undefined): JsonObject | null {
  return side === undefined ? null : { headers: side.headers, body: bodyOf(side.body) };
}
