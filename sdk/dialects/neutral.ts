import type { Json, JsonObject } from '../json.ts';

/** A prompt-cache mark on a part, a tool or a message. `ttl` is how long the provider keeps the prefix; absent = its default, 5m. */
export interface CacheMark {
  readonly ttl?: '5m' | '1h';
}

/** Where bytes come from. `data` is base64 without a `data:` prefix. */
export type Source =
  | { readonly kind: 'url'; readonly url: string; readonly mediaType?: string }
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'file-id'; readonly id: string };

interface Cacheable {
  readonly cache?: CacheMark;
}

export interface TextPart extends Cacheable {
  readonly type: 'text';
  readonly text: string;
  /** Sources that the model cites, as the provider words them. */
  readonly citations?: readonly JsonObject[];
  /** What the text stands for in the words of one dialect, which says that again instead. */
  readonly original?: NativePart;
}
export interface ImagePart extends Cacheable {
  readonly type: 'image';
  readonly source: Source;
  /** low, high, auto or a newer word of the provider. */
  readonly detail?: string;
}
/** A document: PDF, text or any other file. */
export interface FilePart extends Cacheable {
  readonly type: 'file';
  readonly source: Source | { readonly kind: 'text'; readonly mediaType: string; readonly text: string };
  readonly filename?: string;
  readonly title?: string;
  readonly context?: string;
  readonly citations?: boolean;
}
export interface AudioPart extends Cacheable {
  readonly type: 'audio';
  readonly source: Source;
  /** wav, mp3, flac ... */
  readonly format: string;
  readonly transcript?: string;
  /** The provider's id of audio that it made itself, and when it forgets it (Unix seconds). */
  readonly id?: string;
  readonly expiresAt?: number;
}
export interface ToolCallPart extends Cacheable {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: normally JSON text; free text when `custom`. Never parsed in passing. */
  readonly arguments: string;
  /** A tool with free-text input instead of a JSON schema. */
  readonly custom?: boolean;
  /** The id of the item that holds the call, where the format has both (responses: `fc_...`). */
  readonly itemId?: string;
  /** An opaque signature that must come back with the call (gemini thought signatures). */
  readonly signature?: string;
}
export interface ToolResultPart extends Cacheable {
  readonly type: 'tool-result';
  readonly callId: string;
  /** Known only where the format names the function in the result. */
  readonly name?: string;
  readonly content: readonly Part[];
  readonly isError?: boolean;
  readonly custom?: boolean;
}
export interface ThinkingPart {
  readonly type: 'thinking';
  readonly text: string;
  /** Opaque proof by the model's maker; without it the part cannot be replayed to that provider. */
  readonly signature?: string;
  /** The item's id where the format has one (responses: `rs_...`). */
  readonly itemId?: string;
}
export interface RedactedThinkingPart {
  readonly type: 'redacted-thinking';
  readonly data: string;
  readonly itemId?: string;
}
export interface RefusalPart {
  readonly type: 'refusal';
  readonly text: string;
}
/** Something that only one dialect can say (server tools and their results): kept for that dialect, dropped by every other. */
export interface NativePart {
  readonly type: 'native';
  readonly dialect: string;
  readonly value: JsonObject;
}

export type Part =
  | TextPart
  | ImagePart
  | FilePart
  | AudioPart
  | ToolCallPart
  | ToolResultPart
  | ThinkingPart
  | RedactedThinkingPart
  | RefusalPart
  | NativePart;

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

/**
 * One turn. Tool results are parts of a `tool` message (one message holds all the results that answer one assistant turn,
 * or one each: encoders merge or split as their format wants).
 */
export interface Message {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** The speaker's name, where the format has one. */
  readonly name?: string;
  /** Unknown fields of the message, for the same dialect or a non-strict target. */
  readonly extra?: JsonObject;
}

export interface FunctionTool extends Cacheable {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments object. */
  readonly parameters?: JsonObject;
  readonly strict?: boolean;
  readonly extra?: JsonObject;
}
/** A tool with free-text input; `format` constrains it (text or grammar). */
export interface CustomTool {
  readonly type: 'custom';
  readonly name: string;
  readonly description?: string;
  readonly format?: JsonObject;
}
/** A tool that the provider runs itself; only its own dialect can say it. */
export interface NativeTool {
  readonly type: 'native';
  readonly dialect: string;
  readonly value: JsonObject;
}
export type Tool = FunctionTool | CustomTool | NativeTool;

