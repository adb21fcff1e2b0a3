import type { JsonObject } from '../json.ts';

/** Why a body is refused: the field, as a path in the caller's terms, and a whole sentence. */
export interface Refusal {
  readonly param: string;
  readonly message: string;
}

export interface RuleOptions {
  /** Whether the caller wants only what the wire format's documents name; see `RequestContext.strict`. */
  readonly strict: boolean;
}

/** A rule between fields, which a schema cannot say clearly. It sees bodies that passed their schema. */
export type Rule = (body: JsonObject, options: RuleOptions) => Refusal | undefined;

/** `stream_options` says how to stream: without `stream: true` it is a mistake. */
export const streamOptionsNeedStream: Rule = (body) => {
  if (body.stream_options === undefined || body.stream_options === null || body.stream === true) return undefined;
  return { param: 'stream_options', message: 'stream_options is only accepted when stream is true.' };
};
