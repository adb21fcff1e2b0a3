import type { JsonObject } from '../json.ts';
import type { CallFacts } from './provider.ts';

/** A body that can be read as often as needed, from memory or disk. */
export interface StreamedBody {
  /** Bytes. */
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** A file of a form that the client sent. */
export interface FormFile extends StreamedBody {
  /** Name of the form's field: `file`, `image[]`. */
  readonly field: string;
  /** Without folders, quotes and control characters; 'file' where the client gave none. */
  readonly filename: string;
  readonly contentType: string;
}

/** One request of the client, for an endpoint that needs more than one call. */
export interface FlowCall {
  readonly facts: CallFacts;
  /** In the client's format; of a form, its fields as strings (lists where a name ends in `[]` or comes twice). */
  readonly body: JsonObject;
  readonly files: readonly FormFile[];
}

export interface FlowRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /**
   * A path below the provider's base, beginning with a slash, or a URL of another host of the same provider. A custom host
   * takes the place of the origin of both.
   */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object leaves as JSON. */
  readonly body?: JsonObject | string | Uint8Array | StreamedBody;
  /** Leaves as multipart/form-data, in place of a body: its fields, then its files. */
  readonly form?: { readonly fields: JsonObject; readonly files: readonly FormFile[] };
  /** What a signature is made for, such as `s3`. */
  readonly service?: string;
  /** True: no credential goes with it, as to a URL that is signed already. */
  readonly anonymous?: boolean;
  /** Statuses of 400 and more that are no fault here. */
  readonly accepts?: readonly number[];
}

export interface FlowReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** The bytes as a JSON object; `{}` where they are none. */
  readonly json: JsonObject;
}

/** What a flow can do. Everything goes through the URL guard, with the provider's credential and the request's deadline. */
export interface FlowTools {
  /** The whole reply. A status of 300 and more that is not accepted ends the flow: the client gets it as the provider's error. */
  send(request: FlowRequest): Promise<FlowReply>;
  /** A reply that flows. */
  open(request: FlowRequest): Promise<Omit<FlowReply, 'bytes' | 'json'> & { readonly body: AsyncIterable<Uint8Array> }>;
  /** Milliseconds; rejects when the client leaves. */
  pause(ms: number): Promise<void>;
  nowSeconds(): number;
  newId(prefix: string): string;
}

/** What the client gets: JSON in its format, or bytes. */
export type FlowResult =
  | { readonly status: number; readonly json: JsonObject }
  | {
      readonly status: number;
      readonly contentType: string;
      readonly body: Uint8Array | AsyncIterable<Uint8Array>;
    };

/**
 * Answers a request by several calls. Throws GatewayErrors alone; holds no state. What it writes for the client is in the
 * form of the endpoint's dialect.
 */
export type Flow = (call: FlowCall, tools: FlowTools) => Promise<FlowResult>;
