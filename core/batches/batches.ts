import { GatewayError, type JsonObject, type Log } from 'portcullis/sdk';
import type { HeldRuntime } from '../pipeline/own-request.ts';
import { type FileKind, isFinal, mostSeconds, type StoredBatch } from './batch.ts';
import { memoryBatchRecords } from './memory-records.ts';
import type { BatchCaller } from './own-exchange.ts';
import type { BatchPage, BatchRecords } from './records.ts';
import { BatchRun } from './run-batch.ts';

export interface BatchesOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly log: Log;
  /** Undefined: they are kept in the memory of this process. */
  readonly records: BatchRecords | undefined;
  /** The state that serves now. */
  readonly acquire: () => HeldRuntime;
}

/** What a batch is made of. */
export interface NewBatch {
  readonly id: string;
  readonly scope: string;
  readonly endpoint: string;
  readonly inputFileId: string;
  readonly metadata: JsonObject | null;
  readonly caller: BatchCaller;
  readonly input: AsyncIterable<Uint8Array>;
  /** Gives the input up. */
  readonly stopReading: () => void;
  /** Of one line. */
  readonly lineBytes: number;
}

/** The batches that the gateway runs itself. */
export interface Batches {
  newId(): string;
  acquire(): HeldRuntime;
  /** @throws GatewayError `throttled` while as many run as may */
  checkRoom(scope: string): void;
  create(batch: NewBatch): Promise<StoredBatch>;
  /** Undefined: nothing that this scope has made. */
  find(id: string, scope: string): Promise<StoredBatch | undefined>;
  list(scope: string, limit: number, after: StoredBatch | undefined): Promise<BatchPage>;
  cancel(batch: StoredBatch): Promise<StoredBatch>;
  content(id: string, kind: FileKind): AsyncIterable<Uint8Array>;
  removeFile(id: string, kind: FileKind): Promise<void>;
  /** Ends what runs in this process. */
  close(): Promise<void>;
}

/** At once in one process, of everybody and of one workspace. */
const mostRunning = 50;
const mostOfScope = 10;
/** A process that has not said for so long that it is there is taken to be gone. */
const silentMs = 60_000;

const stopped = {
  code: 'gateway_stopped',
  message: 'The gateway was stopped while the batch ran. What was finished can be read in its files.',
};
const died = {
  code: 'process_died',
  message: 'The process that ran the batch is gone. What was finished can be read in its files.',
  param: null,
  line: null,
};

export function createBatches(options: BatchesOptions): Batches {
  return new LiveBatches({ ...options, records: options.records ?? memoryBatchRecords(options.now) });
}

interface KeptOptions extends BatchesOptions {
  readonly records: BatchRecords;
}

class LiveBatches implements Batches {
  readonly #options: KeptOptions;
  readonly #holder: string;
  readonly #running = new Map<string, { readonly run: BatchRun; readonly scope: string }>();
  #closed = false;

  constructor(options: KeptOptions) {
    this.#options = options;
    this.#holder = options.newId();
  }

  newId(): string {
    return this.#options.newId();
  }

  acquire(): HeldRuntime {
    return this.#options.acquire();
  }

  checkRoom(scope: string): void {
    const own = [...this.#running.values()].filter((running) => running.scope === scope).length;
    if (this.#closed) throw new GatewayError('not_ready', 'The gateway is shutting down.');
    if (own < mostOfScope && this.#running.size < mostRunning) return;
    const text = 'As many batches run already as may at once: wait for one of them to end.';
    throw new GatewayError('throttled', text, { headers: { 'retry-after': '30' } });
  }

  async create({ id, scope, endpoint, inputFileId, metadata, input, ...more }: NewBatch): Promise<StoredBatch> {
    this.checkRoom(scope);
    const { now, records } = this.#options;
    const createdAt = Math.floor(now() / 1000);
    const batch: StoredBatch = {
      id,
      scope,
      holder: this.#holder,
      status: 'validating',
      createdAt,
      expiresAt: createdAt + mostSeconds,
      cancellingAt: undefined,
      heartbeatAt: now(),
      endpoint,
      inputFileId,
      metadata,
      times: {},
      counts: { total: 0, completed: 0, failed: 0 },
      faults: [],
      bytes: { output: 0, error: 0 },
    };
    await records.insert(batch);
    const run = new BatchRun(batch, input, { ...this.#options, ...more });
    this.#running.set(id, { run, scope });
    void run.done.finally(() => this.#running.delete(id));
    return batch;
  }

  async find(id: string, scope: string): Promise<StoredBatch | undefined> {
    const batch = await this.#options.records.find(id);
    return batch?.scope === scope ? this.#alive(batch) : undefined;
  }

  async list(scope: string, limit: number, after: StoredBatch | undefined): Promise<BatchPage> {
    const { batches, more } = await this.#options.records.list(scope, limit, after);
    return { batches: await Promise.all(batches.map((batch) => this.#alive(batch))), more };
  }

  async cancel(batch: StoredBatch): Promise<StoredBatch> {
    const { records, now } = this.#options;
    await records.cancel(batch.id, Math.floor(now() / 1000));
    this.#running.get(batch.id)?.run.cancel();
    return (await records.find(batch.id)) ?? batch;
  }

  content(id: string, kind: FileKind): AsyncIterable<Uint8Array> {
    return this.#options.records.content(id, kind);
  }

  removeFile(id: string, kind: FileKind): Promise<void> {
    return this.#options.records.removeFile(id, kind);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const running = [...this.#running.values()];
    for (const { run } of running) run.fail(stopped);
    await Promise.all(running.map(({ run }) => run.done));
  }

  /** A batch whose process is gone has failed. */
  async #alive(batch: StoredBatch): Promise<StoredBatch> {
    const { now, records } = this.#options;
    if (isFinal(batch) || this.#running.has(batch.id) || now() - batch.heartbeatAt < silentMs) return batch;
    const times = { ...batch.times, failed_at: Math.floor(now() / 1000) };
    await records.takeOver({ ...batch, status: 'failed', times, faults: [...batch.faults, died] });
    return (await records.find(batch.id)) ?? batch;
  }
}
