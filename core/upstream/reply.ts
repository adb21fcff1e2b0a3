import {
  answersOf,
  asObject,
  type Dialect,
  dialects,
  GatewayError,
  type GenerationDialect,
  type Json,
  type MaybePromise,
  type Outcome,
  parseJson,
  type ReplyContext,
  type ReplyStream,
  UsageMeter,
} from 'portcullis/sdk';
import { isJsonType } from '../json-type.ts';
import { type CountedReply, StreamedReply, WholeReply } from '../ledger/counted-reply.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { ReplyLedger } from '../ledger/reply-ledger.ts';
import type { Cancellation } from './cancellation.ts';
import { isDelimited } from './delimited.ts';
import { documentOutcome, documentStream } from './document-reply.ts';
import { failed, hintsAtError, inReply, isLikeObject, unreadable, withoutCredentials } from './failed-reply.ts';
import { firstEvent, judgeOf } from './first-event.ts';
import { repliedHeaders } from './headers.ts';
import { LateStream } from './late-stream.ts';
import { modelsOutcome } from './models-reply.ts';
import type { Outbound } from './outbound.ts';
import type { OutcomeFacts } from './outcome.ts';
import { proxiedError, proxiedHeaders } from './proxied-error.ts';
import { type Repair, repairOf } from './repair.ts';
import { ForwardedStream, TranslatedStream } from './reply-streams.ts';
import { ReshapedStream } from './reshaped-stream.ts';
import { retryAfterMs } from './retry-after.ts';
import { contextOf, translated } from './translated-reply.ts';
import type { WireReply, WireStream } from './transport.ts';

export interface ReplyFacts extends OutcomeFacts {
  /** What codecs may ask while they write for the client; made only for replies that are translated. */
  readonly context: () => ReplyContext;
  readonly nowMs: number;
  readonly ledger: Ledger;
  /** Of the client's request. */
  readonly cancellation: Cancellation;
}

const eventStream = 'text/event-stream';
const jsonType = 'application/json';

/** Turns what came from a provider into an outcome in the client's dialect. */
export function outcomeOf(reply: WireReply, outbound: Outbound, facts: ReplyFacts): MaybePromise<Outcome> {
  const proxied = outbound.chosen.dialect === undefined && outbound.chosen.endpoint === 'proxy';
  const replied = repliedHeaders(reply.headers, proxied, outbound.vendors);
  const headers = proxied ? proxiedHeaders(replied, outbound) : replied;
  const waitMs = reply.status < 400 ? undefined : retryAfterMs(reply.headers, facts.nowMs);
  const base = {
    status: reply.status,
    headers,
    provider: facts.provider,
    model: facts.model,
    path: facts.path,
    retries: 0,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    ...(facts.region === undefined ? {} : { region: () => facts.region }),
  };

  if (proxied) {
    const usage = () => undefined;
    const error = reply.status < 400 ? {} : { error: 'upstream_error' };
    if (reply.stream !== undefined) return { ...base, body: { kind: 'stream', stream: reply.stream }, ...error, usage };
    if (reply.status < 400) return { ...base, body: { kind: 'bytes', bytes: reply.bytes }, usage };
    const told = proxiedError(reply.bytes, headers, outbound);
    return { ...base, headers: told.headers, body: { kind: 'bytes', bytes: told.bytes }, ...error, usage };
  }
  const encoding = String(reply.headers['content-encoding'] ?? '');
  if (!/^(identity)?$/i.test(encoding) && reply.status < 300) {
    reply.stream?.abort();
    const text = `${facts.provider} answered in the content encoding "${encoding.slice(0, 40)}", although none was asked for.`;
    throw new GatewayError('upstream_invalid', text);
  }
  if (reply.stream !== undefined) return streamOutcome(reply.stream, base, outbound, facts);
  if (reply.status >= 300) return failed(reply.bytes, reply.status, headers, outbound, facts, waitMs);
  return bytesOutcome(reply.bytes, base, outbound, facts, isDelimited(reply.headers));
}

