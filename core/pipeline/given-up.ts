import type { Outcome } from 'portcullis/sdk';
import type { Exchange } from './exchange.ts';

/** A reply that has been counted, and the saved provider that was asked. */
export interface NotedReply {
  readonly outcome: Outcome;
  readonly providerSlug: string | undefined;
}

type Noting = Pick<Exchange, 'replied' | 'givenUp' | 'providerSlug'>;

/** Remembers a reply until its request is over: where another try follows, it is charged without having served. */
export function noteReply(exchange: Noting, outcome: Outcome): void {
  if (outcome.metering === undefined && outcome.usage() === undefined) return;
  if (exchange.replied !== undefined) exchange.givenUp = [...(exchange.givenUp ?? []), exchange.replied];
  exchange.replied = { outcome, providerSlug: exchange.providerSlug };
}

/**
 * The replies that did not serve: a guardrail denied them, and something else was tried. An outcome keeps the `usage` of the
 * reply that it is made of; by that the one that served is known.
 */
export function givenUpBefore({ replied, givenUp }: Noting, { usage }: Outcome): readonly NotedReply[] | undefined {
  if (replied === undefined || replied.outcome.usage === usage) return givenUp;
  return [...(givenUp ?? []), replied];
}
