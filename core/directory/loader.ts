import { type DirectoryKind, GatewayError, type Log } from 'portcullis/sdk';
import type { DirectoryBounds } from './bounds.ts';
import { Gate, GateRefusal } from './gate.ts';
import type { Memory, Slot } from './memory.ts';
import { describe, notReady, type Outage } from './outage.ts';
import { isDigestKind } from './paths.ts';
import { keptOf } from './plain.ts';
import type { DirectorySource } from './source.ts';
import type { Tenancies } from './tenancies.ts';

export interface LoaderParts {
  readonly source: DirectorySource;
  readonly bounds: DirectoryBounds;
  readonly tenancies: Tenancies;
  readonly memory: Memory;
  readonly outage: Outage;
  readonly log: Log;
  readonly now: () => number;
  /** The source may be away: find out. */
  readonly onFailure: () => void;
}

/** One load that all who want the same path wait for. */
interface Flight {
  /** The clock of the tenancies when it began. */
  readonly stamp: number;
  readonly slot: Promise<Slot>;
}

const mostDoublings = 2;
const logPauseMs = 1_000;

/** Brings records from the source into the memory: each path once at a time, and no more at a time than the bounds allow. */
export class Loader {
  readonly #parts: LoaderParts;
  readonly #gate: Gate;
  readonly #flights = new Map<string, Flight>();
  #closed: GatewayError | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #unlogged = 0;

  constructor(parts: LoaderParts) {
    this.#parts = parts;
    this.#gate = new Gate(parts.bounds.maxLoads, parts.bounds.maxWaiting);
  }

  get running(): number {
    return this.#gate.running;
  }

  get waiting(): number {
    return this.#gate.waiting;
  }

  /** The record as it is now, or its last good copy when the load fails. @throws GatewayError when there is no copy */
  async load(kind: DirectoryKind, path: readonly string[], name: string): Promise<object | undefined> {
    const { memory, tenancies } = this.#parts;
    const arrived = tenancies.clock;
    if (this.#closed !== undefined) throw this.#closed;
    for (;;) {
      const flight = this.#flights.get(name) ?? this.#start(kind, path, name);
      try {
        const { value, stamp, tenancy } = await flight.slot;
        // A flight that began before a change may have brought what was there before it; the next one cannot.
        if (flight.stamp >= arrived || stamp >= tenancy.changedAt) return value;
      } catch (error) {
        const good = memory.find(name)?.value;
        if (good !== undefined) return good;
        throw error;
      }
    }
  }

  /** Nobody waits for this one. */
  loadBehind(kind: DirectoryKind, path: readonly string[], name: string): void {
    if (this.#closed === undefined && !this.#flights.has(name)) this.#start(kind, path, name).slot.catch(() => {});
  }

  mayRetry({ failure }: Slot): boolean {
    const { outage } = this.#parts;
    return failure === undefined || failure.era !== outage.era || performance.now() >= failure.retryAt;
  }

  /** Counts a failure of the source itself. */
  failed(error: unknown): void {
    const { outage } = this.#parts;
    if (this.#closed === undefined && outage.failed(error)) this.#gate.refuseWaiting(outage.refusal());
  }

  close(error: GatewayError): void {
    this.#closed = error;
    this.#gate.refuseAll(error);
  }

  #start(kind: DirectoryKind, path: readonly string[], name: string): Flight {
    const flight = { stamp: this.#parts.tenancies.clock, slot: this.#fly(kind, path, name) };
    this.#flights.set(name, flight);
    return flight;
  }

  async #fly(kind: DirectoryKind, path: readonly string[], name: string): Promise<Slot> {
    const { source, bounds, tenancies, outage } = this.#parts;
    const stamp = tenancies.clock;
    try {
      const { entry } = await this.#gate.run((signal) => source.load(kind, path, signal), bounds.loadMs);
      const slot = this.#keep(kind, path, name, entry, stamp);
      if (!outage.away) outage.succeeded();
      return slot;
    } catch (error) {
      throw this.#noted(kind, name, error);
    } finally {
      this.#flights.delete(name);
    }
  }

  #keep(kind: DirectoryKind, path: readonly string[], name: string, entry: unknown, stamp: number): Slot {
    const { memory, tenancies, now } = this.#parts;
    const facts = { stamp, loadedAt: now(), failure: undefined };
    if (entry === undefined || entry === null) {
      const tenancy = isDigestKind(kind) ? tenancies.any : tenancies.of(path[0] ?? '');
      const slot: Slot = { ...facts, value: undefined, tenancy };
      memory.keepMiss(name, slot);
      return slot;
    }
    const { value, size } = keptOf(kind, path, entry, memory.find(name)?.value);
    const slot: Slot = { ...facts, value, tenancy: tenancies.of(value.organisationId) };
    memory.keepRecord(name, slot, size);
    return slot;
  }

  /** Remembers the failure, so that requests do not repeat it. @returns what the caller is told */
  #noted(kind: DirectoryKind, name: string, error: unknown): GatewayError {
    if (this.#closed !== undefined) return this.#closed;
    const { memory, outage, onFailure } = this.#parts;
    const known = memory.find(name);
    if (error instanceof GateRefusal && !error.begun) {
      return this.#mark(known, notReady('Too many records are being read at the moment. Try again shortly.'));
    }
    if (error instanceof GateRefusal || isNotReady(error)) {
      this.failed(error);
      if (!outage.away) onFailure();
      return this.#mark(known, outage.refusal());
    }
    this.#report(kind, error);
    const told = GatewayError.is(error)
      ? error
      : new GatewayError('internal', `A record of the kind ${kind} cannot be read.`, { cause: error });
    if (known === undefined) this.#keepFault(name, told);
    return this.#mark(known, told);
  }

  #mark(slot: Slot | undefined, error: GatewayError): GatewayError {
    if (slot === undefined) return error;
    const { bounds, outage } = this.#parts;
    const count = slot.failure?.era === outage.era ? slot.failure.count + 1 : 1;
    const pauseMs = bounds.retryMs * 2 ** Math.min(mostDoublings, count - 1);
    slot.failure = { error, count, retryAt: performance.now() + pauseMs, era: outage.era };
    return error;
  }

  /** A path at fault stands among the misses, stale from the start. */
  #keepFault(name: string, error: GatewayError): void {
    const { memory, tenancies, now } = this.#parts;
    const slot: Slot = { value: undefined, tenancy: tenancies.any, stamp: -1, loadedAt: now(), failure: undefined };
    this.#mark(slot, error);
    memory.keepMiss(name, slot);
  }

  /** One line a second at most, with the number of those left out. */
  #report(kind: DirectoryKind, error: unknown): void {
    const now = performance.now();
    if (now - this.#loggedAt < logPauseMs) {
      this.#unlogged += 1;
      return;
    }
    this.#parts.log.error('directory_load_failed', { kind, error: describe(error), left_out: this.#unlogged });
    this.#loggedAt = now;
    this.#unlogged = 0;
  }
}

function isNotReady(error: unknown): boolean {
  return GatewayError.is(error) && error.code === 'not_ready';
}
