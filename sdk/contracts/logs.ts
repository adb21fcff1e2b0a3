import type { JsonObject } from '../json.ts';

/** How a request met the cache. */
export const cacheStatuses = ['HIT', 'SEMANTIC HIT', 'MISS', 'SEMANTIC MISS', 'REFRESH', 'DISABLED'] as const;
export type CacheStatus = (typeof cacheStatuses)[number];

/**
 * How the body that a provider was sent comes of the client's, where the pipeline has left that as it came: `same` as JSON,
 * with the `model` without the slug of its saved provider, with the question for the token counts of a stream (`usage`),
 * with both, or in `another` form, such as that of another format.
 */
export const sentForms = ['same', 'model', 'usage', 'model,usage', 'another'] as const;
export type SentAs = (typeof sentForms)[number];

/** Where a request's time went. Milliseconds, with fractions. */
export interface Timings {
  /** Reading and parsing the body. */
  readonly parse: number;
  /** Identity, config, plan, parameters and limits. */
  readonly prepare: number;
  /** Checks on the request. */
  readonly guardrailsBefore: number;
  /** Looking into the cache. */
  readonly cache: number;
  /** Waiting for the providers, all tries together, up to the head of the reply or, where it is read whole, to its end. */
  readonly upstream: number;
  /** Checks on the reply. */
  readonly guardrailsAfter: number;
  /** From the start to the first byte that left; undefined: none did. */
  readonly firstByte: number | undefined;
}

/** One call of a provider. */
export interface Attempt {
  /** JSON path of the target. */
  readonly target: string;
  readonly provider: string | undefined;
  readonly status: number;
  /** Epoch milliseconds, with fractions. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly error?: string;
}

/** One request, as it is kept: what can be filtered, grouped and summed. No body is in it. */
export interface LogRow {
  readonly id: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  /** Epoch milliseconds at which it began. */
  readonly createdAt: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly spanName: string | null;
  readonly method: string;
  readonly path: string;
  readonly endpoint: string | null;
  readonly status: number;
  readonly error: string | null;
  /** Name of the provider unit. */
  readonly provider: string | null;
  readonly model: string | null;
  /** As the client named it. */
  readonly requestedModel: string | null;
  /** Slug of the saved provider. */
  readonly providerSlug: string | null;
  readonly keyId: string | null;
  /** Whose key it was. */
  readonly userId: string | null;
  readonly configId: string | null;
  readonly configSlug: string | null;
  readonly configVersionId: string | null;
  readonly promptId: string | null;
  readonly promptSlug: string | null;
  readonly promptVersion: number | null;
  readonly promptVersionId: string | null;
  /** JSON path of the target that served. */
  readonly target: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly totalTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  /** `provider`, `estimated`, or null where nothing is known. */
  readonly usageSource: string | null;
  /** Billionths of a US dollar; null: not known, which is not free. */
  readonly costNanoUsd: number | null;
  /** Of a reply out of the cache: what its first making had cost, in billionths of a US dollar. */
  readonly savedNanoUsd: number | null;
  readonly stream: boolean;
  readonly retries: number;
  /** Another target than the first served. */
  readonly fallback: boolean;
  readonly cacheStatus: CacheStatus | null;
  /** How the body that a provider got comes of the one in the log; null: not known, or none was asked. */
  readonly sentAs: SentAs | null;
  /** The reply in the log is the provider's own, byte for byte. False: it is another, or that is not known. */
  readonly replyUntouched: boolean;
  readonly durationMs: number;
  readonly timings: Timings;
  readonly attempts: readonly Attempt[];
  /** The metadata's `_user`. */
  readonly user: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Reports of guardrails, as they are shown. */
  readonly guardrails: readonly JsonObject[];
  /** `gateway`, or `insert` for what a client has sent as a log. */
  readonly source: string;
}

/** What was said, in full logging. Sensitive headers are masked before they get here. Bytes are UTF-8; stores give texts back. */
export interface LogBodies {
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string | Uint8Array };
  readonly response: { readonly headers: Readonly<Record<string, string>>; readonly body: string | Uint8Array };
  /** Whether something was cut off at the size bound. */
  readonly truncated: boolean;
}

export interface LogEntry {
  readonly row: LogRow;
  readonly bodies: LogBodies | undefined;
}

export interface FeedbackRow {
  readonly id: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly traceId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** -10 to 10. */
  readonly value: number;
  /** 0 to 1. */
  readonly weight: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** Key or user that gave it; null: a guardrail. */
  readonly givenBy: string | null;
}

export interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** Which requests. All that is given must hold. */
export interface LogFilter {
  readonly organisationId: string;
  /** Undefined: all of the organisation. */
  readonly workspaceIds?: readonly string[];
  /** Epoch milliseconds: `from` <= createdAt < `to`. */
  readonly from: number;
  readonly to: number;
  readonly status?: readonly number[];
  /** Name of a provider unit with a model, either of which may be missing. */
  readonly models?: readonly { readonly provider?: string; readonly model?: string }[];
  readonly providerSlugs?: readonly string[];
  readonly configSlugs?: readonly string[];
  readonly promptSlugs?: readonly string[];
  readonly keyIds?: readonly string[];
  readonly users?: readonly string[];
  readonly metadata?: Readonly<Record<string, readonly string[]>>;
  readonly traceIds?: readonly string[];
  readonly spanIds?: readonly string[];
  readonly endpoints?: readonly string[];
  readonly totalTokens?: Range;
  readonly inputTokens?: Range;
  readonly outputTokens?: Range;
  readonly costNanoUsd?: Range;
  /** Weighted mean of the feedback on the trace. */
  readonly weightedFeedback?: Range;
}

/** What rows can be grouped by; `metadata:<key>` is a value of the metadata; `bucket` a stretch of time of `stepMs`. */
export const logDimensions = [
  'bucket',
  'provider',
  'model',
  'status',
  'keyId',
  'configSlug',
  'workspaceId',
  'providerSlug',
  'promptSlug',
  'user',
  'cacheStatus',
  'retries',
] as const;
export type LogDimension = (typeof logDimensions)[number] | `metadata:${string}`;

export const logMeasures = [
  'requests',
  /** Sum in billionths of a US dollar; rows without cost count as 0. */
  'costNanoUsd',
  'inputTokens',
  'outputTokens',
  'totalTokens',
  /** Status of 400 or more. */
  'errors',
  'simpleHits',
  'semanticHits',
  /** Requests that asked the cache. */
  'cacheLookups',
  /** What hits would have cost: the sum of the costs that their entries had. */
  'cacheSavingsNanoUsd',
  /** Mean milliseconds of hits. */
  'cacheLatency',
  'avgLatency',
  'p50Latency',
  'p90Latency',
  'p95Latency',
  'p99Latency',
  /** Distinct `_user` values. */
  'users',
  /** Requests that name a `_user`. */
  'userRequests',
  /** Served after a retry; by another target than the first. */
  'rescuedByRetry',
  'rescuedByFallback',
  /** Epoch milliseconds. */
  'firstSeen',
  'lastSeen',
  'feedbacks',
  'weightedFeedback',
  /** Requests whose trace has feedback. */
  'requestsWithFeedback',
] as const;
export type LogMeasure = (typeof logMeasures)[number];

export interface AggregateQuery {
  readonly filter: LogFilter;
  /** At most two. Rows without a value of a dimension other than `bucket` form the group null. */
  readonly by: readonly LogDimension[];
  /** Of `bucket`, a whole number of minutes; buckets start at multiples of it in UTC. */
  readonly stepMs?: number;
  readonly measures: readonly LogMeasure[];
  /** Default: by bucket ascending, else by requests descending. */
  readonly orderBy?: { readonly measure: LogMeasure; readonly descending: boolean };
  readonly limit: number;
  readonly offset: number;
}

export interface AggregateRow {
  /** In the order of `by`; a bucket is its start in epoch milliseconds. */
  readonly keys: readonly (string | number | null)[];
  readonly values: Readonly<Partial<Record<LogMeasure, number | null>>>;
}

/** The kept requests. Never asked on the way of a request. */
export interface LogStore {
  find(organisationId: string, id: string): Promise<LogEntry | undefined>;
  /** Newest first. At most 50,000 a page; with bodies only where they are asked for. */
  list(
    filter: LogFilter,
    page: { readonly limit: number; readonly offset: number; readonly bodies?: boolean },
  ): Promise<{ readonly total: number; readonly entries: readonly LogEntry[] }>;
  aggregate(query: AggregateQuery): Promise<{ readonly total: number; readonly rows: readonly AggregateRow[] }>;
  /** Feedback given in the stretch of the filter on requests that fit it: by value, bucket or model, or all as one, whose key is null. */
  feedbackBy(
    filter: LogFilter,
    by: 'value' | 'bucket' | 'model' | 'all',
    stepMs?: number,
  ): Promise<
    readonly { readonly key: string | number | null; readonly total: number; readonly weighted: number | null }[]
  >;
  /** Changes a feedback of one organisation, or of one workspace of it. False: there is none of that id. */
  updateFeedback(
    scope: { readonly organisationId: string; readonly workspaceId?: string },
    id: string,
    changes: Pick<FeedbackRow, 'value'> & Partial<Pick<FeedbackRow, 'weight' | 'metadata'>>,
  ): Promise<boolean>;
  /** Deletes what is older, in small batches: bodies and rows, then rollups. Gives how many rows went. */
  prune(before: { readonly logs: number; readonly metrics: number }): Promise<number>;
  /** How long the operator keeps requests and their figures, in days; 0: for ever. */
  readonly retention: LogRetention;
}

export interface LogRetention {
  readonly logDays: number;
  readonly metricDays: number;
}

/** Ways into the logs: queued, written in batches, counted when lost. Never throws, never waits. */
export interface LogSinks {
  write(entry: LogEntry): void;
  feedback(rows: readonly FeedbackRow[]): void;
  /** Resolves when all processes find what this one has put in so far, or when it cannot be written for now. */
  caughtUp(): Promise<void>;
}
