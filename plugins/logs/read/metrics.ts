import { centsOf, type Json, type JsonObject, type LogRow } from 'portcullis/sdk';

const hits: Readonly<Record<string, string>> = {
  HIT: 'simple',
  MISS: 'simple',
  REFRESH: 'simple',
  'SEMANTIC HIT': 'semantic',
  'SEMANTIC MISS': 'semantic',
};

/** The numbers of a request by the names of the API (control-plane.md §1.19). Milliseconds, US cents. */
export function metricsOf(row: LogRow, workspaceSlug: string | null): JsonObject {
  const { timings, metadata } = row;
  return {
    ai_org: row.provider,
    ai_model: row.model,
    requested_model: row.requestedModel,
    req_units: row.inputTokens,
    res_units: row.outputTokens,
    total_units: row.totalTokens,
    cache_read_units: row.cacheReadTokens,
    cache_write_units: row.cacheWriteTokens,
    reasoning_units: row.reasoningTokens,
    units_source: row.usageSource,
    cost: row.costNanoUsd === null ? null : centsOf(row.costNanoUsd),
    cost_saved: row.savedNanoUsd === null ? null : centsOf(row.savedNanoUsd),
    cost_currency: 'USD',
    request_url: row.path,
    request_method: row.method,
    endpoint: row.endpoint,
    response_status_code: row.status,
    response_time: row.durationMs,
    is_success: row.status < 400,
    is_proxy_call: row.endpoint === 'proxy',
    error: row.error,
    cache_status: row.cacheStatus,
    cache_type: hits[row.cacheStatus ?? ''] ?? null,
    stream_mode: row.stream,
    retry_success_count: row.status < 400 ? Math.max(row.retries, 0) : 0,
    trace_id: row.traceId,
    span_id: row.spanId,
    span_name: row.spanName,
    parent_span_id: row.parentSpanId,
    mode: row.fallback ? 'fallback' : 'single',
    virtual_key: row.providerSlug,
    source: row.source,
    config: row.configSlug,
    config_id: row.configId,
    config_version_id: row.configVersionId,
    last_used_option_index: row.target,
    prompt_id: row.promptId,
    prompt_slug: row.promptSlug,
    prompt_version: row.promptVersion,
    prompt_version_id: row.promptVersionId,
    workspace_slug: workspaceSlug,
    'metadata.key': Object.keys(metadata),
    'metadata.value': Object.values(metadata),
    api_key_id: row.keyId,
    user_id: row.userId,
    request_parsing_time: timings.parse,
    pre_processing_time: timings.prepare,
    guardrails_before_time: timings.guardrailsBefore,
    cache_processing_time: timings.cache,
    upstream_response_time: timings.upstream,
    // Replies are read while they pass, which nobody times.
    response_parsing_time: null,
    guardrails_after_time: timings.guardrailsAfter,
    first_byte_time: timings.firstByte ?? null,
    gateway_processing_time: Math.max(0, servedMs(row) - timings.upstream),
    attempts: row.attempts.map(({ target, provider, status, durationMs, error }) => ({
      target,
      provider: provider ?? null,
      status,
      duration: durationMs,
      error: error ?? null,
    })),
    guardrails: row.guardrails.map((report) => snakeCased(report) as JsonObject),
  };
}

/** Of a stream, what follows its first byte is the pace of its provider and its client. */
function servedMs({ stream, durationMs, timings }: LogRow): number {
  return stream ? (timings.firstByte ?? durationMs) : durationMs;
}

/** Reports of guardrails are kept by the names of the program. */
function snakeCased(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => snakeCased(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, member]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCased(member),
    ]),
  );
}
