import {
  asObject,
  type EmbeddingDialect,
  type GenerationDialect,
  type JsonObject,
  type MaybePromise,
  parseJson,
  UsageMeter,
  type UsageRule,
} from 'portcullis/sdk';
import { Capture } from './capture.ts';
import { type StreamReading, saidInBytes, saidInStream } from './replied.ts';
import { modelNamedIn } from './replied-model.ts';
import type { Said } from './said-texts.ts';

type CountedDialect = GenerationDialect | EmbeddingDialect;

/** A reply of a provider, as far as its tokens go. */
export interface CountedReply {
  readonly meter: UsageMeter;
  /** Of a reply that came whole. */
  readonly bytes?: Uint8Array;
  /** The model that it names, as far as it is read. */
  readonly model: string | undefined;
  /** What it has said so far, and how many times as much has passed as was kept. */
  said(): MaybePromise<{ readonly said: Said; readonly times: number }>;
}

export class StreamedReply implements CountedReply {
  readonly meter: UsageMeter;
  readonly capture = new Capture();
  readonly #reading: StreamReading;

  constructor(meter: UsageMeter, reading: StreamReading) {
    this.meter = meter;
    this.#reading = reading;
  }

  get model(): string | undefined {
    return this.meter.model;
  }

  said(): ReturnType<CountedReply['said']> {
    return saidInStream(this.capture, this.#reading);
  }
}

/** A reply that came whole; most are forwarded unread, and read for their counts when somebody asks. */
export class WholeReply implements CountedReply {
  readonly bytes: Buffer;
  readonly #dialect: CountedDialect;
  readonly #json: JsonObject | undefined;
  #meter: UsageMeter | undefined;

  /** `json`: the reply, where it has been parsed already. */
  constructor(bytes: Buffer, dialect: CountedDialect, json?: JsonObject) {
    this.bytes = bytes;
    this.#dialect = dialect;
    this.#json = json;
  }

  get meter(): UsageMeter {
    if (this.#meter !== undefined) return this.#meter;
    this.#meter = new UsageMeter(this.#dialect.usage);
    const counts = this.#json ?? countsIn(this.bytes, this.#dialect.usage);
    if (counts !== undefined) this.#meter.seeWhole(counts);
    return this.#meter;
  }

  get model(): string | undefined {
    return this.meter.model ?? modelNamedIn(this.bytes);
  }

  async said(): Promise<Awaited<ReturnType<CountedReply['said']>>> {
    return { said: await saidInBytes(this.bytes, this.#dialect), times: 1 };
  }
}

/**
 * Formats put their counts last, so the end of a reply is usually enough: what stands from the key on is, with a brace in
 * front, a whole object exactly when the key belongs to the reply itself and not to something inside it. Uses of tools
 * stand in what was said, and the tier may stand before it: then all of it is read.
 */
function countsIn(bytes: Buffer, { member }: UsageRule): JsonObject | undefined {
  const key = member === undefined ? usageKey : `"${member}"`;
  const at = bytes.lastIndexOf(key);
  const isLast = at !== -1 && bytes.length - at <= longestUsage;
  const end = isLast ? asObject(parseJson(`{${bytes.toString('latin1', at)}`)) : undefined;
  if (end !== undefined && (end.service_tier !== undefined || !bytes.includes(tierKey)) && !bytes.includes(toolCall))
    return end;
  const holdsCounts = member === undefined ? bytes.includes('"usage') : at !== -1;
  return holdsCounts ? asObject(parseJson(bytes.toString('utf8'))) : undefined;
}

/** Bytes from the key to the end of the reply. */
const longestUsage = 1024;
const usageKey = Buffer.from('"usage"');
const tierKey = Buffer.from('"service_tier"');
const toolCall = Buffer.from('_call"');
