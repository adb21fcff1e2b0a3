import {
  asObject,
  asString,
  type ControlHost,
  hideCredentials,
  type Json,
  type JsonObject,
  type LogEntry,
  type Operation,
  parseJson,
} from 'portcullis/sdk';
import { maskedHeaders, namesOf } from '../record/masked-headers.ts';
import { untimed } from '../record/row.ts';
import { usageColumns } from '../record/usage-columns.ts';
import type { SentLog } from './read-body.ts';
import { modelOfPath, readReply } from './usage.ts';

/** Members of a log's metadata that say where it belongs in a trace. */
const tracing = new Set([
  'trace_id',
  'span_id',
  'span_name',
  'parent_span_id',
  'traceId',
  'spanId',
  'spanName',
  'parentSpanId',
]);

/** The log of a request that the gateway has not seen: its tokens and its cost are worked out as for those that it has. */
export async function entryOf(
  operation: Operation,
  host: Pick<ControlHost, 'price'>,
  workspaceId: string,
  sent: SentLog,
  full: boolean,
): Promise<LogEntry> {
  const { access, scope, now } = operation;
  const id = operation.newId();
  const path = pathOf(sent.url);
  const { usage, model: named, endpoint, stream, tier, region } = readReply(path, sent.responseBody);
  const requested = asString(asObject(sent.requestBody)?.model) ?? modelOfPath(path);
  const model = named ?? requested;
  const { organisationId } = scope;
  const { provider } = sent;
  const cost =
    usage === undefined || provider === undefined || model === undefined
      ? undefined
      : await host.price({ provider, model, usage, at: now, endpoint, tier, region, organisationId, workspaceId });
  const trace = (snake: string, camel: string) => sent.metadata[snake] ?? sent.metadata[camel] ?? null;
  return {
    row: {
      id,
      organisationId,
      workspaceId,
      createdAt: now,
      traceId: trace('trace_id', 'traceId')?.slice(0, 128) ?? id,
      spanId: trace('span_id', 'spanId')?.slice(0, 64) ?? id.replaceAll('-', '').slice(0, 16),
      parentSpanId: trace('parent_span_id', 'parentSpanId')?.slice(0, 64) ?? null,
      spanName: trace('span_name', 'spanName')?.slice(0, 128) ?? null,
      method: sent.method,
      path: withoutQuery(sent.url),
      endpoint: endpoint ?? null,
      status: sent.status,
      error: null,
      provider: provider ?? null,
      model: model ?? null,
      requestedModel: requested ?? null,
      providerSlug: null,
      keyId: access.keyId ?? null,
      userId: access.userId ?? null,
      configId: null,
      configSlug: null,
      configVersionId: null,
      promptId: null,
      promptSlug: null,
      promptVersion: null,
      promptVersionId: null,
      target: null,
      ...usageColumns(usage),
      costNanoUsd: cost?.nanoUsd ?? null,
      savedNanoUsd: null,
      stream: sent.stream || stream,
      retries: 0,
      fallback: false,
      cacheStatus: null,
      sentAs: null,
      replyUntouched: false,
      durationMs: sent.responseTime,
      timings: { ...untimed, upstream: sent.responseTime },
      attempts: [],
      user: sent.metadata._user ?? null,
      metadata: metadataOf(sent),
      guardrails: [],
      source: 'insert',
    },
    bodies: full ? bodiesOf(operation, sent) : undefined,
  };
}

function bodiesOf({ control }: Operation, sent: SentLog): LogEntry['bodies'] {
  const named = namesOf(control('sensitive-headers'));
  return {
    request: { headers: maskedHeaders(sent.requestHeaders, named), body: textOf(sent.requestBody) },
    response: { headers: maskedHeaders(sent.responseHeaders, named), body: textOf(sent.responseBody) },
    truncated: false,
  };
}

function metadataOf({ metadata }: SentLog): SentLog['metadata'] {
  const own: JsonObject = Object.fromEntries(Object.entries(metadata).filter(([name]) => !tracing.has(name)));
  return hideCredentials(own).body as SentLog['metadata'];
}

function textOf(body: Json): string {
  const object = asObject(typeof body === 'string' ? parseJson(body) : body);
  const shown = object === undefined ? body : hideCredentials(object).body;
  if (typeof body === 'string' && shown === object) return body;
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
}

/** A query can hold a key, and so can what stands before the host. */
function withoutQuery(url: string): string {
  return url
    .replace(/[?#].*$/s, '')
    .replace(/^([a-z]+:\/\/)[^/]*@/i, '$1')
    .slice(0, 1024);
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : withoutQuery(url);
}