export type Base = Omit<Outcome, 'body' | 'usage'>;

function bytesOutcome(bytes: Buffer, base: Base, outbound: Outbound, facts: ReplyFacts, delimited: boolean): Outcome {
  const { dialect, endpoint, spec } = outbound.chosen;
  const client = clientDialect(facts);
  if (endpoint === 'listModels' || endpoint === 'retrieveModel') return modelsOutcome(bytes, base, outbound, facts);
  if (dialect === undefined || client === undefined)
    return { ...base, body: { kind: 'bytes', bytes }, usage: () => undefined };
  if (dialect.kind === 'document') {
    const isJson = spec.reply !== 'bytes' && isJsonType(String(base.headers['content-type'] ?? ''));
    if (isJson && !delimited && bytes.length > 0 && parsed(bytes) === undefined) return unreadable(base, facts);
    return documentOutcome(bytes, base, outbound, facts, (fault) => inReply(fault, base, outbound, facts));
  }

  const streamed = outbound.facts.stream && client.kind === 'generation';
  const forwards = outbound.sameReply && !streamed;
  const form = outbound.replyForm;
  const isUnread = forwards && form === undefined && delimited && !hintsAtError(bytes);
  const json = isUnread ? undefined : asObject(parsed(bytes));
  const inside = json === undefined ? undefined : dialect.faultOf(json, 200);
  if (inside !== undefined) return inReply(inside, base, outbound, facts);
  if (forwards) {
    if (json === undefined && !(delimited && isLikeObject(bytes))) return unreadable(base, facts);
    const shaped = json && (form?.whole(json) ?? json);
    return {
      ...base,
      headers: typedAs(jsonType, base.headers),
      body: { kind: 'bytes', bytes: shaped === json ? bytes : Buffer.from(JSON.stringify(shaped)) },
      ...counted(new WholeReply(bytes, dialect, json), outbound, facts),
    };
  }
  if (json === undefined) return unreadable(base, facts);
  const repaired = repairOf(outbound, facts, base.headers)?.(json) ?? json;
  // What the provider says of an error outside the body stands in it now.
  const found = repaired === json ? undefined : dialect.faultOf(repaired, 200);
  if (found !== undefined) return inReply(found, base, outbound, facts);
  const text = translated(repaired, dialect, client, outbound, facts, streamed);
  const counts = counted(new WholeReply(bytes, dialect, repaired), outbound, facts);
  const headers = { ...base.headers, 'content-type': inUtf8(streamed ? eventStream : jsonType) };
  return { ...base, headers, body: { kind: 'bytes', bytes: Buffer.from(text) }, ...counts };
}

/** What a reply was read as is what it says it is: providers leave the type out, or name another, and nobody would look into it then. */
function typedAs(type: string, headers: Base['headers']): Base['headers'] {
  const said = headers['content-type'];
  return typeof said === 'string' && said.startsWith(type) ? headers : { ...headers, 'content-type': inUtf8(type) };
}

function inUtf8(type: string): string {
  return `${type}; charset=utf-8`;
}

/** A byte order mark in front is none of the JSON. */
function parsed(bytes: Buffer): Json | undefined {
  return parseJson(bytes.toString('utf8').replace(/^\ufeff/, ''));
}

type Counts = Pick<Outcome, 'usage' | 'tier' | 'region' | 'metering'>;

/** What an outcome says about its tokens; the count of a request's tokens has none of its own. */
function counted(reply: CountedReply, outbound: Outbound, facts: ReplyFacts): Counts {
  if (outbound.chosen.endpoint === 'messagesCountTokens') return { usage: () => undefined };
  return countsOf(ledgerOf(reply, outbound, facts), facts);
}

