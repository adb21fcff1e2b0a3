import type { AggregateQuery, FeedbackRow, LogFilter, LogRow } from 'portcullis/sdk';
import { feedbackRow, hour, logRow, start } from './rows.ts';

export const all: LogFilter = { organisationId: 'org-1', from: start - hour, to: start + 100 * hour };

/** Eight requests that differ in all that can be filtered and grouped by. */
export function variety(): { rows: LogRow[]; feedback: FeedbackRow[] } {
  const rows = [
    logRow({ user: 'ann', metadata: { _user: 'ann', team: 'blue' }, durationMs: 12 }),
    logRow({
      createdAt: start + 1.5 * hour,
      status: 500,
      error: 'upstream_error',
      model: 'gpt-4o',
      provider: 'azure-openai',
    }),
    logRow({
      createdAt: start + 1.6 * hour,
      user: 'bob',
      metadata: { _user: 'bob', team: 'red' },
      cacheStatus: 'HIT',
      costNanoUsd: 0,
      savedNanoUsd: 700,
      durationMs: 3,
    }),
    logRow({
      createdAt: start + 2.2 * hour,
      user: 'ann',
      metadata: { team: 'blue', 'odd "name" of.it': 'x' },
      cacheStatus: 'SEMANTIC HIT',
      savedNanoUsd: 900,
      durationMs: 5,
    }),
    logRow({
      createdAt: start + 3 * hour,
      retries: 2,
      keyId: 'key-2',
      workspaceId: 'ws-2',
      totalTokens: 9000,
      inputTokens: 8000,
      outputTokens: 1000,
    }),
    logRow({
      createdAt: start + 3.4 * hour,
      fallback: true,
      promptSlug: 'greeting',
      configSlug: null,
      costNanoUsd: null,
      usageSource: null,
      totalTokens: null,
      inputTokens: null,
      outputTokens: null,
    }),
    logRow({
      createdAt: start + 4 * hour - 1,
      status: 429,
      provider: null,
      model: null,
      providerSlug: null,
      durationMs: 0.4,
      cacheStatus: null,
    }),
    logRow({
      createdAt: start + 30 * hour,
      retries: -1,
      status: 503,
      spanId: 'ffffffffffffffff',
      endpoint: 'embed',
      durationMs: 61_000,
      cacheStatus: 'DISABLED',
    }),
  ];
  const [first, second] = rows;
  const feedback = [
    feedbackRow({ traceId: first?.traceId ?? '', value: 5, weight: 1 }),
    feedbackRow({ traceId: first?.traceId ?? '', value: -2, weight: 0.5 }),
    feedbackRow({ traceId: second?.traceId ?? '', value: -10, weight: 1, createdAt: start + 2 * hour }),
    feedbackRow({ traceId: second?.traceId ?? '', value: 3, weight: 0, createdAt: start + 2 * hour }),
    feedbackRow({ traceId: 'never logged', value: 5, workspaceId: 'ws-2' }),
    feedbackRow({ traceId: first?.traceId ?? '', organisationId: 'org-2', value: 9 }),
    // Another workspace's, whose trace has the same name.
    feedbackRow({ traceId: second?.traceId ?? '', workspaceId: 'ws-2', value: 9, createdAt: start + 5 * hour }),
  ];
  return { rows, feedback };
}

export const narrowings: Readonly<Record<string, Partial<LogFilter>>> = {
  'nothing but the organisation': {},
  workspaces: { workspaceIds: ['ws-2', 'ws-9'] },
  'no workspace at all': { workspaceIds: [] },
  status: { status: [500, 429] },
  'a provider with a model': { models: [{ provider: 'azure-openai', model: 'gpt-4o' }] },
  'a model of any provider': { models: [{ model: 'gpt-4o-mini' }, { provider: 'nobody' }] },
  'provider slugs': { providerSlugs: ['main'] },
  configs: { configSlugs: ['pc-main'] },
  prompts: { promptSlugs: ['greeting'] },
  keys: { keyIds: ['key-2'] },
  users: { users: ['ann'] },
  metadata: { metadata: { team: ['blue', 'green'] } },
  'two names of metadata': { metadata: { team: ['blue'], 'odd "name" of.it': ['x'] } },
  'metadata beside status': { metadata: { team: ['red'] }, status: [200] },
  spans: { spanIds: ['ffffffffffffffff'] },
  endpoints: { endpoints: ['embed'] },
  'total tokens': { totalTokens: { min: 151 } },
  'tokens in and out': { inputTokens: { max: 100 }, outputTokens: { min: 50, max: 60 } },
  cost: { costNanoUsd: { min: 1, max: 1_500_000 } },
  feedback: { weightedFeedback: { min: 2, max: 10 } },
  'bad feedback': { weightedFeedback: { max: -1 } },
  'broken hours': { from: start + 1.55 * hour, to: start + 3.2 * hour },
  'part of an hour': { from: start + 3.1 * hour, to: start + 3.9 * hour },
};

export const groupings: readonly Pick<AggregateQuery, 'by' | 'stepMs'>[] = [
  { by: [] },
  { by: ['bucket'], stepMs: hour },
  { by: ['bucket'], stepMs: 24 * hour },
  { by: ['bucket'], stepMs: 15 * 60_000 },
  { by: ['provider', 'model'] },
  { by: ['status'] },
  { by: ['keyId'] },
  { by: ['configSlug'] },
  { by: ['workspaceId', 'promptSlug'] },
  { by: ['providerSlug'] },
  { by: ['user'] },
  { by: ['cacheStatus', 'retries'] },
  { by: ['bucket', 'status'], stepMs: 2 * hour },
  { by: ['metadata:team'] },
  { by: ['metadata:odd "name" of.it'] },
  { by: ['metadata:team', 'bucket'], stepMs: hour },
  { by: ['metadata:team', 'metadata:_user'] },
];
