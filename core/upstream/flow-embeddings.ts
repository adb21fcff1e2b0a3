import { type CodecContext, dialects, type EmbeddingDialect, type JsonObject } from 'portcullis/sdk';
import type { Outbound } from './outbound.ts';
import type { ReplyFacts } from './reply.ts';

type Asking = Pick<Outbound, 'chosen' | 'asked'>;
type Replying = Pick<ReplyFacts, 'dialect' | 'context'>;

/** The two formats of a flow whose client speaks another one than it does; undefined: there is nothing to translate. */
function formats(
  { chosen }: Asking,
  facts: Replying,
): readonly [own: EmbeddingDialect, client: EmbeddingDialect] | undefined {
  const client = facts.dialect === undefined ? undefined : dialects[facts.dialect];
  const own = chosen.dialect;
  if (own?.kind !== 'embedding' || client?.kind !== 'embedding' || own === client) return undefined;
  return [own, client];
}

/** What a flow is asked, in its own format. It reads more fields than the format has: those of the client stay. */
export function askedOfFlow(outbound: Asking, facts: Replying): JsonObject {
  const between = formats(outbound, facts);
  if (between === undefined) return outbound.asked;
  const [own, client] = between;
  const context: CodecContext = { ...facts.context(), strict: false };
  return own.encodeCall(client.decodeCall(outbound.asked, context), context);
}

/** What a flow has answered, in the client's format. */
export function answeredByFlow(json: JsonObject, outbound: Asking, facts: Replying): JsonObject {
  const between = formats(outbound, facts);
  if (between === undefined) return json;
  const [own, client] = between;
  const context = facts.context();
  return client.encodeReply(own.decodeReply(json, context), context);
}