export type ToolChoice =
  | { readonly mode: 'auto' | 'none' | 'required' }
  | { readonly mode: 'tool'; readonly name: string; readonly custom?: boolean }
  | { readonly mode: 'allowed'; readonly require: boolean; readonly names: readonly string[] }
  | { readonly mode: 'native'; readonly dialect: string; readonly value: Json };

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly description?: string;
      readonly schema?: JsonObject;
      readonly strict?: boolean;
    };

/** How much the model thinks before it answers. */
export interface Reasoning {
  /** none, minimal, low, medium, high, xhigh or a newer word. */
  readonly effort?: string;
  /** false: the client switched thinking off; true: on. */
  readonly enabled?: boolean;
  /** The model decides how much (messages: `thinking.type: adaptive`). */
  readonly adaptive?: boolean;
  /** Tokens, at least 1. */
  readonly budgetTokens?: number;
  /** What to show of the thinking: auto, concise, detailed, none / summarized, omitted. */
  readonly summary?: string;
}

/** A request for a generated answer, free of any wire format. Absent means: the client did not say. */
export interface Call {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly responseFormat?: ResponseFormat;
  readonly reasoning?: Reasoning;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly n?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly logitBias?: JsonObject;
  readonly logprobs?: boolean;
  readonly topLogprobs?: number;
  readonly user?: string;
  readonly metadata?: JsonObject;
  readonly serviceTier?: string;
  readonly verbosity?: string;
  /** text, audio, image. */
  readonly modalities?: readonly string[];
  /** Voice and format of spoken output. */
  readonly audio?: JsonObject;
  readonly store?: boolean;
  readonly promptCacheKey?: string;
  readonly safetyIdentifier?: string;
  /** A cache mark on the whole request. */
  readonly cache?: CacheMark;
  readonly stream?: boolean;
  /** Whether the client asked for usage in the stream (chat and completions; true in formats that always carry it). */
  readonly includeUsage?: boolean;
  /** The dialect that `extra` comes from. */
  readonly dialect: string;
  /** Fields that this form has no name for, verbatim. */
  readonly extra: JsonObject;
}

/** Tokens. `input` counts every input token, those read from and written to a prompt cache too; `output` counts reasoning too. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  /** As the provider says it; input + output when it says nothing. */
  readonly total?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** The part of cacheWrite that is kept for one hour. */
  readonly cacheWrite1h?: number;
  readonly reasoning?: number;
  readonly audioInput?: number;
  readonly audioOutput?: number;
  /** Tokens of pictures. */
  readonly imageInput?: number;
  readonly imageOutput?: number;
  /** The parts of cacheRead that are audio, and pictures. */
  readonly cacheReadAudio?: number;
  readonly cacheReadImage?: number;
  /** Pictures that were made, for models that bill by the piece. */
  readonly images?: {
    readonly count: number;
    readonly quality?: string;
    readonly size?: string;
    /** Absent: the model that answered. */
    readonly by?: PictureTool;
  };
  readonly acceptedPrediction?: number;
  readonly rejectedPrediction?: number;
  /** The tokens that the provider bills, where it says that they are others than those it counted. */
  readonly billed?: { readonly input: number; readonly output: number };
  /** Uses of tools that the provider runs and bills, by its own name of them. */
  readonly serverTools?: Readonly<Record<string, number>>;
}

