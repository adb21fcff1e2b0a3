import {
  asObject,
  asString,
  type ControlHost,
  createFramer,
  GatewayError,
  type InferenceReply,
  type Json,
  type JsonObject,
  type Operation,
  parseJson,
} from 'portcullis/sdk';

/** One of the models that are asked side by side. */
export interface Trial {
  readonly index: number;
  readonly path: '/v1/chat/completions' | '/v1/completions';
  readonly body: JsonObject;
  /** Id or slug of a saved config that it goes through. */
  readonly config: string | undefined;
}

/** How one of them ended. */
export interface TrialResult {
  readonly index: number;
  readonly model: Json | undefined;
  readonly status: number;
  /** In the logs; absent: there was no request. */
  readonly request_id?: string;
  readonly duration_ms: number;
  /** The completion, or the error; a stream's is in its chunks. */
  readonly body?: JsonObject | undefined;
  /** It broke off, or could not be read. */
  readonly error?: TrialError | undefined;
}

interface TrialError {
  readonly message: string;
}

export type TrialEvent =
  | { readonly event: 'chunk'; readonly index: number; readonly data: Json }
  | { readonly event: 'result'; readonly result: TrialResult };

type Host = Pick<ControlHost, 'infer' | 'now'>;

/** Runs one trial: its chunks where it streams, then how it ended. It never throws: a failure is a result as well. */
export async function* runTrial(
  host: Host,
  trial: Trial,
  operation: Operation,
  signal: AbortSignal,
): AsyncGenerator<TrialEvent> {
  const startedAt = host.now();
  const resultOf = (ending: Ending): TrialEvent => ({
    event: 'result',
    result: { index: trial.index, model: trial.body.model, ...ending, duration_ms: host.now() - startedAt },
  });
  const { path, body, config } = trial;
  let reply: InferenceReply;
  try {
    const control = config === undefined ? {} : { control: { config } };
    reply = await host.infer({ path, body, signal, ...control }, operation);
  } catch (error) {
    yield resultOf({ status: GatewayError.is(error) ? error.status : 500, error: errorOf(error) });
    return;
  }
  const { id: request_id, status } = reply;
  try {
    const streams = body.stream === true && status < 300;
    const read = streams ? { error: yield* chunksOf(reply, trial.index) } : { body: await bodyOf(reply) };
    yield resultOf({ status, request_id, ...read });
  } catch (error) {
    yield resultOf({ status, request_id, error: errorOf(error) });
  }
}

type Ending = Omit<TrialResult, 'index' | 'model' | 'duration_ms'>;

/** @returns the first error that the stream told of, if any */
async function* chunksOf({ body }: InferenceReply, index: number): AsyncGenerator<TrialEvent, TrialError | undefined> {
  const framer = createFramer('sse');
  let fault: TrialError | undefined;
  const read = ({ data }: { readonly data: string }): TrialEvent[] => {
    if (data === '[DONE]') return [];
    const json = parseJson(data);
    const error = asObject(asObject(json)?.error);
    if (error !== undefined) fault ??= { message: asString(error.message) ?? 'The stream broke off.' };
    return [{ event: 'chunk', index, data: json === undefined ? data : json }];
  };
  for await (const piece of body) yield* framer.push(piece).flatMap(read);
  yield* framer.end().flatMap(read);
  return fault;
}

async function bodyOf({ body }: InferenceReply): Promise<JsonObject> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  const reply = asObject(parseJson(Buffer.concat(pieces).toString('utf8')));
  if (reply !== undefined) return reply;
  throw new GatewayError('upstream_invalid', 'The reply is not a JSON object.');
}

function errorOf(error: unknown): TrialError {
  return { message: error instanceof Error ? error.message : 'It failed.' };
}
