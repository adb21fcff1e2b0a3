import type { JsonObject, Outcome, ReplyFacts as RepliedFacts } from 'portcullis/sdk';
import type { Outbound } from './outbound.ts';
import type { ReplyFacts } from './reply.ts';

/** Brings a reply into its dialect's form. */
export type Repair = (json: JsonObject) => JsonObject;

/** How the provider's own variant is put right; undefined where it has none. */
export function repairOf(outbound: Outbound, facts: ReplyFacts, headers: Outcome['headers']): Repair | undefined {
  const { repair } = outbound.chosen.spec;
  if (repair === undefined) return undefined;
  const replied = repliedFacts(outbound, facts, headers);
  return (json) => repair(json, replied);
}

export function repliedFacts(
  { facts, asked }: Outbound,
  { context }: ReplyFacts,
  headers: Outcome['headers'],
): RepliedFacts {
  return {
    facts,
    asked,
    headers: plain(headers),
    nowSeconds: () => context().nowSeconds(),
    newId: (prefix) => context().newId(prefix),
  };
}

function plain(headers: Outcome['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