function countsOf(ledger: ReplyLedger, { region }: ReplyFacts): Counts {
  return {
    usage: () => ledger.usage,
    tier: () => ledger.tier,
    region: () => ledger.region ?? region,
    metering: ledger,
  };
}

function ledgerOf(
  reply: CountedReply,
  { asked }: Outbound,
  { ledger, dialect, cancellation }: ReplyFacts,
): ReplyLedger {
  return new ReplyLedger(reply, { ledger, asked, dialect: dialect ?? 'chat', cancellation });
}

async function streamOutcome(stream: WireStream, base: Base, outbound: Outbound, facts: ReplyFacts): Promise<Outcome> {
  const { dialect, spec } = outbound.chosen;
  const client = clientDialect(facts);
  if (dialect?.kind === 'document') return documentStream(stream, base, outbound);
  if (dialect?.kind !== 'generation' || client?.kind !== 'generation') {
    return { ...base, body: { kind: 'stream', stream }, usage: () => undefined };
  }
  const framing = spec.framing ?? dialect.framing;
  const repair = repairOf(outbound, facts, base.headers);
  const judge = judgeOf(dialect, repair);
  const empty = () => new GatewayError('upstream_invalid', `${facts.provider} answered with an empty stream.`);
  const first = await firstEvent(stream, framing, judge);
  if (first.kind === 'fault') {
    stream.abort();
    return inReply(first.fault, base, outbound, facts);
  }
  if (first.kind === 'none') {
    stream.abort();
    throw empty();
  }
  const source = first.kind === 'late' ? new LateStream(stream, { framing, judge, empty }) : stream;
  // Clients read their own format in its own framing only.
  const forwards = outbound.sameReply && framing === dialect.framing;
  return forwards
    ? forwarded(source, dialect, base, outbound, facts)
    : read(source, dialect, client, base, outbound, facts, repair);
}

function forwarded(
  stream: ReplyStream,
  dialect: GenerationDialect,
  base: Base,
  outbound: Outbound,
  facts: ReplyFacts,
): Outcome {
  const meter = new UsageMeter(dialect.usage, answersOf(outbound.asked));
  const reply = new StreamedReply(meter, { dialect, framing: dialect.framing, repair: undefined });
  const ledger = ledgerOf(reply, outbound, facts);
  const { hidesUsage, replyForm } = outbound;
  const source = replyForm === undefined ? stream : new ReshapedStream(stream, replyForm);
  const mask = (text: string) => withoutCredentials(text, outbound, facts);
  const piped = new ForwardedStream(source, ledger, { dialect, reply, hidesUsage, mask });
  const headers = typedAs(eventStream, base.headers);
  return { ...base, headers, body: { kind: 'stream', stream: piped }, ...countsOf(ledger, facts) };
}

function read(
  stream: ReplyStream,
  dialect: GenerationDialect,
  client: GenerationDialect,
  base: Base,
  outbound: Outbound,
  facts: ReplyFacts,
  repair: Repair | undefined,
): Outcome {
  const { finishReasons, framing = dialect.framing } = outbound.chosen.spec;
  const context = contextOf(dialect, client, outbound, facts);
  const decoder = dialect.decodeStream(context);
  const reply = new StreamedReply(decoder.meter, { dialect, framing, repair });
  const ledger = ledgerOf(reply, outbound, facts);
  const encoder = client.encodeStream(context);
  const mask = (text: string) => withoutCredentials(text, outbound, facts);
  const { toolNames } = outbound;
  const translation = { framing, decoder, encoder, finishReasons, repair, mask, toolNames };
  const piped = new TranslatedStream(stream, ledger, reply, translation);
  const headers = { ...base.headers, 'content-type': inUtf8(eventStream) };
  return { ...base, headers, body: { kind: 'stream', stream: piped }, ...countsOf(ledger, facts) };
}

function clientDialect(facts: ReplyFacts): Dialect | undefined {
  return facts.dialect === undefined ? undefined : dialects[facts.dialect];
}
