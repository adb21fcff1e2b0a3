import type { DialectName, Endpoint, JsonObject, Outcome, TargetContext } from 'portcullis/sdk';
import { uncounted } from '../ledger/finish-usage.ts';
import { Exchange } from '../pipeline/exchange.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { recordOf } from '../pipeline/settle.ts';
import { jsonOutcome } from '../upstream/outcome.ts';

/** What a line of a file stands for: a request, or the reply to one. */
export interface LineFacts {
  readonly path: string;
  readonly endpoint: Endpoint;
  readonly dialect: DialectName | undefined;
  readonly body: JsonObject;
}

/**
 * A line as policies see it: a request of the same caller, in the same place, to the same target. Nothing of it is counted:
 * it is looked at here, and sent by its provider.
 */
export function lineTarget(
  exchange: Exchange,
  target: TargetContext,
  line: LineFacts,
): TargetContext & { readonly request: Exchange } {
  const { id, headers, vendors, startedAt } = exchange;
  const request = new Exchange({
    id,
    method: 'POST',
    path: line.path,
    query: '',
    endpoint: line.endpoint,
    dialect: line.dialect,
    params: {},
    headers,
    vendors,
    startedAt,
  });
  request.principal = exchange.principal;
  request.metadata = exchange.metadata;
  request.organisation = exchange.organisation;
  request.workspace = exchange.workspace;
  request.defaultGuardrails = exchange.defaultGuardrails;
  request.savedConfig = exchange.savedConfig;
  request.savedOnly = exchange.savedOnly;
  request.providerSlug = exchange.providerSlug;
  request.body = line.body;
  request.dry = true;
  return { ...target, request, body: line.body, retry: undefined, cache: undefined };
}

/** Work at a line that ends when its file's request does; what plugins do behind a reply is done behind it. */
export async function judgedLine<T>(
  runtime: Runtime,
  exchange: Exchange,
  line: Exchange,
  judge: () => T | Promise<T>,
): Promise<T> {
  const forget = exchange.cancellation.onCancel(() => line.cancellation.cancel());
  try {
    return await judge();
  } finally {
    forget();
    await settleLine(runtime, line);
  }
}

async function settleLine(runtime: Runtime, line: Exchange): Promise<void> {
  const nothing: Outcome = jsonOutcome(200, {});
  const timings = line.clock.timings();
  const findings = { left: false, ...uncounted, cost: undefined, durationMs: 0, timings };
  await runtime.pipeline.settle(line, recordOf(line, nothing, findings));
}
