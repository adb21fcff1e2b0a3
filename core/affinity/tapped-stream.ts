import {
  asArray,
  asObject,
  asString,
  createFramer,
  type Endpoint,
  type Framer,
  type JsonObject,
  parseJson,
  type ReplySink,
  type ReplyStream,
} from 'portcullis/sdk';
import { type Made, type MakingRequest, madeInEvent } from './made.ts';

export interface TappedStreamOptions {
  readonly exchange: MakingRequest;
  /** Whether the plan has more than one target: then items of responses have to be found again. */
  readonly severalTargets: boolean;
  /** Told of what the stream has made. */
  readonly note: (made: readonly Made[]) => void;
}

/** Whether a stream that answers the request may tell of objects that it makes. */
export function makesInStream({ endpoint, body }: MakingRequest): boolean {
  if (endpoint === 'createModelResponse' || endpoint === 'threads') return true;
  // Code of a model runs in a container, which the answer names.
  return endpoint === 'messages' && toolTypes(body).some((type) => type.startsWith('code_execution'));
}

/** Events that come before the one that names the response: more are not waited for. */
const mostEvents = 32;

/**
 * A stream of events that is read beside its way to the client. It passes untouched; nothing more is read once everything
 * that is looked for has been told, which for a response without items to be found again is its first event.
 */
export class TappedStream implements ReplyStream {
  readonly #stream: ReplyStream;
  readonly #options: TappedStreamOptions;
  readonly #toTheEnd: boolean;
  #framer: Framer | undefined = createFramer('sse');
  #events = 0;

  constructor(stream: ReplyStream, options: TappedStreamOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#toTheEnd = tellsToTheEnd(options);
  }

  pipe(sink: ReplySink): void {
    this.#stream.pipe({
      data: (chunk) => {
        if (this.#framer !== undefined) this.#read(this.#framer, chunk);
        return sink.data(chunk);
      },
      end: () => sink.end(),
      error: (error) => sink.error(error),
    });
  }

  resume(): void {
    this.#stream.resume();
  }

  abort(): void {
    this.#stream.abort();
  }

  #read(framer: Framer, chunk: Uint8Array | string): void {
    try {
      for (const { data } of framer.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) this.#see(data);
    } catch {
      // What cannot be read is still forwarded: the client may know the format better than this gateway.
      this.#framer = undefined;
    }
  }

  #see(data: string): void {
    if (this.#framer === undefined) return;
    this.#events += 1;
    const { exchange, note } = this.#options;
    const json = mayTell(exchange.endpoint, data) ? asObject(parseJson(data)) : undefined;
    const made = json === undefined ? [] : madeInEvent(exchange, json);
    if (made.length > 0) note(made);
    if (!this.#toTheEnd && (made.length > 0 || this.#events >= mostEvents)) this.#framer = undefined;
  }
}

function tellsToTheEnd({ exchange: { endpoint, body }, severalTargets }: TappedStreamOptions): boolean {
  if (endpoint === 'messages') return true;
  if (endpoint !== 'createModelResponse') return false;
  const encrypts = asArray(body.include).includes('reasoning.encrypted_content');
  return severalTargets || encrypts || toolTypes(body).includes('code_interpreter');
}

function toolTypes({ tools }: JsonObject): readonly string[] {
  return asArray(tools).map((tool) => asString(asObject(tool)?.type) ?? '');
}

/** What an event that is worth to be taken apart has in its text: the many others are not. */
const marks: { readonly [E in Endpoint]?: RegExp } = {
  createModelResponse: /"response\.(?:created|queued|in_progress|output_item\.done)"/,
  threads: /"thread(?:\.run)?"/,
  messages: /"container"/,
};

function mayTell(endpoint: Endpoint, data: string): boolean {
  return marks[endpoint]?.test(data) === true;
}
