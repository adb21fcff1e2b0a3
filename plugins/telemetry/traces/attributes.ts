import type { Attributes } from '@opentelemetry/api';
import type { Endpoint, RequestRecord } from 'portcullis/sdk';
import { providerName } from './provider-names.ts';

/** `gen_ai.operation.name` (semantic conventions 1.45.0); what is none of them asks no model. */
const operations: Readonly<Partial<Record<Endpoint, string>>> = {
  chatComplete: 'chat',
  messages: 'chat',
  createModelResponse: 'chat',
  complete: 'text_completion',
  embed: 'embeddings',
};

const mostMetadata = 32;

export function spanNameOf(record: RequestRecord): string {
  if (record.spanName !== undefined) return record.spanName;
  const operation = operationOf(record);
  const model = record.requestedModel ?? record.model;
  if (operation === undefined) return `${record.method} ${record.endpoint ?? record.path}`;
  return model === undefined ? operation : `${operation} ${model}`;
}

function operationOf({ endpoint }: RequestRecord): string | undefined {
  return endpoint === undefined ? undefined : operations[endpoint];
}

/** What is said about a request. No text of it, no credential; values that are undefined are left out. */
export function requestAttributes(record: RequestRecord): Attributes {
  const { usage, timings, provider } = record;
  return {
    'gen_ai.operation.name': operationOf(record),
    'gen_ai.provider.name': provider === undefined ? undefined : providerName(provider),
    'gen_ai.request.model': record.requestedModel,
    'gen_ai.request.stream': record.stream || undefined,
    'gen_ai.response.model': record.repliedModel ?? (record.status < 400 ? record.model : undefined),
    'gen_ai.response.time_to_first_chunk': record.stream && timings?.firstByte ? timings.firstByte / 1000 : undefined,
    'gen_ai.usage.input_tokens': usage?.input,
    'gen_ai.usage.output_tokens': usage?.output,
    'gen_ai.usage.cache_read.input_tokens': usage?.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheWrite,
    'gen_ai.usage.reasoning.output_tokens': usage?.reasoning,
    'http.request.method': record.method,
    'http.response.status_code': record.status,
    'url.path': record.path,
    'error.type': errorType(record),
    'portcullis.request.id': record.id,
    'portcullis.trace.id': record.traceId === record.id ? undefined : record.traceId,
    'portcullis.principal': record.principal,
    'portcullis.organisation.id': record.organisationId,
    'portcullis.workspace.id': record.workspaceId,
    'portcullis.api_key.id': record.keyId,
    'portcullis.config': record.configSlug,
    'portcullis.provider.slug': record.providerSlug,
    'portcullis.target': record.target,
    'portcullis.retries': record.retries === 0 ? undefined : record.retries,
    'portcullis.fallback': record.fallback || undefined,
    'portcullis.cache.status': record.cache,
    'portcullis.usage.source': record.usageSource,
    'portcullis.cost_usd': record.cost === undefined ? undefined : record.cost.nanoUsd / 1e9,
    'portcullis.overhead_ms': overheadMs(record),
    ...metadataOf(record),
  };
}

/** The code of the error; the status where there is none but it is one. */
export function errorType({ error, status }: { readonly error?: string | undefined; readonly status: number }) {
  return error ?? (status >= 400 ? String(status) : undefined);
}

function overheadMs({ timings }: RequestRecord): number | undefined {
  if (timings?.firstByte === undefined) return undefined;
  return Math.max(0, Math.round((timings.firstByte - timings.upstream) * 1000) / 1000);
}

function metadataOf({ metadata }: RequestRecord): Attributes {
  const attributes: Attributes = {};
  for (const key of Object.keys(metadata).slice(0, mostMetadata)) {
    attributes[`portcullis.metadata.${key.slice(0, 64)}`] = metadata[key];
  }
  return attributes;
}
