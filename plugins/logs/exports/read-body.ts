import {
  asArray,
  asObject,
  asString,
  type ControlHost,
  GatewayError,
  type JsonObject,
  type LogFilter,
  type LogPlace,
  logFilterFields,
  type Operation,
  plainNumber,
  readLogFilter,
  readPeriod,
} from 'portcullis/sdk';
import { exportable, texts } from './columns.ts';
import type { ExportRecord } from './table.ts';

const standardDays = 90;
const most = 50_000;

export const filterNames: readonly string[] = [...Object.keys(logFilterFields), 'page_size', 'current_page'];
/** What clients send wherever they are: it chooses no requests. */
const harmless: ReadonlySet<string> = new Set(['organisation_id', 'workspace_id']);

/** Which requests an export is of, and which of them: those from `offset` on, at most `limit`. */
export interface ExportQuery {
  readonly filter: LogFilter;
  readonly offset: number;
  readonly limit: number;
}

/** @throws GatewayError `bad_request` naming the field */
export function queryOf(filters: JsonObject, place: LogPlace, now: number): ExportQuery {
  const period = readPeriod(filters, { now, standardDays, param: 'filters.' });
  // Later requests are still being written down while an export runs.
  const filter = readLogFilter(filters, place, { from: period.from, to: Math.min(period.to, now) }, 'filters.');
  const limit = integerOf(filters, 'page_size', 1, most, most);
  return { filter, limit, offset: integerOf(filters, 'current_page', 0, 1_000_000, 0) * limit };
}

/** What an export is made of, as a body gives it; what was said may ask for it who may see it. */
export function valuesOf(
  operation: Operation,
  body: JsonObject,
  before?: ExportRecord,
): { readonly filters: JsonObject; readonly requested_data: readonly string[]; readonly description: string | null } {
  refuseUnknown(asObject(body.filters) ?? {});
  const filters = asObject(body.filters) ?? before?.filters ?? refuse('filters', 'is required: an object');
  const asked = body.requested_data === undefined ? before?.requested_data : asArray(body.requested_data).map(String);
  const requested = asked ?? refuse('requested_data', `is required: a list of ${exportable.join(', ')}`);
  const unknown = requested.find((name) => !exportable.includes(name));
  if (unknown !== undefined)
    refuse('requested_data', `has "${unknown.slice(0, 50)}"; accepted are ${exportable.join(', ')}`);
  if (requested.length === 0) refuse('requested_data', `must name at least one of ${exportable.join(', ')}`);
  const denied = requested.find((name) => deniedTo(operation).includes(name));
  if (denied !== undefined)
    throw new GatewayError('forbidden', `The field ${denied} needs the permission logs.view.`, {
      param: 'requested_data',
    });
  // Null takes it away.
  const description = body.description === undefined ? before?.description : asString(body.description);
  return { filters, requested_data: [...new Set(requested)], description: description ?? null };
}

/** A filter that is dropped would export more than was asked for. */
function refuseUnknown(filters: JsonObject): void {
  const unknown = Object.keys(filters).find((name) => !filterNames.includes(name) && !harmless.has(name));
  if (unknown === undefined) return;
  const name = unknown.slice(0, 100);
  refuse(`filters.${name}`, `is no filter; accepted are ${filterNames.join(', ')}`);
}

/** Fields that the caller may not have. */
export function deniedTo({ access, scope }: Operation): readonly string[] {
  return access.scopesIn(scope.workspaceId).has('logs.view') ? [] : texts;
}

/** The requests that a stored export is of. */
export function queryOfRecord(record: ExportRecord): ExportQuery {
  const place = {
    organisationId: record.organisation_id,
    workspaceIds: [record.workspace_id],
    ...(record.key_ids === null ? {} : { keyIds: record.key_ids }),
  };
  return queryOf(record.filters, place, Number(record.started_at));
}

export async function countOf(
  host: Pick<ControlHost, 'logs'>,
  { filter, offset, limit }: ExportQuery,
): Promise<number> {
  const { total } = await host.logs.list(filter, { limit: 1, offset: 0 });
  return Math.max(0, Math.min(limit, total - offset));
}

function integerOf(filters: JsonObject, name: string, least: number, highest: number, standard: number): number {
  const value = filters[name];
  if (value === undefined || value === null) return standard;
  const number = typeof value === 'string' ? plainNumber(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= highest) return number;
  return refuse(`filters.${name}`, `must be an integer from ${least} to ${highest}`);
}

function refuse(param: string, why: string): never {
  throw new GatewayError('bad_request', `${param} ${why}.`, { param });
}
