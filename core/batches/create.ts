import { asObject, asString, GatewayError, type JsonObject, type Outcome } from 'portcullis/sdk';
import { scopeOf } from '../affinity/pin.ts';
import { validateRequest } from '../http/validate.ts';
import type { Exchange } from '../pipeline/exchange.ts';
import type { OwnReply } from '../pipeline/own-request.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { refuseInline } from '../pipeline/saved-only.ts';
import { jsonOutcome } from '../upstream/outcome.ts';
import { batchIdOf, batchObject } from './batch.ts';
import { lineRouteOf, lineUrls } from './line-routes.ts';
import { lineHeaders } from './options.ts';
import { askAs, callerOf, type OwnRequest, wholeOf } from './own-exchange.ts';

/**
 * Makes a batch that the gateway runs itself. Its file is asked for first, as a request of the caller: what cannot be read
 * makes none.
 * @throws GatewayError `bad_request` naming the field; `throttled`
 */
export async function createBatch(runtime: Runtime, exchange: Exchange): Promise<Outcome> {
  const { batches, config } = runtime;
  const { body, vendors, principal, traceId, spanId } = exchange;
  validateRequest('batches', body, { strict: exchange.strict });
  const endpoint = asString(body.endpoint) ?? '';
  const inputFileId = asString(body.input_file_id) ?? '';
  if (lineRouteOf(endpoint) === undefined) {
    throw new GatewayError('bad_request', `endpoint must be one of ${lineUrls}.`, { param: 'endpoint' });
  }
  await refuseInline(runtime, exchange);
  const scope = scopeOf(exchange);
  batches.checkRoom(scope);
  const id = batchIdOf(batches.newId());
  const headers = lineHeaders(exchange.headers, body, vendors, { traceId, spanId, batchId: id });
  const reading = new AbortController();
  const file = contentRequest(batches.newId(), inputFileId);
  const caller = await callerOf(runtime, { principal, headers, vendors }, file);
  const reply = await askAs(batches.acquire(), caller, file, {}, reading.signal);
  if (reply.status > 299) return refusedBy(reply, config.server.maxReplyBytes);
  try {
    const metadata: JsonObject | null = asObject(body.metadata) ?? null;
    const lineBytes = config.server.bodyLimit;
    const made = {
      id,
      scope,
      endpoint,
      inputFileId,
      metadata,
      caller,
      input: reply.body,
      lineBytes,
      stopReading: () => reading.abort(),
    };
    return jsonOutcome(200, batchObject(await batches.create(made)));
  } catch (error) {
    reading.abort();
    throw error;
  }
}

function contentRequest(id: string, fileId: string): OwnRequest {
  return {
    id,
    method: 'GET',
    path: `/v1/files/${encodeURIComponent(fileId)}/content`,
    endpoint: 'retrieveFileContent',
    dialect: undefined,
    params: { id: fileId },
  };
}

/** The error that the file was answered with. */
async function refusedBy(reply: OwnReply, mostBytes: number): Promise<Outcome> {
  const bytes = (await wholeOf(reply, mostBytes)) ?? Buffer.alloc(0);
  const { status, headers } = reply;
  const { 'content-length': _, ...kept } = headers;
  return { ...jsonOutcome(status, {}), headers: kept, body: { kind: 'bytes', bytes }, error: 'upstream_error' };
}
