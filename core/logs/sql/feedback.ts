import type { FeedbackRow, LogFilter, LogStore } from 'portcullis/sdk';
import type { FeedbackGroups } from '../engine.ts';
import type { Stored } from '../rows.ts';
import { allOf, type Condition, conditionsOf, listed, sameTrace, timeCondition } from './filter.ts';
import { checkStep } from './plan.ts';
import type { Dialect, QuerySql, Sql } from './sql.ts';

type By = Parameters<LogStore['feedbackBy']>[1];

/** Feedback of a stretch, on requests that fit the filter whenever they were made; without such a wish, all of it. */
export async function feedbackGroups(
  sql: QuerySql,
  filter: LogFilter,
  by: By,
  stepMs: number | undefined,
): Promise<FeedbackGroups> {
  const { organisationId, workspaceIds, from, to, ...rest } = filter;
  const own = allOf([
    { sql: 'f.organisation_id = ?', values: [organisationId] },
    ...listed('f.workspace_id', workspaceIds),
    timeCondition(from, to, 'f.created_at'),
  ]);
  const wished = Object.values(rest).some((value) => value !== undefined);
  const { sql: on, values } = allOf([
    { sql: sameTrace, values: [] },
    ...(wished ? requestConditions(filter, sql.dialect) : []),
  ]);
  const key = keyOf(by, stepMs);
  const needsRequest = wished || by === 'model';
  const join = needsRequest ? `${wished ? 'JOIN' : 'LEFT JOIN'} logs l ON ${on}` : '';
  const found = `SELECT DISTINCT ${key} AS k, f.id AS id, f.value AS value, f.weight AS weight FROM feedback f ${join} WHERE ${own.sql}`;
  const rows = await sql.all(
    `SELECT k, COUNT(*) AS total, SUM(value * weight) AS weighted, SUM(weight) AS weight FROM (${found}) d GROUP BY k ORDER BY k`,
    [...(needsRequest ? values : []), ...own.values],
  );
  return rows.map(({ k, total, weighted, weight }) => ({
    key: typeof k === 'number' || typeof k === 'string' ? k : null,
    total: Number(total),
    weighted: Number(weight) === 0 ? null : Number(weighted) / Number(weight),
  }));
}

function requestConditions(filter: LogFilter, dialect: Dialect): readonly Condition[] {
  // Metadata is looked for by time as well, and the request may be older than its feedback.
  return conditionsOf({ ...filter, from: 0, to: Number.MAX_SAFE_INTEGER }, dialect);
}

function keyOf(by: By, stepMs: number | undefined): string {
  switch (by) {
    case 'all':
      return 'NULL';
    case 'value':
      return 'f.value';
    case 'model':
      return "NULLIF(l.model, '')";
    case 'bucket':
      checkStep(stepMs);
      return `f.created_at - f.created_at % ${stepMs}`;
  }
}

export async function changeFeedback(
  sql: Sql,
  { organisationId, workspaceId }: Parameters<LogStore['updateFeedback']>[0],
  id: string,
  { value, weight, metadata }: Parameters<LogStore['updateFeedback']>[2],
): Promise<boolean> {
  const where = allOf([
    { sql: 'organisation_id = ? AND id = ?', values: [organisationId, id] },
    ...(workspaceId === undefined ? [] : [{ sql: 'workspace_id = ?', values: [workspaceId] }]),
  ]);
  const [found] = await sql.all(`SELECT id FROM feedback WHERE ${where.sql}`, where.values);
  // The number of changed rows would be none as well where the feedback says this already.
  if (found === undefined) return false;
  const changes: readonly (readonly [keyof FeedbackRow, Stored])[] = [
    ['value', value],
    ...(weight === undefined ? [] : [['weight', weight] as const]),
    ...(metadata === undefined ? [] : [['metadata', JSON.stringify(metadata)] as const]),
  ];
  const set = changes.map(([column]) => `${column} = ?`).join(', ');
  await sql.run(`UPDATE feedback SET ${set} WHERE ${where.sql}`, [...changes.map(([, to]) => to), ...where.values]);
  return true;
}
