import type {
  AggregateRow,
  JsonObject,
  LogDimension,
  LogFilter,
  LogMeasure,
  LogStore,
  Operation,
} from 'portcullis/sdk';
import { bucketsOf } from './buckets.ts';

type Values = AggregateRow['values'];

/** Where a graph gets its figures from, and the time that its points have. */
export interface GraphParts {
  readonly store: Pick<LogStore, 'aggregate' | 'feedbackBy'>;
  readonly filter: LogFilter;
  readonly stepMs: number;
  readonly time: Operation['time'];
}

export interface GraphReply {
  readonly summary: JsonObject;
  readonly points: readonly JsonObject[];
}

/** A graph of `/analytics/graphs/`: its paths behind that, the documented one first, and how it is drawn. */
export interface Graph {
  readonly paths: readonly string[];
  readonly summary: string;
  draw(parts: GraphParts): Promise<GraphReply>;
}

/** More groups than any period has buckets and any gateway statuses. */
const everything = 100_000;

/** A graph whose summary and points are worked out from the same kind of sums. */
export function plainGraph(
  paths: readonly string[],
  summary: string,
  measures: readonly LogMeasure[],
  whole: (values: Values) => JsonObject,
  point: (values: Values) => JsonObject = whole,
): Graph {
  return {
    paths,
    summary,
    draw: async (parts) => ({
      summary: whole((await sums(parts, [], measures))[0]?.values ?? {}),
      points: await pointsOf(parts, [], measures, (rows) => point(rows[0]?.values ?? {})),
    }),
  };
}

/** The sums over the whole period, by what is given. */
export async function sums(
  { store, filter, stepMs }: GraphParts,
  by: readonly LogDimension[],
  measures: readonly LogMeasure[],
): Promise<readonly AggregateRow[]> {
  const step = by.includes('bucket') ? { stepMs } : {};
  return (await store.aggregate({ filter, by, ...step, measures, limit: everything, offset: 0 })).rows;
}

/** A point for each bucket, from the rows that fall into it; those of an empty one too. */
export async function pointsOf(
  parts: GraphParts,
  by: readonly LogDimension[],
  measures: readonly LogMeasure[],
  point: (rows: readonly AggregateRow[]) => JsonObject,
): Promise<readonly JsonObject[]> {
  const rows = Map.groupBy(await sums(parts, ['bucket', ...by], measures), ({ keys: [bucket] }) => Number(bucket));
  return starts(parts).map((start) => ({ timestamp: parts.time(start), ...point(rows.get(start) ?? []) }));
}

export function starts({ filter, stepMs }: Pick<GraphParts, 'filter' | 'stepMs'>): readonly number[] {
  return bucketsOf(filter, stepMs);
}
