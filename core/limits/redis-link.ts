import type { Redis } from 'ioredis';
import type { Log } from 'portcullis/sdk';
import { openRedis } from '../redis/client.ts';
import { type ScriptName, scripts } from './scripts.ts';

export interface LinkParts {
  readonly url: string;
  readonly log: Log;
  /** An answer that takes longer is a failure. */
  readonly commandTimeoutMs: number;
  /** Runs when it answers again, before it is used by others: a rejection leaves it away. */
  readonly returning: () => Promise<void>;
}

/** The call was not answered. */
export class LinkFailure extends Error {
  override readonly name = 'LinkFailure';
  /** Whether it may have been carried out, or may still be. */
  readonly sent: boolean;

  constructor(sent: boolean, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.sent = sent;
  }
}

interface Call {
  readonly name: ScriptName;
  readonly args: readonly string[];
  readonly keys: number;
  readonly queuedAt: number;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: LinkFailure) => void;
}

interface Sent {
  readonly call: Call;
  readonly sentAt: number;
}

type Command = (keys: number, ...args: readonly string[]) => Promise<unknown>;

const connectMs = 500;
const failuresUntilAway = 5;
const mostInFlight = 256;
const mostQueued = 10_000;
const firstProbeMs = 200;
const longestProbeMs = 2_000;
// A peer that vanished closes no connection.
const probesUntilReconnect = 5;

/**
 * One connection, with a breaker: after five failures in a row nobody waits for it any more, until a probe is answered.
 * So many calls are under way at a time; those that come then wait in line, never longer than an answer may take.
 */
export class RedisLink {
  readonly #parts: LinkParts;
  readonly #redis: Redis;
  #state: 'connecting' | 'there' | 'away' | 'closed' = 'connecting';
  /** The oldest first. */
  readonly #sent = new Set<Sent>();
  #queue: Call[] = [];
  #failures = 0;
  #probes = 0;
  #waited = 0;
  #refused = 0;
  #timer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.#redis = openRedis(parts.url, {
      commandTimeout: parts.commandTimeoutMs,
      connectTimeout: connectMs,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (attempt: number) => Math.min(1_000, 50 * 2 ** attempt),
    });
    for (const [name, lua] of Object.entries(scripts)) this.#redis.defineCommand(name, { lua });
    this.#redis.on('error', (error: Error) => this.#lost(error));
    this.#redis.on('close', () => {
      this.#redis.options.commandTimeout = parts.commandTimeoutMs;
      this.#lost(new Error('the connection was closed'));
    });
    this.#redis.on('ready', () => {
      // It times its own questions, before it is ready; the others are timed here.
      delete this.#redis.options.commandTimeout;
      if (this.#state === 'connecting') this.#state = 'there';
      else if (this.#state === 'away') this.#probeIn(0);
      this.#drain();
    });
  }

  /** Whether nobody waits for it. */
  get away(): boolean {
    return this.#state === 'away';
  }

  /** Calls that waited for an answer in vain. */
  get waited(): number {
    return this.#waited;
  }

  /** Calls that were answered in the negative without waiting. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Carries a script out.
   * @param urgent also while it is away: for what has to be done before others come
   * @throws LinkFailure
   */
  run(name: ScriptName, keys: readonly string[], args: readonly string[], urgent = false): Promise<unknown> {
    if (this.#state === 'closed' || (this.#state === 'away' && !urgent) || this.#queue.length >= mostQueued) {
      this.#refused += 1;
      return Promise.reject(new LinkFailure(false, 'Redis is not asked at the moment.'));
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const call = { name, args: [...keys, ...args], keys: keys.length, queuedAt: performance.now(), resolve, reject };
    if (urgent || (this.#state === 'there' && this.#sent.size < mostInFlight && this.#queue.length === 0)) {
      this.#send(call);
    } else {
      this.#queue.push(call);
    }
    return promise;
  }

  close(): void {
    this.#state = 'closed';
    clearTimeout(this.#timer);
    clearTimeout(this.#watch);
    this.#refuseQueue();
    this.#redis.disconnect();
  }

  #send(call: Call): void {
    const { name, keys, args, resolve } = call;
    const sent = { call, sentAt: performance.now() };
    this.#sent.add(sent);
    this.#watchOldest();
    const command = (this.#redis as unknown as Readonly<Record<ScriptName, Command>>)[name];
    command.call(this.#redis, keys, ...args).then(
      (reply) => {
        if (!this.#sent.delete(sent)) return;
        this.#failures = 0;
        resolve(reply);
        this.#drain();
      },
      (error: Error) => this.#failed(sent, error),
    );
  }

  #failed(sent: Sent, error: Error): void {
    if (!this.#sent.delete(sent)) return;
    this.#waited += 1;
    this.#failures += 1;
    sent.call.reject(new LinkFailure(true, error.message, error));
    if (this.#failures >= failuresUntilAway) this.#lost(error);
    this.#drain();
  }

  #watchOldest(): void {
    if (this.#watch !== undefined || this.#state === 'closed') return;
    const [oldest] = this.#sent;
    if (oldest === undefined) return;
    const { commandTimeoutMs } = this.#parts;
    const inMs = Math.max(0, oldest.sentAt + commandTimeoutMs - performance.now());
    this.#watch = setTimeout(() => {
      const late = performance.now() - commandTimeoutMs;
      // What has come while this process was busy is read first: it is not late.
      setImmediate(() => {
        this.#watch = undefined;
        for (const sent of [...this.#sent]) {
          if (sent.sentAt > late) break;
          this.#failed(sent, new Error('no answer in time'));
        }
        this.#watchOldest();
      });
    }, inMs);
  }

  #drain(): void {
    if (this.#state !== 'there') return;
    const stale = performance.now() - this.#parts.commandTimeoutMs;
    let next = 0;
    while (next < this.#queue.length && this.#sent.size < mostInFlight) {
      const call = this.#queue[next] as Call;
      next += 1;
      if (call.queuedAt >= stale) this.#send(call);
      else this.#refuse(call);
    }
    if (next > 0) this.#queue.splice(0, next);
  }

  #lost(error: Error): void {
    if (this.#state === 'away' || this.#state === 'closed') return;
    this.#state = 'away';
    this.#parts.log.warn('limits_breaker', { state: 'open', error: codeOf(error) });
    this.#refuseQueue();
    this.#probeIn(firstProbeMs);
  }

  #refuseQueue(): void {
    for (const call of this.#queue) this.#refuse(call);
    this.#queue = [];
  }

  #refuse(call: Call): void {
    this.#refused += 1;
    call.reject(new LinkFailure(false, 'Redis did not take the call in time.'));
  }

  #probeIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#probe(), ms);
    this.#timer.unref();
  }

  async #ping(): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => setImmediate(reject, new Error('no answer in time')), this.#parts.commandTimeoutMs);
    try {
      await Promise.race([this.#redis.ping(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #probe(): Promise<void> {
    try {
      await this.#ping();
      await this.#parts.returning();
    } catch {
      if (this.#state !== 'away') return;
      this.#probes += 1;
      if (this.#probes % probesUntilReconnect === 0) this.#redis.disconnect(true);
      this.#probeIn(Math.min(longestProbeMs, firstProbeMs * 2 ** Math.min(this.#probes, 8)));
      return;
    }
    if (this.#state !== 'away') return;
    this.#state = 'there';
    this.#failures = 0;
    this.#probes = 0;
    this.#parts.log.info('limits_breaker', { state: 'closed' });
  }
}

/** For the log. Messages of errors may quote what was sent. */
function codeOf(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
