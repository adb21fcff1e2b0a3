import type { GivenUpReply, Outcome } from 'portcullis/sdk';
import { type CountedUsage, finishUsage, uncounted } from '../ledger/finish-usage.ts';
import type { Exchange } from './exchange.ts';
import { costOf } from './priced.ts';
import type { Runtime } from './runtime.ts';

/** A reply that has been counted, and the saved provider that was asked. */
export interface NotedReply {
  readonly outcome: Outcome;
  readonly providerSlug: string | undefined;
}

/** Remembers a reply until another try follows, or its request is over. */
export function noteReply(exchange: Pick<Exchange, 'replied' | 'providerSlug'>, outcome: Outcome): void {
  if (outcome.metering === undefined && outcome.usage() === undefined) return;
  exchange.replied = { outcome, providerSlug: exchange.providerSlug };
}

/**
 * Whether the last reply is not what the request ends with. An outcome keeps the `usage` of the reply that it is made of;
 * by that the one that served is known.
 */
export function isGivenUp({ replied }: Pick<Exchange, 'replied'>, served: Outcome): boolean {
  return replied !== undefined && replied.outcome.usage !== served.usage;
}

/** Charges the last reply without having served: a guardrail denied it, and something else is tried, or was. */
export async function giveUp(runtime: Runtime, exchange: Exchange): Promise<void> {
  const { replied } = exchange;
  if (replied === undefined) return;
  const charged = await givenUpReply(runtime, exchange, replied);
  exchange.givenUp = [...(exchange.givenUp ?? []), charged];
  exchange.replied = undefined;
}

async function givenUpReply(
  runtime: Runtime,
  exchange: Exchange,
  { outcome, providerSlug }: NotedReply,
): Promise<GivenUpReply> {
  let counted: CountedUsage = uncounted;
  try {
    counted = await finishUsage(outcome);
    const cost = await costOf(runtime, exchange, outcome, counted, providerSlug);
    return { target: outcome.path, ...counted, cost };
  } catch (error) {
    runtime.log.error('cost_unknown', { request: exchange.id, error: (error as Error).message });
    return { target: outcome.path, ...counted, cost: undefined };
  }
}
