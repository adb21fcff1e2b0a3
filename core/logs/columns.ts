import type { LogRow } from 'portcullis/sdk';

/** `text` and `name` are bounded, a name being one of few; `json` is a text without bound. */
export type ColumnType = 'text' | 'name' | 'integer' | 'real' | 'flag' | 'json';

export interface LogColumn {
  readonly column: string;
  readonly field: keyof LogRow;
  readonly type: ColumnType;
  readonly nullable?: boolean;
  /** Characters of a text; what is longer is cut. */
  readonly length?: number;
}

const optional = { nullable: true } as const;

/** A request as it is stored, in every kind of store. */
export const logColumns: readonly LogColumn[] = [
  { column: 'id', field: 'id', type: 'text', length: 64 },
  { column: 'organisation_id', field: 'organisationId', type: 'name', length: 64 },
  { column: 'workspace_id', field: 'workspaceId', type: 'name', length: 64 },
  { column: 'created_at', field: 'createdAt', type: 'integer' },
  { column: 'trace_id', field: 'traceId', type: 'text', length: 128 },
  { column: 'span_id', field: 'spanId', type: 'text', length: 128 },
  { column: 'parent_span_id', field: 'parentSpanId', type: 'text', length: 128, ...optional },
  { column: 'span_name', field: 'spanName', type: 'text', length: 256, ...optional },
  { column: 'method', field: 'method', type: 'name', length: 16 },
  { column: 'path', field: 'path', type: 'text', length: 512 },
  { column: 'endpoint', field: 'endpoint', type: 'name', length: 64, ...optional },
  { column: 'status', field: 'status', type: 'integer' },
  { column: 'error', field: 'error', type: 'name', length: 64, ...optional },
  { column: 'provider', field: 'provider', type: 'name', length: 64, ...optional },
  { column: 'model', field: 'model', type: 'name', length: 200, ...optional },
  { column: 'requested_model', field: 'requestedModel', type: 'name', length: 200, ...optional },
  { column: 'provider_slug', field: 'providerSlug', type: 'name', length: 128, ...optional },
  { column: 'key_id', field: 'keyId', type: 'name', length: 128, ...optional },
  { column: 'user_id', field: 'userId', type: 'name', length: 128, ...optional },
  { column: 'config_id', field: 'configId', type: 'name', length: 128, ...optional },
  { column: 'config_slug', field: 'configSlug', type: 'name', length: 128, ...optional },
  { column: 'config_version_id', field: 'configVersionId', type: 'name', length: 128, ...optional },
  { column: 'prompt_id', field: 'promptId', type: 'name', length: 128, ...optional },
  { column: 'prompt_slug', field: 'promptSlug', type: 'name', length: 128, ...optional },
  { column: 'prompt_version', field: 'promptVersion', type: 'integer', ...optional },
  { column: 'prompt_version_id', field: 'promptVersionId', type: 'name', length: 128, ...optional },
  { column: 'target', field: 'target', type: 'name', length: 200, ...optional },
  { column: 'input_tokens', field: 'inputTokens', type: 'integer', ...optional },
  { column: 'output_tokens', field: 'outputTokens', type: 'integer', ...optional },
  { column: 'total_tokens', field: 'totalTokens', type: 'integer', ...optional },
  { column: 'cache_read_tokens', field: 'cacheReadTokens', type: 'integer', ...optional },
  { column: 'cache_write_tokens', field: 'cacheWriteTokens', type: 'integer', ...optional },
  { column: 'reasoning_tokens', field: 'reasoningTokens', type: 'integer', ...optional },
  { column: 'usage_source', field: 'usageSource', type: 'name', length: 32, ...optional },
  { column: 'cost_nano_usd', field: 'costNanoUsd', type: 'integer', ...optional },
  { column: 'saved_nano_usd', field: 'savedNanoUsd', type: 'integer', ...optional },
  { column: 'stream', field: 'stream', type: 'flag' },
  { column: 'retries', field: 'retries', type: 'integer' },
  { column: 'fallback', field: 'fallback', type: 'flag' },
  { column: 'cache_status', field: 'cacheStatus', type: 'name', length: 32, ...optional },
  { column: 'duration_ms', field: 'durationMs', type: 'real' },
  { column: 'end_user', field: 'user', type: 'text', length: 256, ...optional },
  { column: 'sent_as', field: 'sentAs', type: 'name', length: 16, ...optional },
  { column: 'reply_untouched', field: 'replyUntouched', type: 'flag' },
  { column: 'source', field: 'source', type: 'name', length: 32 },
  { column: 'metadata', field: 'metadata', type: 'json' },
  { column: 'timings', field: 'timings', type: 'json' },
  { column: 'attempts', field: 'attempts', type: 'json' },
  { column: 'guardrails', field: 'guardrails', type: 'json' },
];

/** Bounds of what is kept beside the columns. */
export const metadataNameLength = 128;
export const metadataValueLength = 500;
