import {
  Answer,
  asObject,
  asString,
  dialects,
  type FormFile,
  GatewayError,
  type JsonObject,
  type Outcome,
  parseJson,
  type TargetContext,
} from 'portcullis/sdk';
import { refuseForeign } from '../affinity/pin.ts';
import { allowedModel } from '../pipeline/allowed-models.ts';
import type { Exchange } from '../pipeline/exchange.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { addNote } from '../pipeline/settle.ts';
import type { TargetProvider } from '../pipeline/target-provider.ts';
import type { Form } from '../uploads/index.ts';
import { inOrder } from './in-order.ts';
import { linesOf, type TextLine } from './json-lines.ts';
import { judgedLine, lineTarget } from './line-exchange.ts';
import { lineRouteOf, lineUrls } from './line-routes.ts';
import { noteUpload, uploadOf, WrittenFile } from './upload.ts';

const window = { atOnce: 16, mostBytes: 8 * 1024 * 1024 };

/**
 * Whether the lines of what is uploaded have to be looked at: where guardrails hold, only some models may be asked, or others
 * may have made things at the same account.
 */
export function holdsLines(exchange: Exchange, provider: TargetProvider, target: TargetContext): boolean {
  const { endpoint, upload, workspace } = exchange;
  if (endpoint !== 'uploadFile' || upload?.form === undefined || target.body.purpose !== 'batch') return false;
  return workspace !== undefined || isRewritten(provider, target);
}

function isRewritten({ models }: TargetProvider, target: TargetContext): boolean {
  return models !== undefined || isGuarded(target);
}

function isGuarded({ hooks, request: { defaultGuardrails } }: TargetContext): boolean {
  return hooks.before.length > 0 || defaultGuardrails?.some(({ input = [] }) => input.length > 0) === true;
}

/**
 * Judges each line of a file of batch requests as the request that it is. Where guardrails or models matter, what leaves is
 * what was looked at: the file is written anew.
 * @returns the denial of the first line that was denied
 * @throws GatewayError naming the first line that cannot be judged, asks for a model that is not served, or speaks of what
 *   another workspace has made
 */
export async function judgeLines(
  runtime: Runtime,
  exchange: Exchange,
  provider: TargetProvider,
  target: TargetContext,
): Promise<Answer | undefined> {
  const since = performance.now();
  const form = exchange.upload?.form;
  if (form === undefined) return undefined;
  const held = { rewritten: isRewritten(provider, target), guarded: isGuarded(target) };
  const facts = { runtime, exchange, provider, target, ...held };
  try {
    return await judgeFiles(facts, form);
  } finally {
    exchange.clock.spend('guardrailsBefore', since);
  }
}

interface Facts {
  readonly runtime: Runtime;
  readonly exchange: Exchange;
  readonly provider: TargetProvider;
  readonly target: TargetContext;
  readonly rewritten: boolean;
  readonly guarded: boolean;
}

async function judgeFiles(facts: Facts, form: Form): Promise<Answer | undefined> {
  const written: WrittenFile[] = [];
  const release = async (): Promise<void> => {
    await Promise.all(written.map((file) => file.release()));
  };
  facts.exchange.releases.push(release);
  const files: FormFile[] = [];
  for (const file of form.files) {
    const anew = new WrittenFile();
    written.push(anew);
    const denied = await judgeFile(facts, file, anew);
    if (denied !== undefined) return denied;
    const { field, filename, contentType } = file;
    files.push({ field, filename, contentType, size: anew.size, open: () => anew.open() });
  }
  if (!facts.rewritten) return undefined;
  noteUpload(facts.target, uploadOf(form, files, release));
  return undefined;
}

