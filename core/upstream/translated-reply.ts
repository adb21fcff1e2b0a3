import {
  type Completion,
  type Delta,
  type Dialect,
  deltasOf,
  type FinishReason,
  GatewayError,
  type JsonObject,
  type ReplyContext,
  withClientNames,
} from 'portcullis/sdk';
import type { Outbound } from './outbound.ts';
import type { ReplyFacts } from './reply.ts';
import { reasonOf } from './reply-streams.ts';

/** A whole reply in the format of its client. @throws GatewayError `upstream_invalid` for one that holds no answer */
export function translated(
  json: JsonObject,
  from: Dialect,
  to: Dialect,
  outbound: Outbound,
  facts: ReplyFacts,
  streamed: boolean,
): string {
  const context = contextOf(from, to, outbound, facts);
  if (from.kind === 'embedding' && to.kind === 'embedding') {
    return JSON.stringify(to.encodeReply(from.decodeReply(json, context), context));
  }
  if (from.kind !== 'generation' || to.kind !== 'generation')
    throw new GatewayError('internal', 'Two kinds of dialect met.');
  if (outbound.chosen.endpoint === 'messagesCountTokens' && from.counting !== undefined && to.counting !== undefined) {
    const tokens = from.counting.decodeReply(json);
    if (tokens === undefined) throw new GatewayError('upstream_invalid', `${facts.provider} gave no token count.`);
    return JSON.stringify(to.counting.encodeReply(tokens));
  }
  const decoded = withFinishReasons(from.decodeReply(json, context), outbound.chosen.spec.finishReasons);
  const completion = outbound.toolNames === undefined ? decoded : withClientNames(decoded, outbound.toolNames);
  if (isEmpty(completion)) {
    throw new GatewayError('upstream_invalid', `Invalid response received from ${facts.provider}: it holds no answer.`);
  }
  if (!streamed) return JSON.stringify(to.encodeReply(completion, context));
  // The provider answered a stream request with a whole reply: the client still gets the stream that it asked for.
  const encoder = to.encodeStream(context);
  return deltasOf(completion)
    .map((delta: Delta) => encoder.push(delta))
    .join('');
}

/** Whether nothing of an answer was found: what a provider has said has a word for its end, or its price, even without a text. */
function isEmpty({ choices, usage }: Completion): boolean {
  return (
    usage === undefined && choices.every(({ parts, nativeFinish }) => parts.length === 0 && nativeFinish === undefined)
  );
}

/** Clients of the provider's own format find its thinking where the provider's documents say. */
export function contextOf(from: Dialect, to: Dialect, outbound: Outbound, facts: ReplyFacts): ReplyContext {
  const { reasoningField } = outbound.chosen.spec;
  const own = from.name === 'chat' && to.name === 'chat';
  return own && reasoningField !== undefined ? { ...facts.context(), reasoningField } : facts.context();
}

function withFinishReasons(
  completion: Completion,
  table: Readonly<Record<string, FinishReason>> | undefined,
): Completion {
  if (table === undefined) return completion;
  const choices = completion.choices.map((choice) => {
    const finish = reasonOf(table, choice.nativeFinish);
    return finish === undefined ? choice : { ...choice, finish };
  });
  return { ...completion, choices };
}
