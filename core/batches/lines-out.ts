import {
  asObject,
  asString,
  GatewayError,
  type JsonObject,
  type MaybePromise,
  type Outcome,
  parseJson,
  type TargetContext,
} from 'portcullis/sdk';
import type { Exchange } from '../pipeline/exchange.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { chunksOf, streamOf } from '../upstream/iterable-stream.ts';
import { jsonOutcome } from '../upstream/outcome.ts';
import { inOrder } from './in-order.ts';
import { linesOf, type TextLine } from './json-lines.ts';
import { judgedLine, lineTarget } from './line-exchange.ts';
import { opened } from './opened.ts';
import { shapeOfReply } from './reply-shape.ts';

const window = { atOnce: 16, mostBytes: 8 * 1024 * 1024 };

/** Whether the reply may hold answers of models that guardrails have to look at. */
export function holdsOutput({ endpoint }: Exchange, { hooks, request: { defaultGuardrails } }: TargetContext): boolean {
  if (endpoint !== 'getBatchOutput' && endpoint !== 'retrieveFileContent') return false;
  return hooks.after.length > 0 || defaultGuardrails?.some(({ output = [] }) => output.length > 0) === true;
}

/**
 * Judges each answer in the output of a batch as the reply that it is, while the output flows; a denial takes the place of
 * what it denies. Other bytes pass as they are.
 * @throws GatewayError `bad_request` for a part of a file, which shows nothing of what it is a part of
 */
export function judgeOutput(
  runtime: Runtime,
  exchange: Exchange,
  target: TargetContext,
  outcome: Outcome,
): MaybePromise<Outcome> {
  const { status, body, headers } = outcome;
  if (status > 299) return outcome;
  if (status === 206 || headers['content-range'] !== undefined || headers['content-encoding'] !== undefined) {
    if (body.kind === 'stream') body.stream.abort();
    const text =
      'Guardrails hold for the output of batches, and this reply is a part of a file, or is encoded: ask for the whole.';
    throw new GatewayError('bad_request', text, { param: 'range' });
  }
  return judgedPieces(runtime, exchange, target, outcome);
}

async function judgedPieces(
  runtime: Runtime,
  exchange: Exchange,
  target: TargetContext,
  outcome: Outcome,
): Promise<Outcome> {
  const { body } = outcome;
  const { maxReplyBytes } = runtime.config.server;
  const pieces = body.kind === 'stream' ? chunksOf(body.stream) : once(body.bytes);
  const { isOutput, all } = await opened(pieces, maxReplyBytes, (text) => outputOf(text) !== undefined);
  if (!isOutput) return { ...outcome, body: { kind: 'stream', stream: streamOf(all) } };
  const lines = linesOf(all, maxReplyBytes);
  const judge = (line: TextLine) => judgeLine(runtime, exchange, target, outcome, line);
  return { ...outcome, body: { kind: 'stream', stream: streamOf(written(inOrder(lines, window, judge))) } };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* written(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield Buffer.from(`${line}\n`);
}

/** A line of an output file: `{id, custom_id, response: {status_code, request_id, body}, error}`. */
interface OutputLine {
  readonly line: JsonObject;
  /** Undefined: none, or an error. */
  readonly reply: JsonObject | undefined;
}

function outputOf(text: string): OutputLine | undefined {
  const line = text.startsWith('{') ? asObject(parseJson(text)) : undefined;
  if (line === undefined || !('custom_id' in line) || !('response' in line || 'error' in line)) return undefined;
  const response = asObject(line.response);
  const failed = Number(response?.status_code ?? 200) > 299;
  return { line, reply: response === undefined || failed ? undefined : asObject(response.body) };
}

function judgeLine(
  runtime: Runtime,
  exchange: Exchange,
  target: TargetContext,
  { provider, path }: Outcome,
  { text }: TextLine,
): MaybePromise<string> {
  const { line, reply } = outputOf(text) ?? {};
  if (line === undefined || reply === undefined) return text;
  const model = asString(reply.model);
  const shape = shapeOfReply(reply);
  const own = lineTarget(exchange, target, { ...shape, body: model === undefined ? {} : { model } });
  const given: Outcome = { ...jsonOutcome(200, reply), provider, model, path };
  return judgedLine(runtime, exchange, own.request, () => runtime.pipeline.afterRequest(own, given)).then((outcome) => {
    if (outcome === given || outcome.body.kind === 'stream') return text;
    const body = parseJson(Buffer.from(outcome.body.bytes).toString('utf8')) ?? null;
    return JSON.stringify({ ...line, response: { ...asObject(line.response), status_code: outcome.status, body } });
  });
}
