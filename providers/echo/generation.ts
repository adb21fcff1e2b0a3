import {
  type CodecContext,
  dialects,
  GatewayError,
  type GenerationDialect,
  type JsonObject,
  type LocalReply,
  type LocalRequest,
  type ReplyContext,
} from 'portcullis/sdk';
import { compose, type Ids } from './compose.ts';
import type { Behaviour } from './model-name.ts';
import type { ResponsesStore } from './responses-store.ts';
import { streamReply, wholeReply } from './wire.ts';

export const tolerant: CodecContext = { strict: false, dropped: () => {} };

/** Names of one request. Two of the same seed give the same names, so a stored reply has those of its stream. */
export function idsOf(seed: string): Ids {
  const counts = new Map<string, number>();
  return {
    nowSeconds: () => Math.floor(Date.now() / 1000),
    newId: (prefix) => {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}${seed}${count.toString(16).padStart(4, '0')}`;
    },
  };
}

export function newSeed(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(0, 28);
}

/** Answers a call for generated text in the call's own dialect. */
export function generate(
  dialect: GenerationDialect,
  body: JsonObject,
  behaviour: Behaviour,
  store: ResponsesStore,
  request: LocalRequest,
): LocalReply {
  const previous = dialect.name === 'responses' ? body.previous_response_id : undefined;
  if (typeof previous === 'string' && !store.has(previous)) {
    throw new GatewayError('not_found', `Previous response with id '${previous}' not found.`, {
      status: 400,
      type: 'invalid_request_error',
      param: 'previous_response_id',
    });
  }
  const seed = newSeed();
  const completion = compose(dialect.decodeCall(body, tolerant), behaviour, idsOf(seed));
  // Strict chat has no place for thinking, and a lenient one repeats every text in a field of its own.
  const thinks = completion.choices.some((choice) => choice.parts.some((part) => part.type === 'thinking'));
  const context = (): ReplyContext => ({ ...tolerant, ...idsOf(seed), strict: !thinks, request: body });
  if (dialect.name === 'responses' && body.store !== false) {
    store.keep(dialects.responses.encodeReply(completion, context()), body.input);
  }
  return body.stream === true
    ? streamReply(dialect, completion, behaviour, context(), request.signal)
    : wholeReply(dialect, completion, behaviour, context());
}