/** A tool of the provider that makes pictures, with a model of its own. */
export interface PictureTool {
  /** Its name in `serverTools`. */
  readonly tool: string;
  readonly model?: string;
  /** What its model counted, which is no part of the other counts. */
  readonly usage?: Usage;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** Log probabilities in the shape of the chat dialect: `{ content: [...], refusal: [...] }`. */
export type Logprobs = JsonObject;

export interface Choice {
  readonly index: number;
  readonly parts: readonly Part[];
  readonly finish: FinishReason;
  /** The provider's own word for `finish`. */
  readonly nativeFinish?: string;
  /** The stop sequence that was hit. */
  readonly stopSequence?: string;
  readonly logprobs?: Logprobs;
  readonly extra?: JsonObject;
}

/** A whole answer. At least one choice. */
export interface Completion {
  readonly id: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created?: number;
  readonly choices: readonly Choice[];
  readonly usage?: Usage;
  readonly serviceTier?: string;
  readonly systemFingerprint?: string;
  readonly extra?: JsonObject;
}

/** What went wrong on the provider's side, free of any wire format. */
export interface ProviderFault {
  /** HTTP status that fits; 529 for an overload. */
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string | number;
  readonly param?: string;
}

/**
 * One step of a streamed answer. A well-formed stream is: `start`, any number of parts, one `finish` for each choice,
 * at most one `usage` (cumulative: the last one counts), `end`; or it breaks off with `fault`, which is always last.
 * `block` numbers the part that a fragment belongs to, counted from 0 in a choice and never decreasing: a new number opens
 * a new part of the message.
 */
export type Delta =
  | {
      readonly type: 'start';
      readonly id: string;
      readonly model: string;
      readonly created?: number;
      readonly serviceTier?: string;
      readonly systemFingerprint?: string;
      /** What is known at the start (messages: input and cache counts). */
      readonly usage?: Usage;
      readonly extra?: JsonObject;
    }
  | { readonly type: 'text'; readonly choice: number; readonly block: number; readonly text: string }
  | { readonly type: 'citation'; readonly choice: number; readonly block: number; readonly citation: JsonObject }
  | { readonly type: 'refusal'; readonly choice: number; readonly block: number; readonly text: string }
  | {
      readonly type: 'thinking';
      readonly choice: number;
      readonly block: number;
      readonly text: string;
      readonly itemId?: string;
    }
  | { readonly type: 'signature'; readonly choice: number; readonly block: number; readonly signature: string }
  | {
      readonly type: 'redacted-thinking';
      readonly choice: number;
      readonly block: number;
      readonly data: string;
      readonly itemId?: string;
    }
  | {
      readonly type: 'tool-call';
      readonly choice: number;
      readonly block: number;
      readonly id: string;
      readonly name: string;
      readonly custom?: boolean;
      readonly itemId?: string;
      readonly signature?: string;
    }
  | { readonly type: 'tool-arguments'; readonly choice: number; readonly block: number; readonly text: string }
  /** A whole part that does not come in pieces: image, audio, file, native. */
  | { readonly type: 'part'; readonly choice: number; readonly block: number; readonly part: Part }
  /** A fragment of spoken output in the shape of the chat dialect's `delta.audio`. */
  | { readonly type: 'audio'; readonly choice: number; readonly audio: JsonObject }
  | { readonly type: 'logprobs'; readonly choice: number; readonly logprobs: Logprobs }
  | {
      readonly type: 'finish';
      readonly choice: number;
      readonly reason: FinishReason;
      readonly native?: string;
      readonly stopSequence?: string;
    }
  | { readonly type: 'usage'; readonly usage: Usage }
  /** Unknown fields of a chunk, for the same dialect or a non-strict target. */
  | { readonly type: 'extra'; readonly choice?: number; readonly fields: JsonObject }
  | { readonly type: 'fault'; readonly fault: ProviderFault }
  | { readonly type: 'end' };

/** What is embedded as one: media are URLs, or data URLs. At least one of them is there. */
export interface MixedInput {
  readonly text?: string;
  readonly image?: string;
  readonly video?: string;
}

/** A text, the token numbers of one, or more than a text. */
export type EmbeddingInput = string | readonly number[] | MixedInput;

export interface EmbeddingCall {
  readonly model: string;
  readonly input: readonly EmbeddingInput[];
  readonly dimensions?: number;
  /** float (default) or base64: little-endian 32-bit floats. */
  readonly encodingFormat?: 'float' | 'base64';
  readonly user?: string;
  /** The dialect that `extra` comes from; absent: the one that most providers share. */
  readonly dialect?: string;
  readonly extra: JsonObject;
}

export interface Embeddings {
  readonly model: string;
  readonly vectors: readonly (readonly number[])[];
  readonly usage?: Usage;
  readonly extra?: JsonObject;
}
