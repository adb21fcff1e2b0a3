import { GatewayError, type Log } from 'portcullis/sdk';
import { DiskBytes } from '../uploads/disk-bytes.ts';
import { type BatchFault, type FinalStatus, isFinal, type StoredBatch } from './batch.ts';
import { batchLineOf, checkLines } from './check-lines.ts';
import { linesOf } from './json-lines.ts';
import { Pace, standardPace } from './pace.ts';
import type { BatchRecords } from './records.ts';
import { type LineResult, type LineRun, runLine } from './run-line.ts';
import { WrittenFiles } from './written-files.ts';

export interface BatchRunParts extends Omit<LineRun, 'endpoint' | 'pace' | 'ending' | 'givenUp'> {
  readonly records: BatchRecords;
  readonly now: () => number;
  readonly log: Log;
  /** Of one line. */
  readonly lineBytes: number;
  /** Gives the input file up. */
  readonly stopReading: () => void;
}

const mostInputBytes = 200 * 1024 * 1024;
const savedEachMs = 1_000;
/** Characters of results. */
const savedAt = 1_000_000;
const mostWaiting = 64_000_000;
/** What runs when a batch is cancelled may come to its end for so long. */
const graceMs = 10_000;

/** One batch on its way from its file to its results. */
export class BatchRun {
  readonly done: Promise<void>;
  readonly #parts: BatchRunParts;
  readonly #ending = new AbortController();
  readonly #givenUp = new AbortController();
  readonly #files = new WrittenFiles();
  #batch: StoredBatch;
  #end: FinalStatus = 'completed';
  #lost = false;
  #away = false;
  #full = false;
  #saving: Promise<void> | undefined;
  #grace: NodeJS.Timeout | undefined;

  constructor(batch: StoredBatch, input: AsyncIterable<Uint8Array>, parts: BatchRunParts) {
    this.#batch = batch;
    this.#parts = parts;
    this.#ending.signal.addEventListener('abort', () => parts.stopReading());
    this.done = this.#run(input);
  }

  /** Ends it: nothing more is begun, and what runs may come to its end for a while. */
  cancel(): void {
    this.#stop('cancelled');
  }

  /** Ends it at once. */
  fail(fault: Pick<BatchFault, 'code' | 'message'>): void {
    this.#note({ ...fault, param: null, line: null });
    this.#stop('failed');
    this.#givenUp.abort();
  }

