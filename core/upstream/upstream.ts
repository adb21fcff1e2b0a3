import {
  type FetchReply,
  type FetchRequest,
  GatewayError,
  type Outcome,
  type RequestContext,
  type Settings,
  type TokenRequest,
} from 'portcullis/sdk';
import { Ledger } from '../ledger/ledger.ts';
import { Patience } from '../ledger/patience.ts';
import { drainMs, type LedgerSettings } from '../ledger/settings.ts';
import { Authenticator, unfetchedToken } from './auth.ts';
import { Cancellation } from './cancellation.ts';
import { transmitLocally } from './local.ts';
import { buildOutbound, type Outbound, type OutboundSources } from './outbound.ts';
import { Pools } from './pools.ts';
import { outcomeOf } from './reply.ts';
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
  readonly now: () => number;
  readonly newId: () => string;
  readonly ledger?: LedgerSettings | undefined;
  /** Told of each host that is not asked for the token counts of its streams any more, because it has refused that. */
  readonly onUsageRefused?: ((place: AskedPlace) => void) | undefined;
}

export interface CallFactsOfTarget {
  readonly request: RequestContext;
  readonly cancellation: Cancellation;
  readonly path: string;
  readonly strict: boolean;
  readonly requestTimeoutMs: number | undefined;
  /** Told of each field of a reply that has no place in the client's format. */
  readonly dropped: (field: string) => void;
}

/** The headers that carry a credential. */
type Credential = Readonly<Record<string, string>>;

const tokenTimeoutMs = 15_000;

