import { logColumns } from '../columns.ts';
import type { ClickHouseSettings } from '../settings.ts';

/** How long the rows of a table, or what one of its columns holds, are kept. 0 days: for ever. */
interface Lifetime {
  readonly table: string;
  readonly column?: string;
  readonly days: number;
}

export const moment = 'toDateTime(intDiv(created_at, 1000))';

/** What only a log shows. */
const ofLogsAlone: readonly string[] = ['attempts', 'guardrails', 'timings'];

/** Rows live as long as logs and figures do, for figures are made of them; bodies and what only a log shows as long as logs. */
function lifetimes({ retention: { logDays, metricDays } }: ClickHouseSettings): readonly Lifetime[] {
  const rowDays = logDays === 0 || metricDays === 0 ? 0 : Math.max(logDays, metricDays);
  return [
    { table: 'logs', days: rowDays },
    { table: 'log_bodies', days: logDays },
    { table: 'feedback', days: logDays },
    ...logColumns
      .filter(({ field }) => ofLogsAlone.includes(field))
      .map(({ column }) => ({ table: 'logs', column, days: logDays })),
  ];
}

/** The clause that says so where a table is made; '' for what is kept for ever. */
export function ttlOf(settings: ClickHouseSettings, table: string, column?: string): string {
  const found = lifetimes(settings).find((one) => one.table === table && one.column === column);
  return found === undefined || found.days === 0 ? '' : ttl(found.days);
}

const ttl = (days: number) => `TTL ${moment} + toIntervalDay(${days})`;

/**
 * What makes tables that are there keep what the settings say. A clause that is not the gateway's own stays.
 * @param made the statement that makes each table as it is, by its name
 */
export function lifetimeChanges(settings: ClickHouseSettings, made: ReadonlyMap<string, string>): readonly string[] {
  return lifetimes(settings).flatMap(({ table, column, days }) => {
    const before = daysIn(made.get(table) ?? '', column);
    if (before === undefined || before === days) return [];
    const what = column === undefined ? '' : `MODIFY COLUMN ${column} `;
    if (days === 0) return [`ALTER TABLE ${table} ${what}REMOVE TTL`];
    return [`ALTER TABLE ${table} ${column === undefined ? `MODIFY ${ttl(days)}` : `${what}String ${ttl(days)}`}`];
  });
}

/** 0: there is no such clause. Undefined: it is none of the gateway's. */
function daysIn(made: string, column: string | undefined): number | undefined {
  const [, clause] =
    (column === undefined
      ? / TTL (.*?)(?: SETTINGS .*)?$/s.exec(made.slice(made.lastIndexOf(' ORDER BY ')))
      : new RegExp(`\`${column}\` String TTL (.*?), \``, 's').exec(made)) ?? [];
  if (clause === undefined) return made === '' ? undefined : 0;
  const [, days] = /toIntervalDay\((\d+)\)$/.exec(clause) ?? [];
  return days !== undefined && `TTL ${clause}` === ttl(Number(days)) ? Number(days) : undefined;
}
