import type { Outcome, RequestContext, RequestNote, RequestRecord } from 'portcullis/sdk';
import { Exchange } from './exchange.ts';
import type { Runtime } from './runtime.ts';

/** How a reply ended: sent whole, or the client left first. */
export type Ending = 'sent' | 'left';

/** Adds to the record of a request. */
export function addNote(request: RequestContext, note: RequestNote): void {
  if (!(request instanceof Exchange)) return;
  const { guardrails = [], feedback = [], spans = [] } = request.note ?? {};
  request.note = {
    guardrails: [...guardrails, ...(note.guardrails ?? [])],
    feedback: [...feedback, ...(note.feedback ?? [])],
    spans: [...spans, ...(note.spans ?? [])],
  };
}

/** What follows a reply: plugins settle, then the record goes to the logs. */
export async function settle(runtime: Runtime, exchange: Exchange, outcome: Outcome, ending: Ending): Promise<void> {
  const record = recordOf(runtime, exchange, outcome, ending);
  const settled = runtime.pipeline.settle(exchange, record);
  if (settled instanceof Promise) await settled;
  // What plugins found out while they settled belongs to the record too.
  runtime.pipeline.log(exchange.note === undefined ? record : { ...record, ...exchange.note });
}

function recordOf(runtime: Runtime, exchange: Exchange, outcome: Outcome, ending: Ending): RequestRecord {
  const { access } = exchange.principal;
  const left = ending === 'left' || exchange.cancellation.cancelled;
  return {
    id: exchange.id,
    traceId: exchange.traceId,
    startedAt: exchange.startedAt,
    durationMs: runtime.now() - exchange.startedAt,
    method: exchange.method,
    path: exchange.path,
    endpoint: exchange.endpoint,
    status: left ? 499 : outcome.status,
    stream: outcome.body.kind === 'stream',
    principal: exchange.principal.id,
    organisationId: access?.organisationId,
    workspaceId: access?.workspaceId,
    keyId: access?.keyId,
    configId: exchange.savedConfig?.id,
    configSlug: exchange.savedConfig?.slug,
    providerSlug: exchange.providerSlug,
    provider: outcome.provider,
    model: outcome.model,
    target: outcome.path === '' ? undefined : outcome.path,
    retries: outcome.retries,
    usage: outcome.usage(),
    error: left ? 'client_closed' : outcome.error,
  };
}