  #note(...faults: readonly BatchFault[]): void {
    this.#batch = { ...this.#batch, faults: [...this.#batch.faults, ...faults] };
  }

  #stop(end: FinalStatus): void {
    if (this.#ending.signal.aborted) return;
    this.#end = end;
    this.#ending.abort();
    this.#grace = setTimeout(() => this.#givenUp.abort(), graceMs);
    this.#grace.unref();
  }

  async #run(input: AsyncIterable<Uint8Array>): Promise<void> {
    const disk = new DiskBytes();
    const heart = setInterval(() => void this.#save(), savedEachMs);
    heart.unref();
    try {
      await this.#read(input, disk);
      if (!this.#ending.signal.aborted) await this.#check(disk);
      if (!this.#ending.signal.aborted) await this.#work(disk);
    } catch (error) {
      this.#parts.log.error('batch_failed', {
        batch: this.#batch.id,
        error: error instanceof Error ? error.message : '',
      });
      const message = GatewayError.is(error)
        ? error.message
        : 'The gateway failed; its log says more under the id of the batch.';
      this.#end = 'failed';
      this.#note({ code: 'batch_failed', message, param: null, line: null });
    } finally {
      clearInterval(heart);
      clearTimeout(this.#grace);
      await disk.release();
    }
    await this.#finish();
  }

  async #read(input: AsyncIterable<Uint8Array>, disk: DiskBytes): Promise<void> {
    // What is given up is no fault of the file.
    const given = this.#unlessEnding(input);
    for await (const piece of given) {
      if (this.#ending.signal.aborted) return;
      if (disk.size + piece.length > mostInputBytes) {
        const message = `The file is larger than the ${mostInputBytes} bytes that are accepted.`;
        this.fail({ code: 'file_too_large', message });
        return;
      }
      // A copy: what is given to the disk is spent.
      await disk.append([Uint8Array.from(piece)]);
    }
  }

  async *#unlessEnding(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* input;
    } catch (error) {
      if (!this.#ending.signal.aborted) throw error;
    }
  }

  async #check(disk: DiskBytes): Promise<void> {
    const { total, faults } = await checkLines(disk, this.#batch.endpoint, this.#parts.lineBytes);
    const counts = { ...this.#batch.counts, total };
    if (faults.length > 0) {
      this.#note(...faults);
      this.#stop('failed');
    } else {
      const times = { ...this.#batch.times, in_progress_at: this.#seconds() };
      this.#batch = { ...this.#batch, counts, times, status: 'in_progress' };
      await this.#save();
    }
  }

  /** As many lines at once as there are turns of the pace. */
  async #work(disk: DiskBytes): Promise<void> {
    const run: LineRun = {
      ...this.#parts,
      endpoint: this.#batch.endpoint,
      pace: new Pace({ clock: () => performance.now(), sleep: this.#parts.sleep }),
      ending: this.#ending.signal,
      givenUp: this.#givenUp.signal,
    };
    const running = new Set<Promise<void>>();
    let fault: unknown;
    for await (const { text } of linesOf(disk.open(), this.#parts.lineBytes)) {
      if (fault !== undefined) break;
      if (this.#seconds() >= this.#batch.expiresAt) this.#stop('expired');
      if (this.#ending.signal.aborted) {
        if (this.#end !== 'expired') break;
        this.#expire(batchLineOf(text).customId);
        continue;
      }
      const line = batchLineOf(text);
      const work = runLine(run, line)
        .then((result) => this.#take(line.customId, result))
        .catch((error: unknown) => {
          fault ??= error;
          this.#ending.abort();
        })
        .finally(() => running.delete(work));
      running.add(work);
      if (running.size >= standardPace.requests) await Promise.race(running);
      if (this.#files.waiting > savedAt) await this.#save();
    }
    await Promise.all(running);
    if (fault !== undefined) throw fault;
  }

  #take(customId: string, result: LineResult | undefined): void {
    if (this.#full) return;
    if (result === undefined) {
      if (this.#end === 'expired') this.#expire(customId);
      return;
    }
    const { kind, line } = result;
    this.#files.add(kind, JSON.stringify(line));
    const { total, completed, failed } = this.#batch.counts;
    const counts =
      kind === 'output' ? { total, completed: completed + 1, failed } : { total, completed, failed: failed + 1 };
    this.#batch = { ...this.#batch, counts };
  }

  #expire(custom_id: string): void {
    const error = { code: 'batch_expired', message: 'The batch had expired before this request could be made.' };
    const id = `batch_req_gw_${this.#parts.newId().replaceAll('-', '')}`;
    this.#take(custom_id, { kind: 'error', line: { id, custom_id, response: null, error } });
  }

  async #finish(): Promise<void> {
    const { counts, times } = this.#batch;
    if (counts.completed + counts.failed > 0 && this.#end === 'completed') {
      this.#batch = { ...this.#batch, status: 'finalizing', times: { ...times, finalizing_at: this.#seconds() } };
      await this.#save();
    }
    await this.#saving;
    const ended = { ...this.#batch.times, [`${this.#end}_at`]: this.#seconds() };
    this.#batch = { ...this.#batch, status: this.#end, times: ended };
    for (let tries = 0; tries < 10 && !this.#lost; tries += 1) {
      await this.#save();
      await this.#saving;
      if (!this.#away) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  /** Keeps how far it is, and hears of what others have decided. One at a time. */
  #save(): Promise<void> {
    this.#saving ??= this.#saveNow().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #saveNow(): Promise<void> {
    if (this.#lost) return;
    const pieces = this.#files.pieces();
    const batch = { ...this.#batch, heartbeatAt: this.#parts.now(), bytes: this.#files.bytes };
    try {
      const kept = await this.#parts.records.save(batch, pieces);
      this.#files.kept(pieces);
      this.#away = false;
      if (kept === undefined) this.#lose();
      else if (kept.cancellingAt !== undefined && !isFinal(kept)) this.cancel();
    } catch (error) {
      if (!this.#away)
        this.#parts.log.warn('batch_not_kept', { batch: batch.id, error: error instanceof Error ? error.name : '' });
      this.#away = true;
      const full = GatewayError.is(error) || this.#files.waiting > mostWaiting;
      if (full)
        this.#overflow(GatewayError.is(error) ? error.message : 'The results of the batch could not be kept.', pieces);
    }
  }

  /** What finds no room is given up, so that what was kept stays to be read. */
  #overflow(message: string, pieces: ReturnType<WrittenFiles['pieces']>): void {
    this.#full = true;
    this.#files.drop(pieces);
    if (this.#end !== 'failed') this.fail({ code: 'results_too_large', message });
  }

  /** Others hold that it has ended. */
  #lose(): void {
    this.#lost = true;
    this.#stop('failed');
    this.#givenUp.abort();
  }

  #seconds(): number {
    return Math.floor(this.#parts.now() / 1000);
  }
}