/** Everything that leaves the gateway goes through here. */
export class Upstream {
  readonly usageRefusals: UsageRefusals;
  readonly #options: UpstreamOptions;
  readonly #pools: Pools;
  readonly #auth: Authenticator;
  readonly #timeouts: Timeouts;
  readonly #ledger: Ledger;
  /** Base URLs that have passed the guard's full check; connections are checked again each time one is opened. */
  readonly #checked = new Set<string>();

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.usageRefusals = new UsageRefusals(options.now);
    this.#timeouts = { ...options.timeouts, requestMs: options.requestMs };
    this.#ledger = new Ledger(options.ledger);
    this.#pools = new Pools(options.guard.connector({ timeout: options.connectMs }));
    this.#auth = new Authenticator((request) => this.#fetchToken(request), options.now);
  }

  /** Sends a built request and gives the outcome in the client's dialect. Rejects with a GatewayError. */
  call(outbound: Outbound, facts: CallFactsOfTarget): Promise<Outcome> {
    const { asking } = outbound;
    if (asking === undefined) return this.#send(outbound, facts).then((reply) => this.#outcome(reply, outbound, facts));
    const startedAt = performance.now();
    return this.#send(outbound, facts).then((reply) =>
      refusesQuestion(reply) && !facts.cancellation.cancelled
        ? this.#callUnasked(asking, facts, startedAt)
        : this.#outcome(reply, outbound, facts),
    );
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

  #outcome(reply: WireReply, outbound: Outbound, facts: CallFactsOfTarget): Outcome | Promise<Outcome> {
    const { request } = facts;
    const { now, newId } = this.#options;
    return outcomeOf(reply, outbound, {
      requestId: request.id,
      dialect: request.dialect,
      provider: outbound.unit.name,
      model: outbound.facts.model || undefined,
      path: facts.path,
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
    });
  }

  /** The credential headers as `explain` may show them: names, and stars for their values. */
  maskedCredential(outbound: Outbound): Readonly<Record<string, string>> {
    const auth = authOf(outbound);
    if (auth.kind === 'token') return { authorization: unfetchedToken };
    const headers = this.#auth.headersFor(auth, outbound.settings.settings, outbound.unit.name);
    return headers instanceof Promise ? {} : Object.fromEntries(Object.keys(headers).map((name) => [name, '****']));
  }

  /** Whether the guard lets the URL pass by its text; names are not resolved. @throws GatewayError `url_blocked` */
  judge({ unit, settings }: Outbound): void {
    if (unit.definition.serve !== undefined && !settings.customHost) return;
    this.#options.guard.checkText(settings.base, fieldOf(settings));
  }

  async close(): Promise<void> {
    await this.#pools.close();
    await this.#ledger.close();
  }

  #send(outbound: Outbound, facts: CallFactsOfTarget, startedAt?: number): Promise<WireReply> {
    const { unit, settings } = outbound;
    const credential = this.#auth.headersFor(authOf(outbound), settings.settings, unit.name);
    const local = unit.definition.serve !== undefined && !settings.customHost;
    if (credential instanceof Promise || !(local || this.#checked.has(settings.base))) {
      return this.#sendLater(credential, outbound, facts, local, startedAt);
    }
    return this.#transmit(credential, outbound, facts, startedAt);
  }

  async #sendLater(
    credential: Credential | Promise<Credential>,
    outbound: Outbound,
    facts: CallFactsOfTarget,
    local: boolean,
    startedAt: number | undefined,
  ): Promise<WireReply> {
    const headers = await credential;
    if (!local) await this.#check(outbound.settings, facts);
    return this.#transmit(headers, outbound, facts, startedAt);
  }

  #transmit(
    credential: Credential,
    outbound: Outbound,
    facts: CallFactsOfTarget,
    startedAt: number | undefined,
  ): Promise<WireReply> {
    const { unit, settings, chosen } = outbound;
    const serve = settings.customHost ? undefined : unit.definition.serve;
    // Last, so that nothing forwarded or configured can replace them.
    Object.assign(outbound.headers, credential);
    const end = serve === undefined ? originEnd(outbound.url) : 0;
    const wire: WireRequest = {
      upstream: unit.name,
      origin: outbound.url.slice(0, end),
      path: serve === undefined ? outbound.url.slice(end) || '/' : pathBelow(outbound),
      method: outbound.method,
      headers: outbound.headers,
      body: outbound.body,
      timeouts:
        facts.requestTimeoutMs === undefined
          ? this.#timeouts
          : { ...this.#timeouts, requestMs: facts.requestTimeoutMs },
      startedAt,
      maxReplyBytes: settings.customHost ? this.#options.customHostMaxReplyBytes : this.#options.maxReplyBytes,
      collects: (status, type) => collects(status, type, outbound.facts.stream, chosen.endpoint === 'proxy'),
      cancellation: this.#patient(facts.cancellation, chosen),
    };
    return serve === undefined ? transmit(this.#pools, wire) : transmitLocally(serve, wire);
  }

  /** An answer that is drained outlives its client for a while. */
  #patient(client: Cancellation, { dialect }: Outbound['chosen']): Cancellation {
    const drains = this.#ledger.settings.onDisconnect === 'drain' && dialect !== undefined;
    return drains ? new Patience(client, drainMs) : client;
  }

  async #check(settings: Outbound['settings'], { cancellation }: CallFactsOfTarget): Promise<void> {
    if (this.#checked.has(settings.base)) return;
    await this.#options.guard.check(settings.base, fieldOf(settings), cancellation.signal);
    if (this.#checked.size > 10_000) this.#checked.clear();
    this.#checked.add(settings.base);
  }

  /** One request of a plugin, answered whole. Follows no redirect. */
  async fetch(url: URL, request: FetchRequest): Promise<FetchReply> {
    await this.#options.guard.check(url.href, 'url', request.signal);
    const cancellation = new Cancellation();
    const cancel = () => cancellation.cancel();
    request.signal?.addEventListener('abort', cancel, { once: true });
    try {
      const reply = await transmit(this.#pools, {
        upstream: url.host,
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method ?? 'GET',
        headers: { 'accept-encoding': 'identity', ...request.headers },
        body: request.body,
        timeouts: { firstByteMs: 0, gapMs: 0, totalMs: 0, requestMs: request.timeoutMs },
        maxReplyBytes: request.maxBytes ?? 1024 * 1024,
        collects: () => true,
        cancellation,
      });
      const headers = Object.entries(reply.headers).map(([name, value]) => [name, String(value)]);
      return { status: reply.status, headers: Object.fromEntries(headers), body: reply.bytes ?? new Uint8Array() };
    } finally {
      request.signal?.removeEventListener('abort', cancel);
    }
  }

  async #fetchToken({ url, method, headers, form }: TokenRequest): Promise<{ status: number; body: string }> {
    const body = form === undefined ? undefined : new URLSearchParams(form).toString();
    const type = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
    const end = originEnd(url);
    const reply = await transmit(this.#pools, {
      upstream: 'the token endpoint',
      origin: url.slice(0, end),
      path: url.slice(end) || '/',
      method,
      headers: { ...headers, ...type },
      body,
      timeouts: { firstByteMs: 0, gapMs: 0, totalMs: 0, requestMs: tokenTimeoutMs },
      maxReplyBytes: 1024 * 1024,
      collects: () => true,
      cancellation: new Cancellation(),
    });
    return { status: reply.status, body: reply.bytes?.toString('utf8') ?? '' };
  }
}

/** What to name when the URL is refused. */
function fieldOf({ customHost }: Outbound['settings']): string {
  return customHost ? 'custom_host' : 'base URL';
}

function authOf(outbound: Outbound) {
  const { auth } = outbound.unit.definition;
  return typeof auth === 'function' ? auth(outbound.settings.settings as Settings) : auth;
}

/** Bodies that the gateway reads whole; anything else flows through. */
function collects(status: number, type: string, stream: boolean, proxied: boolean): boolean {
  if (proxied) return status >= 400 && type.includes('json');
  return status >= 300 || !stream || type.includes('application/json');
}

function originEnd(url: string): number {
  const slash = url.indexOf('/', url.indexOf('://') + 3);
  const query = url.indexOf('?');
  if (slash === -1) return query === -1 ? url.length : query;
  return query !== -1 && query < slash ? query : slash;
}

function pathBelow(outbound: Outbound): string {
  if (!outbound.url.startsWith(outbound.settings.base))
    throw new GatewayError('internal', 'A local provider was asked for a foreign URL.');
  return outbound.url.slice(outbound.settings.base.length) || '/';
}
