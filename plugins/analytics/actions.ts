import {
  type Action,
  type ControlHost,
  columnsOf,
  field,
  groupedLogs,
  groupingOf,
  type LogColumnName,
  type LogDimension,
  logColumnsField,
  logFilterFields,
  logGroupsReply,
  logPageFields,
  type Operation,
  schema,
} from 'portcullis/sdk';
import { filterOf } from './filter.ts';
import { keptFromOf, stepOf } from './graphs/buckets.ts';
import { cacheGraphs, cacheSummary } from './graphs/cache.ts';
import { errorGraphs } from './graphs/errors.ts';
import { feedbackGraphs } from './graphs/feedback.ts';
import type { Graph, GraphParts } from './graphs/graph.ts';
import { trafficGraphs } from './graphs/traffic.ts';

const graphs: readonly Graph[] = [...trafficGraphs, ...errorGraphs, ...cacheGraphs, ...feedbackGraphs];

const fields = {
  ...logFilterFields,
  all_workspaces: schema.Optional(
    schema.Boolean({ description: 'true: the whole organisation, where the caller is not bound to a workspace.' }),
  ),
};

const common = {
  method: 'get',
  needs: ['analytics.view'],
  // What a workspace has cost is asked for after it was closed, too.
  archived: true,
} as const satisfies Partial<Action>;

/** Groups with columns of their own. */
const fixedGroups: readonly {
  readonly path: string;
  readonly key: string;
  readonly dimension: (params: Operation['params']) => Exclude<LogDimension, 'bucket'>;
  readonly columns: readonly LogColumnName[];
}[] = [
  { path: 'users', key: 'user', dimension: () => 'user', columns: ['requests', 'cost'] },
  { path: 'ai-models', key: 'ai_model', dimension: () => 'model', columns: ['requests'] },
  {
    path: 'metadata/:key',
    key: 'metadata_value',
    dimension: ({ key = '' }) => `metadata:${key}`,
    columns: ['requests', 'cost', 'avg_tokens', 'avg_weighted_feedback', 'requests_with_feedback', 'last_seen'],
  },
];

/** Every route below `/analytics` (control-plane.md §1.21). */
export function analyticsActions(host: ControlHost): readonly Action[] {
  const partsOf = async (operation: Operation): Promise<GraphParts> => {
    const filter = await filterOf(operation);
    const stepMs = stepOf(filter, keptFromOf(operation.now, host.logs.retention.logDays));
    return { store: host.logs, filter, stepMs, time: operation.time };
  };
  return [
    ...graphs.map((graph) => graphAction(graph, partsOf)),
    {
      ...common,
      path: '/analytics/summary/cache',
      summary: 'What the cache has done',
      query: schema.Object(fields),
      reply: schema.Object({ summary: field.object(), object: field.oneOf(['analytics-summary']) }),
      run: async (operation) => ({
        summary: await cacheSummary(await partsOf(operation)),
        object: 'analytics-summary',
      }),
    },
    ...fixedGroups.map(
      ({ path, key, dimension, columns }): Action => ({
        ...common,
        path: `/analytics/groups/${path}`,
        summary: `Requests by ${key}`,
        query: schema.Object({ ...fields, ...logPageFields }),
        reply: logGroupsReply,
        run: async (operation) => {
          const filter = await filterOf(operation);
          return groupedLogs(operation, host.logs, filter, { dimension: dimension(operation.params), key }, columns);
        },
      }),
    ),
    {
      ...common,
      path: '/analytics/groups/:groupBy',
      summary: 'Requests by model, status, key and the like',
      query: schema.Object({ ...fields, ...logPageFields, ...logColumnsField }),
      reply: logGroupsReply,
      async run(operation) {
        const grouping = groupingOf(operation.params.groupBy ?? '');
        const columns = columnsOf(operation.query);
        const filter = await filterOf(operation, { everywhere: grouping.key === 'workspace' });
        return groupedLogs(operation, host.logs, filter, grouping, columns);
      },
    },
  ];
}

function graphAction(graph: Graph, partsOf: (operation: Operation) => Promise<GraphParts>): Action {
  const [path, ...aliases] = graph.paths.map((part) => `/analytics/graphs/${part}`);
  return {
    ...common,
    path: path ?? '',
    aliases,
    summary: graph.summary,
    query: schema.Object(fields),
    reply: schema.Object({
      summary: field.object(),
      data_points: schema.Array(field.object()),
      object: field.oneOf(['analytics-graph']),
    }),
    async run(operation) {
      const { summary, points } = await graph.draw(await partsOf(operation));
      return { summary, data_points: points, object: 'analytics-graph' };
    },
  };
}
