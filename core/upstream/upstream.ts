import type { FetchReply, FetchRequest, Flow, MaybePromise, Outcome } from 'portcullis/sdk';
import type { buildConnector } from 'undici';
import { Cohort } from '../cohort.ts';
import { Ledger } from '../ledger/ledger.ts';
import { Patience } from '../ledger/patience.ts';
import { drainMs, type LedgerSettings } from '../ledger/settings.ts';
import { Authenticator, type Credential, unfetchedToken } from './auth.ts';
import type { CallFactsOfTarget } from './call-facts.ts';
import type { Cancellation } from './cancellation.ts';
import { runFlow } from './flow.ts';
import { transmitLocally } from './local.ts';
import { createMachineIdentity } from './machine.ts';
import { reading } from './misread.ts';
import { buildOutbound, type Outbound, type OutboundSources } from './outbound.ts';
import {
  authOf,
  collects,
  fieldOf,
  identityOf,
  type OutgoingCall,
  originEnd,
  pathBelow,
  toSign,
  withoutBody,
} from './outgoing.ts';
import { Pools } from './pools.ts';
import { outcomeOf, type ReplyFacts } from './reply.ts';
import { SideCalls } from './side-calls.ts';
import { least, noSession, openSocket, sessionUsage } from './socket.ts';
import { type Timeouts, transmit, type WireReply, type WireRequest } from './transport.ts';
import type { UrlGuard } from './url-guard/guard.ts';
import { type AskedPlace, placeOf, refusesQuestion, UsageRefusals } from './usage-refusals.ts';

export interface UpstreamOptions {
  readonly guard: UrlGuard;
  readonly timeouts: Omit<Timeouts, 'requestMs'>;
  readonly connectMs: number;
  /** For requests that set none; 0: no limit. */
  readonly requestMs: number;
  readonly maxReplyBytes: number;
  readonly customHostMaxReplyBytes: number;
  /** Of bodies that flow through. */
  readonly maxFileBytes: number;
  readonly now: () => number;
  readonly newId: () => string;
  /** The environment that platforms give programs for their identity. Absent: there is none. */
  readonly env?: ((name: string) => string | undefined) | undefined;
  readonly ledger?: LedgerSettings | undefined;
  /** Told of each host that is not asked for the token counts of its streams any more, because it has refused that. */
  readonly onUsageRefused?: ((place: AskedPlace) => void) | undefined;
}

