import {
  asObject,
  createFramer,
  type DocumentDialect,
  FramingError,
  type JsonObject,
  type Outcome,
  type ProviderFault,
  parseJson,
  type ReplySink,
  type ReplyStream,
  type Usage,
} from 'portcullis/sdk';
import { hintsAtError } from './failed-reply.ts';
import type { Outbound } from './outbound.ts';
import { repairOf, repliedFacts } from './repair.ts';
import type { Base, ReplyFacts } from './reply.ts';
import type { WireStream } from './transport.ts';

const jsonType = 'application/json; charset=utf-8';

/** A whole reply of an endpoint of documents: JSON in the dialect's form, or bytes. */
export function documentOutcome(
  bytes: Buffer,
  base: Base,
  outbound: Outbound,
  facts: ReplyFacts,
  refused: (fault: ProviderFault) => Outcome,
): Outcome {
  const { dialect, spec } = outbound.chosen;
  if (dialect?.kind !== 'document') throw new TypeError('This is no endpoint of documents.');
  const replied = repliedFacts(outbound, facts, base.headers);
  const contentType = String(base.headers['content-type'] ?? '');
  if (spec.wrap !== undefined && !contentType.includes('json')) {
    return documented(dialect, base, outbound, spec.wrap({ contentType, bytes }, replied));
  }
  const needsJson = spec.repair ?? spec.repairList ?? spec.unwrap;
  if (needsJson === undefined && !hintsAtError(bytes)) {
    return { ...base, body: { kind: 'bytes', bytes }, usage: usageOnce(dialect, () => parsed(bytes), outbound.asked) };
  }
  const came = parseJson(bytes.toString('utf8'));
  const object = asObject(came);
  if (object === undefined && !(Array.isArray(came) && spec.repairList !== undefined)) {
    return { ...base, body: { kind: 'bytes', bytes }, usage: () => dialect.usageIn({}, outbound.asked) };
  }
  const json =
    object === undefined
      ? (spec.repairList?.(came as never, replied) ?? {})
      : (repairOf(outbound, facts, base.headers)?.(object) ?? object);
  const fault = dialect.faultOf(json, 200);
  if (fault !== undefined) return refused(fault);
  if (spec.unwrap !== undefined) {
    const typed = spec.unwrap(json, replied);
    const headers = { ...base.headers, 'content-type': typed.contentType };
    const usage = usageOnce(dialect, () => json, outbound.asked);
    return { ...base, headers, body: { kind: 'bytes', bytes: typed.bytes }, usage };
  }
  return json === object
    ? { ...base, body: { kind: 'bytes', bytes }, usage: usageOnce(dialect, () => json, outbound.asked) }
    : documented(dialect, base, outbound, json);
}

/** JSON in the dialect's form as an outcome. */
export function documented(dialect: DocumentDialect, base: Base, { asked }: Outbound, json: JsonObject): Outcome {
  return {
    ...base,
    headers: { ...base.headers, 'content-type': jsonType },
    body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(json)) },
    usage: usageOnce(dialect, () => json, asked),
  };
}

function usageOnce(dialect: DocumentDialect, reply: () => JsonObject, asked: JsonObject): () => Usage | undefined {
  let known: { readonly usage: Usage | undefined } | undefined;
  return () => {
    known ??= { usage: dialect.usageIn(reply(), asked) };
    return known.usage;
  };
}

/** Bytes that flow, such as a file or speech; of events, the last that counts tells what was used. */
export function documentStream(stream: WireStream, base: Base, { chosen, asked }: Outbound): Outcome {
  const { dialect } = chosen;
  if (dialect?.kind !== 'document') throw new TypeError('This is no endpoint of documents.');
  if (!String(base.headers['content-type'] ?? '').includes('text/event-stream')) {
    return { ...base, body: { kind: 'stream', stream }, usage: () => dialect.usageIn({}, asked) };
  }
  const counted = new CountedEvents(stream, (event) => dialect.usageIn(event, asked));
  return {
    ...base,
    body: { kind: 'stream', stream: counted },
    usage: () => counted.usage ?? dialect.usageIn({}, asked),
  };
}

/** Forwards events untouched, and reads what they say about usage. */
class CountedEvents implements ReplyStream {
  readonly #source: WireStream;
  readonly #usageIn: (event: JsonObject) => Usage | undefined;
  #framer: ReturnType<typeof createFramer> | undefined = createFramer('sse');
  usage: Usage | undefined;

  constructor(source: WireStream, usageIn: (event: JsonObject) => Usage | undefined) {
    this.#source = source;
    this.#usageIn = usageIn;
  }

  pipe(sink: ReplySink): void {
    this.#source.pipe({
      data: (chunk) => {
        this.#look(chunk as Uint8Array);
        return sink.data(chunk);
      },
      end: () => sink.end(),
      error: (error) => sink.error(error),
    });
  }

  resume(): void {
    this.#source.resume();
  }

  abort(): void {
    this.#source.abort();
  }

  #look(chunk: Uint8Array): void {
    try {
      for (const { data } of this.#framer?.push(chunk) ?? []) {
        if (!data.includes('"usage"')) continue;
        this.usage = this.#usageIn(asObject(parseJson(data)) ?? {}) ?? this.usage;
      }
    } catch (error) {
      if (!(error instanceof FramingError)) throw error;
      this.#framer = undefined;
    }
  }
}

function parsed(bytes: Buffer): JsonObject {
  return asObject(parseJson(bytes.toString('utf8'))) ?? {};
}
