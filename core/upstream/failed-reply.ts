import {
  addedCredentials,
  asObject,
  asString,
  compact,
  dialects,
  type JsonObject,
  type Outcome,
  type ProviderFault,
  parseJson,
  repeatedForms,
} from 'portcullis/sdk';
import { masked, maskedForms } from './call-secrets.ts';
import type { Outbound } from './outbound.ts';
import { faultOutcome } from './outcome.ts';
import { repairOf } from './repair.ts';
import type { Base, ReplyFacts } from './reply.ts';

/** An error that came with a status of success. */
export function inReply(fault: ProviderFault, base: Base, outbound: Outbound, facts: ReplyFacts): Outcome {
  return faultOutcome(named(fault, outbound, facts), base.headers, facts, base.retryAfterMs);
}

/** An answer that is an error by its status. */
export function failed(
  bytes: Buffer,
  status: number,
  headers: Outcome['headers'],
  outbound: Outbound,
  facts: ReplyFacts,
  waitMs: number | undefined,
): Outcome {
  const dialect = outbound.chosen.dialect ?? dialects.chat;
  const body = errorBodyIn(bytes.toString('utf8'));
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
  const told = named(
    { ...fault, status: fault.status < 400 || fault.status > 599 ? 502 : fault.status },
    outbound,
    facts,
  );
  return faultOutcome(told, withoutLocation(headers), facts, waitMs);
}

/** Of a text that is no JSON, so much is told. */
const longestText = 500;

/** A page, or bytes that are no text. */
const unreadableText = /^<|[\p{Cn}\p{Co}\ufffd]|(?![\t\n\r])\p{Cc}/u;

/** What an error says: JSON, the XML of stores of objects, or a plain text; pages for browsers say nothing. */
function errorBodyIn(text: string): JsonObject {
  const json = parseJson(text);
  const object = asObject(Array.isArray(json) ? json[0] : json);
  if (object !== undefined) return object;
  const [, code] = /<Code>([\w.]{1,100})<\/Code>/.exec(text) ?? [];
  const [, told] = /<Message>([^<]{1,2000})<\/Message>/.exec(text) ?? [];
  const message = told ?? plainText(asString(json) ?? text);
  return message === '' ? {} : { error: compact({ message, code }) };
}

/** As much of a text as is told; '' where it is not for people to read. */
export function plainText(text: string): string {
  const plain = text.trim();
  return unreadableText.test(plain) ? '' : plain.slice(0, longestText);
}

/** Where a provider wanted to send the gateway is nothing for the client to follow. */
function withoutLocation(headers: Outcome['headers']): Outcome['headers'] {
  const { location: _, ...kept } = headers;
  return kept;
}

function named(fault: ProviderFault, outbound: Outbound, facts: ReplyFacts): ProviderFault {
  return { ...fault, message: `${facts.provider} error: ${withoutCredentials(fault.message, outbound, facts)}` };
}

/** What a provider says, for the client: what its config has added to a request is not the client's to know either. */
export function withoutCredentials(text: string, outbound: Outbound, facts: ReplyFacts): string {
  const added = addedCredentials(outbound.asked, facts.context().request);
  return masked(maskedForms(text, repeatedForms(added)), outbound);
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

/**
 * Whether a successful reply may tell of an error, found without parsing it: most do not, and many say that theirs is null.
 * What a model has said of errors is no hint, for within a text the quotes are escaped.
 */
export function hintsAtError(bytes: Buffer): boolean {
  if (!opensObject(bytes)) return false;
  for (let at = bytes.indexOf(errorWord); at !== -1; at = bytes.indexOf(errorWord, at)) {
    at += errorWord.length;
    if (!isNull.test(bytes.toString('latin1', at, at + longestNull))) return true;
  }
  return false;
}

const errorWord = Buffer.from('"error"');
const isNull = /^\s*:\s*null\b/;
const longestNull = 32;

/** Whether a reply that is forwarded unread may be a whole object: a page that some proxy puts in its place is none. */
export function isLikeObject(bytes: Buffer): boolean {
  let last = bytes.length - 1;
  while ((bytes[last] ?? closeBrace) <= space) last -= 1;
  return opensObject(bytes) && bytes[last] === closeBrace;
}

function opensObject(bytes: Buffer): boolean {
  return bytes[textStart(bytes)] === openBrace;
}

const [space, openBrace, closeBrace] = [0x20, 0x7b, 0x7d];
const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Some providers keep the connection alive by blank lines in front of a reply. */
function textStart(bytes: Buffer): number {
  let at = bytes[0] === byteOrderMark[0] ? byteOrderMark.length : 0;
  while ((bytes[at] ?? openBrace) <= space) at += 1;
  return at;
}