/** Everything that leaves the gateway goes through here. */
export class Upstream {
  readonly usageRefusals: UsageRefusals;
  readonly #options: UpstreamOptions;
  readonly #connect: buildConnector.connector;
  readonly #pools: Pools;
  readonly #side: SideCalls;
  readonly #auth: Authenticator;
  readonly #machine: ReturnType<typeof createMachineIdentity>;
  readonly #timeouts: Timeouts;
  readonly #ledger: Ledger;
  readonly #arrived = new Cohort();
  /** Base URLs that have passed the guard's full check; connections are checked again each time one is opened. */
  readonly #checked = new Set<string>();

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.usageRefusals = new UsageRefusals(options.now);
    this.#timeouts = { ...options.timeouts, requestMs: options.requestMs };
    this.#ledger = new Ledger(options.ledger);
    this.#connect = options.guard.connector({ timeout: options.connectMs });
    this.#pools = new Pools(this.#connect);
    this.#machine = createMachineIdentity(options.env ?? (() => undefined));
    this.#side = new SideCalls(options.guard, this.#pools);
    this.#auth = new Authenticator((request) => this.#side.token(request), options.now, this.#machine);
  }

  /** Sends a built request and gives the outcome in the client's dialect. Rejects with a GatewayError. */
  call(outbound: Outbound, facts: CallFactsOfTarget): Promise<Outcome> {
    const { chosen } = outbound;
    if (chosen.endpoint === 'realtime') return this.#open(outbound, facts);
    if (chosen.spec.flow !== undefined) return this.#flow(chosen.spec.flow, outbound, facts);
    return this.#ask(outbound, facts);
  }

  async #ask(outbound: Outbound, facts: CallFactsOfTarget): Promise<Outcome> {
    const { asking } = outbound;
    const startedAt = performance.now();
    const reply = await this.#send(outbound, facts);
    // It goes on with those of others that have come meanwhile.
    await this.#arrived.turn();
    return asking !== undefined && refusesQuestion(reply) && !facts.cancellation.cancelled
      ? this.#callUnasked(asking, facts, startedAt)
      : this.#outcome(reply, outbound, facts);
  }

  /** Once more, without the question that the gateway has added. To its client it is one attempt, with the time of one. */
  async #callUnasked(sources: OutboundSources, facts: CallFactsOfTarget, startedAt: number): Promise<Outcome> {
    const outbound = buildOutbound(sources, false);
    const reply = await this.#send(outbound, facts, startedAt);
    // A request that is wrong in any case may name the field too.
    if (reply.status < 300) {
      const place = placeOf(outbound);
      this.usageRefusals.add(place);
      this.#options.onUsageRefused?.(place);
    }
    return this.#outcome(reply, outbound, facts);
  }

  #flow(flow: Flow, outbound: Outbound, facts: CallFactsOfTarget): Promise<Outcome> {
    const local = outbound.unit.definition.serve !== undefined && !outbound.settings.customHost;
    const transmit = (wanted: OutgoingCall, timeouts: Timeouts) =>
      this.#sent(outbound, wanted, { ...facts, timeouts }, local, undefined);
    return runFlow(flow, outbound, this.#replyFacts(outbound, facts), transmit, this.#timeoutsFor(facts));
  }

  /** A WebSocket in the place of a reply. */
  async #open(outbound: Outbound, facts: CallFactsOfTarget): Promise<Outcome> {
    const { unit, settings, url, headers } = outbound;
    const credential = await this.#auth.headersFor(authOf(outbound), identityOf(outbound), () =>
      toSign(outbound, outbound),
    );
    await this.#check(settings.base, settings, facts);
    const { requestMs, firstByteMs } = this.#timeoutsFor(facts);
    const opened = await openSocket(this.#connect, {
      upstream: unit.name,
      url,
      headers: { ...withoutBody(headers), ...credential },
      protocols: facts.socketProtocols ?? [],
      timeoutMs: least(requestMs, firstByteMs),
      maxPayload: this.#mostBytes(outbound, outbound),
      cancellation: facts.cancellation,
    });
    if (!('readyState' in opened)) {
      if (opened.status >= 400) return this.#outcome(opened, outbound, facts);
      throw noSession(unit.name, opened.status);
    }
    const { provider, model, path } = this.#replyFacts(outbound, facts);
    const body = { kind: 'bytes', bytes: new Uint8Array() } as const;
    return {
      status: 200,
      headers: {},
      body,
      provider,
      model,
      path,
      retries: 0,
      session: opened,
      usage: sessionUsage,
    };
  }

  #outcome(reply: WireReply, outbound: Outbound, facts: CallFactsOfTarget): Outcome | Promise<Outcome> {
    if (reply.status === 401) this.#auth.forget(identityOf(outbound));
    return reading(outbound.unit.name, () => outcomeOf(reply, outbound, this.#replyFacts(outbound, facts)));
  }

  #timeoutsFor({ timeouts, requestTimeoutMs }: CallFactsOfTarget): Timeouts {
    if (timeouts !== undefined || requestTimeoutMs === undefined) return timeouts ?? this.#timeouts;
    return { ...this.#timeouts, requestMs: requestTimeoutMs };
  }

  #replyFacts(outbound: Outbound, facts: CallFactsOfTarget): ReplyFacts {
    const { request } = facts;
    const { now, newId } = this.#options;
    return {
      requestId: request.id,
      dialect: request.dialect,
      provider: outbound.unit.name,
      model: outbound.facts.model || undefined,
      path: facts.path,
      region: outbound.unit.definition.region?.(outbound.settings.settings),
      context: () => ({
        strict: facts.strict,
        dropped: facts.dropped,
        request: request.body,
        newId: (prefix) => prefix + newId().replaceAll('-', ''),
        nowSeconds: () => Math.floor(now() / 1000),
      }),
      nowMs: now(),
      ledger: this.#ledger,
      cancellation: facts.cancellation,
    };
  }

  /** The credential headers as `explain` may show them: names, and stars for their values. */
  maskedCredential(outbound: Outbound): Readonly<Record<string, string>> {
    const auth = authOf(outbound);
    if (auth.kind === 'token' || auth.kind === 'signed') return { authorization: unfetchedToken };
    const headers = this.#auth.headersFor(auth, identityOf(outbound), () => toSign(outbound, outbound));
    return headers instanceof Promise ? {} : Object.fromEntries(Object.keys(headers).map((name) => [name, '****']));
  }

  /** Whether the guard lets the URL pass by its text; names are not resolved. @throws GatewayError `url_blocked` */
  judge({ unit, settings }: Outbound): void {
    if (unit.definition.serve !== undefined && !settings.customHost) return;
    this.#options.guard.checkText(settings.base, fieldOf(settings));
  }

  /** One request of a plugin, answered whole. Follows no redirect. */
  fetch(url: URL, request: FetchRequest): Promise<FetchReply> {
    return this.#side.fetch(url, request);
  }

  async close(): Promise<void> {
    await this.#pools.close();
    await this.#machine.close();
    await this.#ledger.close();
  }

  #send(outbound: Outbound, facts: CallFactsOfTarget, startedAt?: number): Promise<WireReply> {
    const { unit, settings } = outbound;
    facts.sends?.(outbound.sentAs);
    const local = unit.definition.serve !== undefined && !settings.customHost;
    return this.#sent(outbound, outbound, facts, local, startedAt);
  }

  /** One request of a target, with its credential; most have one. */
  #sent(
    outbound: Outbound,
    call: OutgoingCall,
    facts: CallFactsOfTarget,
    local: boolean,
    startedAt: number | undefined,
  ): Promise<WireReply> {
    const credential =
      call.anonymous === true
        ? {}
        : this.#auth.headersFor(authOf(outbound), identityOf(outbound), () => toSign(outbound, call));
    const base = call === outbound ? outbound.settings.base : call.url.slice(0, originEnd(call.url));
    if (credential instanceof Promise || !(local || this.#checked.has(base))) {
      return this.#sendLater(credential, base, outbound, call, facts, local, startedAt);
    }
    return this.#transmit(credential, outbound, call, facts, startedAt);
  }

  async #sendLater(
    credential: MaybePromise<Credential>,
    base: string,
    outbound: Outbound,
    call: OutgoingCall,
    facts: CallFactsOfTarget,
    local: boolean,
    startedAt: number | undefined,
  ): Promise<WireReply> {
    const headers = await credential;
    if (!local) await this.#check(base, outbound.settings, facts);
    return this.#transmit(headers, outbound, call, facts, startedAt);
  }

  #transmit(
    credential: Credential,
    outbound: Outbound,
    call: OutgoingCall,
    facts: CallFactsOfTarget,
    startedAt: number | undefined,
  ): Promise<WireReply> {
    const { unit, settings, chosen } = outbound;
    const serve = settings.customHost ? undefined : unit.definition.serve;
    // Last, so that nothing forwarded or configured can replace them.
    Object.assign(call.headers, credential);
    const end = serve === undefined ? originEnd(call.url) : 0;
    const wire: WireRequest = {
      upstream: unit.name,
      origin: call.url.slice(0, end),
      path: serve === undefined ? call.url.slice(end) || '/' : pathBelow(outbound, call.url),
      method: call.method,
      headers: call.headers,
      body: call.body,
      timeouts: this.#timeoutsFor(facts),
      startedAt,
      maxReplyBytes: this.#mostBytes(outbound, call),
      collects: call.collects ?? ((status, type) => collects(status, type, outbound)),
      cancellation: this.#patient(facts.cancellation, chosen),
    };
    return serve === undefined ? transmit(this.#pools, wire) : transmitLocally(serve, wire);
  }

  #mostBytes({ settings, chosen: { spec } }: Outbound, { collects }: OutgoingCall): number {
    const { maxReplyBytes, customHostMaxReplyBytes, maxFileBytes } = this.#options;
    if (spec.reply === 'bytes' || (spec.flow !== undefined && collects?.(200, '') === false)) return maxFileBytes;
    return settings.customHost ? customHostMaxReplyBytes : maxReplyBytes;
  }

  /** An answer that is drained outlives its client for a while. */
  #patient(client: Cancellation, { dialect }: Outbound['chosen']): Cancellation {
    const counts = dialect !== undefined && dialect.kind !== 'document';
    const drains = this.#ledger.settings.onDisconnect === 'drain' && counts;
    return drains ? new Patience(client, drainMs) : client;
  }

  async #check(base: string, settings: Outbound['settings'], { cancellation }: CallFactsOfTarget): Promise<void> {
    if (this.#checked.has(base)) return;
    await this.#options.guard.check(base, fieldOf(settings), cancellation.signal);
    if (this.#checked.size > 10_000) this.#checked.clear();
    this.#checked.add(base);
  }
}
