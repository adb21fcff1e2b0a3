import type { FeedbackRow, LogBodies, LogRow } from 'portcullis/sdk';

export const hour = 3_600_000;
/** A whole hour. */
export const start = Date.UTC(2026, 0, 5, 10);

let made = 0;

/** A request as it would be logged; what is not given is plain. */
export function logRow(given: Partial<LogRow> = {}): LogRow {
  made += 1;
  return {
    id: `request-${made}`,
    organisationId: 'org-1',
    workspaceId: 'ws-1',
    createdAt: start + made,
    traceId: `trace-${made}`,
    spanId: '0123456789abcdef',
    parentSpanId: null,
    spanName: null,
    method: 'POST',
    path: '/v1/chat/completions',
    endpoint: 'chatComplete',
    status: 200,
    error: null,
    provider: 'openai',
    model: 'gpt-4o-mini',
    requestedModel: 'gpt-4o-mini',
    providerSlug: 'main',
    keyId: 'key-1',
    userId: null,
    configId: null,
    configSlug: 'pc-main',
    configVersionId: null,
    promptId: null,
    promptSlug: null,
    promptVersion: null,
    promptVersionId: null,
    target: 'config.targets[0]',
    inputTokens: 100,
    outputTokens: 50,
    totalTokens: 150,
    cacheReadTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
    usageSource: 'provider',
    costNanoUsd: 1_500_000,
    savedNanoUsd: null,
    stream: false,
    retries: 0,
    fallback: false,
    cacheStatus: 'MISS',
    sentAs: null,
    replyUntouched: false,
    durationMs: 120.5,
    timings: {
      parse: 0.1,
      prepare: 0.2,
      guardrailsBefore: 0,
      cache: 0.05,
      upstream: 119.5,
      guardrailsAfter: 0,
      firstByte: 119.9,
    },
    attempts: [{ target: 'config.targets[0]', provider: 'openai', status: 200, startedAt: start, durationMs: 119.5 }],
    user: null,
    metadata: {},
    guardrails: [],
    source: 'gateway',
    ...given,
  };
}

export function feedbackRow(given: Partial<FeedbackRow> = {}): FeedbackRow {
  made += 1;
  return {
    id: `feedback-${made}`,
    organisationId: 'org-1',
    workspaceId: 'ws-1',
    traceId: 'trace-1',
    createdAt: start + made,
    value: 5,
    weight: 1,
    metadata: {},
    givenBy: 'key-1',
    ...given,
  };
}

export function bodiesOf(request: string | Uint8Array, response: string | Uint8Array): LogBodies {
  return {
    request: { headers: { 'content-type': 'application/json' }, body: request },
    response: { headers: { 'x-request-id': 'abc' }, body: response },
    truncated: false,
  };
}
