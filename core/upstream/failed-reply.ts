import { asObject, dialects, type Json, type Outcome, type ProviderFault } from 'portcullis/sdk';
import type { Outbound } from './outbound.ts';
import { faultOutcome } from './outcome.ts';
import { repairOf } from './repair.ts';
import type { Base, ReplyFacts } from './reply.ts';

/** An error that came with a status of success. */
export function inReply(fault: ProviderFault, base: Base, facts: ReplyFacts): Outcome {
  return faultOutcome(named(fault, facts), base.headers, facts, base.retryAfterMs);
}

/** An answer that is an error by its status. */
export function failed(
  json: Json | undefined,
  status: number,
  headers: Outcome['headers'],
  outbound: Outbound,
  facts: ReplyFacts,
  waitMs: number | undefined,
): Outcome {
  const dialect = outbound.chosen.dialect ?? dialects.chat;
  const body = asObject(Array.isArray(json) ? json[0] : json) ?? {};
  const repair = repairOf(outbound, facts, headers);
  // A redirect is never followed: it would carry the credential to another place.
  const known = status < 400 ? undefined : dialect.faultOf(repair?.(body) ?? body, status);
  const fault: ProviderFault = known ?? {
    status: status < 400 ? 502 : status,
    message:
      status < 400
        ? `answered with a redirect (status ${status}), which is not followed`
        : `answered with status ${status}`,
  };
  return faultOutcome(
    named({ ...fault, status: fault.status < 400 ? 502 : fault.status }, facts),
    withoutLocation(headers),
    facts,
    waitMs,
  );
}

/** Where a provider wanted to send the gateway is nothing for the client to follow. */
function withoutLocation(headers: Outcome['headers']): Outcome['headers'] {
  const { location: _, ...kept } = headers;
  return kept;
}

export function named(fault: ProviderFault, facts: ReplyFacts): ProviderFault {
  return { ...fault, message: `${facts.provider} error: ${fault.message}` };
}

/** A reply that is none. */
export function unreadable(base: Base, facts: ReplyFacts): Outcome {
  const fault: ProviderFault = {
    status: 502,
    message: `Invalid response received from ${facts.provider}: it is not a JSON object.`,
    type: 'api_error',
    code: 'upstream_invalid',
  };
  return { ...faultOutcome(fault, base.headers, facts, undefined), error: 'upstream_invalid' };
}
