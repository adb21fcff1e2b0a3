import {
  asArray,
  asObject,
  asString,
  GatewayError,
  type JsonObject,
  type MaybePromise,
  type Outcome,
  parseJson,
} from 'portcullis/sdk';
import { scopeOf } from '../affinity/pin.ts';
import { type Exchange, metadataOf } from '../pipeline/exchange.ts';
import { asksProvider } from '../pipeline/models.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { streamOf } from '../upstream/iterable-stream.ts';
import { jsonOutcome } from '../upstream/outcome.ts';
import {
  batchObject,
  type FileKind,
  fileNamed,
  fileObject,
  hasFile,
  isFinal,
  isOwnBatch,
  isOwnFile,
  type StoredBatch,
} from './batch.ts';
import { createBatch } from './create.ts';

/** What takes the request to its provider. */
export type Pass = () => MaybePromise<Outcome>;

/**
 * The answer to a request for batches that the gateway runs itself, or for their files. Undefined, without a promise, for every
 * other request.
 * @param pass what would be done otherwise, for lists that a provider goes on with
 */
export function ownAnswer(runtime: Runtime, exchange: Exchange, pass: Pass): MaybePromise<Outcome | undefined> {
  const answer = answerOf(runtime, exchange, pass);
  return answer?.catch((cause: unknown) => {
    if (GatewayError.is(cause)) throw cause;
    throw new GatewayError('not_ready', 'The batches of the gateway cannot be reached at the moment.', { cause });
  });
}

function answerOf(runtime: Runtime, exchange: Exchange, pass: Pass): Promise<Outcome | undefined> | undefined {
  const { endpoint, params, body } = exchange;
  switch (endpoint) {
    case 'createBatch':
      return body.completion_window === 'immediate' ? createBatch(runtime, entered(exchange)) : undefined;
    case 'listBatches':
      return listed(runtime, exchange, pass);
    case 'retrieveBatch':
    case 'cancelBatch':
    case 'getBatchOutput':
      return isOwnBatch(params.id) ? ofBatch(runtime, entered(exchange), params.id) : undefined;
    case 'retrieveFile':
    case 'retrieveFileContent':
    case 'deleteFile':
      return isOwnFile(params.id) ? ofFile(runtime, entered(exchange), params.id) : undefined;
    default:
      return undefined;
  }
}

function entered(exchange: Exchange): Exchange {
  exchange.metadata = metadataOf(exchange);
  return exchange;
}

async function ofBatch({ batches }: Runtime, exchange: Exchange, id: string): Promise<Outcome> {
  const batch = await batches.find(id, scopeOf(exchange));
  if (batch === undefined) throw unknown('batch', id);
  if (exchange.endpoint === 'retrieveBatch') return jsonOutcome(200, batchObject(batch));
  if (exchange.endpoint === 'cancelBatch') {
    if (isFinal(batch)) {
      const text = `The batch ${id} cannot be cancelled: its status is ${batch.status}.`;
      throw new GatewayError('conflict', text, { param: 'id' });
    }
    return jsonOutcome(200, batchObject(await batches.cancel(batch)));
  }
  const kind = (['output', 'error'] as const).find((candidate) => hasFile(batch, candidate));
  if (kind !== undefined) return contentOf(batches.content(id, kind));
  const text = `The batch ${id} has no output: its status is ${batch.status}.`;
  throw new GatewayError('not_found', text, { param: 'id' });
}

async function ofFile({ batches }: Runtime, exchange: Exchange, id: string): Promise<Outcome> {
  const { batch, kind } = await ownFile(batches, exchange, id);
  if (exchange.endpoint === 'retrieveFile') return jsonOutcome(200, fileObject(batch, kind));
  if (exchange.endpoint === 'retrieveFileContent') return contentOf(batches.content(batch.id, kind));
  await batches.removeFile(batch.id, kind);
  return jsonOutcome(200, { id, object: 'file', deleted: true });
}

async function ownFile(
  batches: Runtime['batches'],
  exchange: Exchange,
  id: string,
): Promise<{ readonly batch: StoredBatch; readonly kind: FileKind }> {
  const named = fileNamed(id);
  const batch = named === undefined ? undefined : await batches.find(named.batchId, scopeOf(exchange));
  if (named === undefined || batch === undefined || !hasFile(batch, named.kind)) throw unknown('file', id);
  return { batch, kind: named.kind };
}

function contentOf(pieces: AsyncIterable<Uint8Array>): Outcome {
  return {
    ...jsonOutcome(200, {}),
    headers: { 'content-type': 'application/jsonl' },
    body: { kind: 'stream', stream: streamOf(pieces) },
  };
}

function unknown(what: string, id: string): GatewayError {
  return new GatewayError('not_found', `The ${what} "${id.slice(0, 100)}" does not exist.`, { param: 'id' });
}

const standardLimit = 20;
const mostListed = 100;

/** The batches of the gateway come first; what a page has left is its provider's, where one is asked. */
async function listed(runtime: Runtime, exchange: Exchange, pass: Pass): Promise<Outcome | undefined> {
  const query = new URLSearchParams(exchange.query);
  const after = query.get('after') ?? undefined;
  if (after !== undefined && !isOwnBatch(after)) return undefined;
  const asked = asksOne(runtime, exchange);
  const { batches } = runtime;
  const scope = scopeOf(exchange);
  const last = after === undefined ? undefined : await batches.find(after, scope);
  if (after !== undefined && last === undefined) throw unknown('batch', after);
  const limit = Math.min(Math.max(Math.trunc(Number(query.get('limit'))) || standardLimit, 1), mostListed);
  const { batches: found, more } = await batches.list(scope, limit, last);
  const own = found.map(batchObject);
  if (after === undefined && own.length === 0 && asked) return undefined;
  if (!asked || own.length >= limit) {
    entered(exchange);
    return jsonOutcome(200, page(own, more || asked));
  }
  query.delete('after');
  query.set('limit', String(limit - own.length));
  exchange.query = `?${query}`;
  const outcome = await pass();
  return withOwn(own, outcome);
}

function withOwn(own: readonly JsonObject[], outcome: Outcome): Outcome {
  // A provider without batches has none to add.
  if (outcome.error === 'endpoint_unsupported') return jsonOutcome(200, page(own, false));
  if (outcome.status > 299 || outcome.body.kind === 'stream') return outcome;
  const list = asObject(parseJson(Buffer.from(outcome.body.bytes).toString('utf8')));
  if (list === undefined) return outcome;
  const data = [...own, ...asArray(list.data).map((item) => asObject(item) ?? {})];
  const bytes = Buffer.from(JSON.stringify({ ...list, ...page(data, list.has_more === true) }));
  return { ...outcome, body: { kind: 'bytes', bytes } };
}

function page(data: readonly JsonObject[], has_more: boolean): JsonObject {
  const id = (item: JsonObject | undefined) => asString(item?.id) ?? null;
  return { object: 'list', data: [...data], first_id: id(data[0]), last_id: id(data.at(-1)), has_more };
}

/** Whether the request says, or its caller's defaults say, where it goes. */
function asksOne({ config }: Runtime, exchange: Exchange): boolean {
  const { principal, organisation, workspace } = exchange;
  const standing =
    principal.access === undefined
      ? config.defaultConfig
      : (workspace?.defaults.config ?? organisation?.defaults.config);
  return asksProvider(exchange) || principal.config !== undefined || standing !== undefined;
}
