import type { DialectName, ErrorCode, JsonObject, MaybePromise, Metering, MeterState, Usage } from 'portcullis/sdk';
import type { Cancellation } from '../upstream/cancellation.ts';
import type { CountedReply } from './counted-reply.ts';
import { estimateUsage } from './estimate.ts';
import type { CountedUsage } from './finish-usage.ts';
import type { Ledger } from './ledger.ts';
import { drainBytes } from './settings.ts';

export interface ReplyLedgerFacts {
  readonly ledger: Ledger;
  /** What was asked, in the client's format, as the pipeline left it. */
  readonly asked: JsonObject;
  readonly dialect: DialectName;
  /** Of the client's request. */
  readonly cancellation: Cancellation;
}

/** What one reply of a provider costs in tokens: what the provider says, and where it has not, what can be counted. */
export class ReplyLedger implements Metering {
  readonly #reply: CountedReply;
  readonly #facts: ReplyLedgerFacts;
  #over = false;
  #error: string | undefined;
  #whenOver: (() => void) | undefined;
  #drained = 0;
  #hasPlace = false;

  constructor(reply: CountedReply, facts: ReplyLedgerFacts) {
    this.#reply = reply;
    this.#facts = facts;
  }

  /** Whether the bytes are those that the provider gave. */
  isOf(bytes: Uint8Array): boolean {
    return this.#reply.bytes === bytes;
  }

  get state(): MeterState {
    return this.#reply.meter.state;
  }

  get finish(): string | undefined {
    return this.#reply.meter.finish;
  }

  get model(): string | undefined {
    return this.#reply.model;
  }

  get error(): string | undefined {
    return this.#error;
  }

  get usage(): Usage | undefined {
    return this.#reply.meter.usage;
  }

  get tier(): string | undefined {
    return this.#reply.meter.tier;
  }

  get region(): string | undefined {
    return this.#reply.meter.region;
  }

  /** Whether to read on although its client has left; takes a place among those that do, until it is over. */
  get drains(): boolean {
    const { ledger, cancellation } = this.#facts;
    if (this.#over || !cancellation.cancelled || ledger.settings.onDisconnect !== 'drain') return false;
    if (this.#drained > drainBytes || this.state === 'final') return false;
    this.#hasPlace ||= ledger.takeDrain();
    return this.#hasPlace;
  }

  /** So many bytes have been read for their counts alone. */
  drained(bytes: number): void {
    this.#drained += bytes;
  }

  /** It ends with an error; to be given up is none. */
  failed(code: ErrorCode): void {
    if (code !== 'client_closed') this.#error ??= code;
  }

  /** Nothing more will come: it is whole, has ended or broken off, or was given up. */
  over(): void {
    this.#over = true;
    if (this.#hasPlace) this.#facts.ledger.giveDrain();
    this.#hasPlace = false;
    this.#whenOver?.();
    this.#whenOver = undefined;
  }

  /** The tokens; without a promise where the provider has told them. */
  counted(): MaybePromise<CountedUsage> {
    if (!this.drains) return this.#count();
    const over = new Promise<void>((resolve) => {
      this.#whenOver = resolve;
    });
    return over.then(() => this.#count());
  }

  #count(): MaybePromise<CountedUsage> {
    const { usage } = this;
    if (usage !== undefined && this.state === 'final') return { usage, usageSource: 'provider' };
    if (this.#comesLater) return { usage: undefined, usageSource: undefined };
    return this.#facts.ledger.estimates.take(() => this.#estimate(usage));
  }

  /** Whether the provider has only begun, and goes on with nobody reading what it comes to. */
  get #comesLater(): boolean {
    const { asked, dialect } = this.#facts;
    return dialect === 'responses' && asked.background === true && this.#reply.bytes !== undefined;
  }

  async #estimate(told: Usage | undefined): Promise<CountedUsage> {
    const { asked, dialect, ledger } = this.#facts;
    const replied = await this.#reply.said();
    const usage = await estimateUsage(ledger.counter, { asked, dialect, replied, told });
    return { usage, usageSource: 'estimated' };
  }
}
