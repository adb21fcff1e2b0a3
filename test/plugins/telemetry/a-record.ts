import type { RequestRecord } from 'portcullis/sdk';

/** A chat request that was served at the first try. */
export function aRecord(fields: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: '2b3ef1e2-58aa-4a0d-8a5a-0d6c3f5e8a11',
    traceId: '2b3ef1e2-58aa-4a0d-8a5a-0d6c3f5e8a11',
    spanId: 'b7ad6b7169203331',
    startedAt: 1_700_000_000_000,
    durationMs: 100,
    method: 'POST',
    path: '/v1/chat/completions',
    endpoint: 'chatComplete',
    status: 200,
    stream: false,
    principal: 'key:web',
    provider: 'some',
    model: 'm-1',
    requestedModel: 'm',
    target: 'config',
    retries: 0,
    usage: { input: 30, output: 40 },
    cost: { nanoUsd: 1_500_000_000, parts: {}, source: 'catalogue' },
    metadata: {},
    error: undefined,
    ...fields,
  };
}