async function judgeFile(facts: Facts, file: FormFile, anew: WrittenFile): Promise<Answer | undefined> {
  const { cancellation } = facts.exchange;
  const lines = linesOf(file.open(), facts.runtime.config.server.bodyLimit);
  for await (const judged of inOrder(lines, window, (line) => judgeLine(facts, line))) {
    if (cancellation.cancelled) throw new GatewayError('client_closed', 'The client left before its file was judged.');
    if (judged instanceof Answer) return judged;
    if (facts.rewritten) await anew.add(judged);
  }
  await anew.end();
  return undefined;
}

/** The line as it leaves, or its denial. */
async function judgeLine(facts: Facts, { number, text }: TextLine): Promise<string | Answer> {
  const { runtime, exchange, provider, target, rewritten, guarded } = facts;
  const line = asObject(parseJson(text));
  // What nobody can read asks for nothing: its provider says so.
  if (line === undefined && !rewritten) return text;
  if (line === undefined) throw wrong(number, undefined, 'is no JSON object');
  const route = lineRouteOf(asString(line.url) ?? '');
  const given = asObject(line.body);
  if (guarded && route === undefined) throw wrong(number, line, `has no url that is known: one of ${lineUrls}`);
  if (guarded && (given === undefined || (asString(line.method) ?? 'POST').toUpperCase() !== 'POST'))
    throw wrong(number, line, 'needs the method POST and a body that is an object');
  const { endpoint, dialect, path } = route ?? {
    endpoint: 'uploadFile' as const,
    dialect: undefined,
    path: exchange.path,
  };
  const own = lineTarget(exchange, target, { endpoint, dialect, path, body: given ?? {} });
  try {
    allowedModel(own.request, provider, own);
    await refuseForeign(runtime, own.request);
    if (!guarded) return JSON.stringify(line);
    const body = await judgedLine(runtime, exchange, own.request, () => runtime.pipeline.beforeRequest(own));
    if (body instanceof Answer) return new Answer(denialOf(exchange, number, line, own.request, body.outcome));
    return JSON.stringify(body === given ? line : { ...line, body });
  } catch (error) {
    if (error instanceof RangeError) throw wrong(number, line, 'is nested too deeply');
    throw GatewayError.is(error) ? named(error, number, line) : error;
  }
}

/** The guardrails' own denial, in the form of the upload's errors, with the line that it is for. */
function denialOf(exchange: Exchange, number: number, line: JsonObject, judged: Exchange, outcome: Outcome): Outcome {
  const given =
    outcome.body.kind === 'bytes' ? asObject(parseJson(Buffer.from(outcome.body.bytes).toString('utf8'))) : undefined;
  const said = asObject(given?.error);
  const text = asString(said?.message) ?? 'A guardrail answers in place of the model.';
  const status = outcome.status >= 400 ? outcome.status : 446;
  const type = asString(said?.type) ?? 'hooks_failed';
  const message = `${called(number, line)} was denied: ${text}`;
  const fault = dialects[exchange.dialect ?? 'chat'].encodeFault({ status, message, type, param: 'file' }, exchange.id);
  const error = { ...asObject(fault.error), type };
  const results = given?.hook_results === undefined ? {} : { hook_results: given.hook_results };
  // What was found out about the line belongs to the record of its file.
  if (judged.note !== undefined) addNote(exchange, judged.note);
  return {
    ...outcome,
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify({ ...fault, error, ...results })) },
    model: undefined,
    error: outcome.error ?? 'guardrail_denied',
  };
}

function wrong(number: number, line: JsonObject | undefined, what: string): GatewayError {
  return new GatewayError('bad_request', `${called(number, line)} ${what}.`, { param: 'file' });
}

function named(
  { code, message, status, type, headers, cause }: GatewayError,
  number: number,
  line: JsonObject,
): GatewayError {
  return new GatewayError(code, `${called(number, line)}: ${message}`, { param: 'file', status, type, headers, cause });
}

function called(number: number, line: JsonObject | undefined): string {
  const id = asString(line?.custom_id);
  return `Line ${number}${id === undefined ? '' : ` (custom_id ${JSON.stringify(id.slice(0, 100))})`} of the file`;
}
