import type { Frame, Framing } from '../framing/framing.ts';
import type { JsonObject } from '../json.ts';
import type { Call, Completion, Delta, EmbeddingCall, Embeddings, ProviderFault, Usage } from './neutral.ts';
import type { UsageMeter, UsageRule } from './usage-meter.ts';

export type GenerationDialectName =
  | 'chat'
  | 'completions'
  | 'messages'
  | 'responses'
  | 'gemini'
  | 'converse'
  | 'cohere';
export type EmbeddingDialectName = 'embeddings' | 'gemini-embeddings' | 'cohere-embeddings';
export type DocumentDialectName =
  | 'rerank'
  | 'images'
  | 'moderations'
  | 'ocr'
  | 'speech'
  | 'transcriptions'
  | 'files'
  | 'batches'
  | 'fine-tuning';
export type DialectName = GenerationDialectName | EmbeddingDialectName | DocumentDialectName;

/** What a codec may ask while it translates. Codecs are pure: same input and context, same output; they never change their input. */
export interface CodecContext {
  /** True: the wire holds only what the format's own documents name. False: known extras may be added. */
  readonly strict: boolean;
  /**
   * The message field for thinking in the variant of the chat format that is written, such as `reasoning_content`. Absent:
   * strict has no place for thinking. Other formats ignore it.
   */
  readonly reasoningField?: string;
  /** Says that a field of the input has no place in the output. Logged, once a field; never holds a value. */
  dropped(field: string): void;
}

export interface ReplyContext extends CodecContext {
  /** The client's request in the client's dialect: encoders read what the client asked for (usage in streams, encoding format). */
  readonly request: JsonObject;
  /** A fresh id such as `chatcmpl-...` for a reply that has none, or none of this form. */
  newId(prefix: string): string;
  nowSeconds(): number;
}

/** Takes frames in, gives neutral steps out. Holds the state of one stream. */
export interface StreamDecoder {
  /** What the stream has said about its tokens so far. */
  readonly meter: UsageMeter;
  /** Unknown events give an empty list. Never throws: a frame that cannot be read becomes a `fault`. */
  push(frame: Frame): readonly Delta[];
  /** The upstream closed. Gives `fault` when the stream had not finished, or the `end` that it forgot. */
  end(): readonly Delta[];
}

/** Takes neutral steps in, gives wire text out (whole SSE frames). Holds the state of one stream. */
export interface StreamEncoder {
  /** Text to send now; '' for nothing yet. `end` and `fault` close the stream properly; later steps give ''. */
  push(delta: Delta): string;
}

/** How replies are brought into an older form of their format. What has nothing to change stays the very object. */
export interface OlderForm {
  whole(reply: JsonObject): JsonObject;
  /** For the events of one stream, in their order. */
  events(): (event: JsonObject) => JsonObject;
}

interface WireFormat<Name extends string> {
  readonly name: Name;
  /** The fault that an error body (any status) or a stream event tells of; undefined when it is no error. */
  faultOf(json: JsonObject, status: number): ProviderFault | undefined;
  /** The error body of this format. `requestId` goes where the format has a place for it. */
  encodeFault(fault: ProviderFault, requestId: string): JsonObject;
}

interface CountedFormat<Name extends string> extends WireFormat<Name> {
  /** How streamed replies of this format are framed by default. */
  readonly framing: Framing;
  /** How it tells its token counts, for a meter. */
  readonly usage: UsageRule;
  /** Token counts of a whole reply or of one stream event; undefined when it holds none. */
  usageOf(json: JsonObject): Usage | undefined;
}

/** One wire format of generated answers, in both directions. A provider whose format is its own brings one. */
export interface GenerationDialect<Name extends string = string> extends CountedFormat<Name> {
  readonly kind: 'generation';
  /**
   * Reads a request that passed the format's schema.
   * @throws GatewayError `translation_unsupported` for what has no neutral form and must not be dropped
   */
  decodeCall(body: JsonObject, context: CodecContext): Call;
  encodeCall(call: Call, context: CodecContext): JsonObject;
  /**
   * A request for a provider of this same format, without what the client holds of other formats' providers and those of
   * this one refuse; the very same body where it holds none. Absent: such requests hold nothing of the kind.
   */
  ownHistory?(body: JsonObject, context: CodecContext): JsonObject;
  /** What names of tools its maker takes, where that is less than others do. */
  readonly toolNames?: RegExp;
  decodeReply(body: JsonObject, context: ReplyContext): Completion;
  encodeReply(completion: Completion, context: ReplyContext): JsonObject;
  decodeStream(context: ReplyContext): StreamDecoder;
  encodeStream(context: ReplyContext): StreamEncoder;
  /** Bytes that only a finished stream of this format holds; without one of them the stream broke off. */
  readonly streamEnds: readonly string[];
  /** Where providers forget the end: an event that matches `answered` shows that the answer is complete, `text` is the end to add. */
  readonly lateEnd?: { readonly answered: RegExp; readonly text: string };
  /** The format has no last event: a stream is complete when it closes after what `streamEnds` names. */
  readonly endsByClosing?: true;
  /** Events that say nothing of an answer by themselves, by their `type`: they keep the connection alive, or end the stream. */
  readonly bareEvents?: ReadonlyMap<string, 'alive' | 'end'>;
  /** The event that a message of a stream holds, where the messages are wrappings. */
  eventIn?(message: JsonObject): JsonObject;
  /** The fault that a message of a stream tells of by its kind or its name, where the framing has such messages. */
  exceptionIn?(frame: Frame): ProviderFault | undefined;
  /**
   * The form in which a reply of this format goes to a client of this format; undefined for the one in which it comes. Called
   * for every request: it looks at no more than the fields.
   * @param asked what the client asks @param sent what leaves in its place
   */
  olderForm?(asked: JsonObject, sent: JsonObject): OlderForm | undefined;
  /** The error as a stream event, for a stream that has begun. */
  encodeStreamFault(fault: ProviderFault): string;
  /** Token counting, where the format has an endpoint for it. */
  readonly counting?: {
    encodeCall(call: Call, context: CodecContext): JsonObject;
    decodeReply(body: JsonObject): number | undefined;
    encodeReply(tokens: number): JsonObject;
  };
}

/** One wire format of embeddings, in both directions. */
export interface EmbeddingDialect<Name extends string = string> extends CountedFormat<Name> {
  readonly kind: 'embedding';
  decodeCall(body: JsonObject, context: CodecContext): EmbeddingCall;
  encodeCall(call: EmbeddingCall, context: CodecContext): JsonObject;
  decodeReply(body: JsonObject, context: ReplyContext): Embeddings;
  encodeReply(embeddings: Embeddings, context: ReplyContext): JsonObject;
}

/**
 * One format of requests and replies that clients and providers share: providers that differ bring theirs into it by
 * `request` and `repair`. Replies may be bytes, and streams pass as they come.
 */
export interface DocumentDialect extends WireFormat<DocumentDialectName> {
  readonly kind: 'document';
  /**
   * What was used, by the reply (or the event of a stream) and by what was asked; undefined when they do not tell.
   * @param reply `{}` where it is bytes
   */
  usageIn(reply: JsonObject, asked: JsonObject): Usage | undefined;
}

export type Dialect = GenerationDialect | EmbeddingDialect | DocumentDialect;
