import type { FeedbackRow, LogEntry } from 'portcullis/sdk';
import { BlockWriter } from './block-writer.ts';
import type { PackedBatch } from './packed-batch.ts';

/** Of a feedback, and of a member of its metadata, without the texts. */
const feedbackBytes = 512;
const memberBytes = 64;
const mostSpare = 8;

/** Blocks whose requests are written, to be filled again: fresh memory costs as much as what is put in. */
export class BlockPool {
  readonly #spare: BlockWriter[] = [];

  take(): BlockWriter {
    return this.#spare.pop() ?? new BlockWriter();
  }

  give(block: BlockWriter): void {
    if (block.clear() && this.#spare.length < mostSpare) this.#spare.push(block);
  }
}

/** A batch while it grows. */
export class BatchWriter {
  readonly #withBodies: boolean;
  readonly #pool: BlockPool;
  readonly #blocks: BlockWriter[] = [];
  readonly #feedback: FeedbackRow[] = [];
  #count = 0;
  #bytes = 0;
  #packed: PackedBatch | undefined;

  /** @param withBodies false: it is only said which requests have bodies */
  constructor(withBodies = true, pool = new BlockPool()) {
    this.#withBodies = withBodies;
    this.#pool = pool;
  }

  /** Requests and feedback. */
  get count(): number {
    return this.#count;
  }

  /** What they take in memory; what has grown by doubling may have room for as much again. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether it may be on its way. */
  get isSealed(): boolean {
    return this.#packed !== undefined;
  }

  /** @throws TypeError when a value of the row is no JSON; nothing is added then */
  add(entry: LogEntry): void {
    let block = this.#blocks.at(-1);
    if (!block?.takes(entry)) {
      block = this.#pool.take();
      this.#blocks.push(block);
    }
    this.#bytes += block.add(entry, this.#withBodies);
    this.#count += 1;
  }

  addFeedback(row: FeedbackRow): void {
    this.#feedback.push(row);
    this.#count += 1;
    this.#bytes += feedbackBytes;
    for (const [name, value] of Object.entries(row.metadata))
      this.#bytes += memberBytes + 2 * (name.length + value.length);
  }

  /** The batch, to which nothing is added any more. */
  packed(): PackedBatch {
    this.#packed ??= { blocks: this.#blocks.map((block) => block.packed()), feedback: this.#feedback };
    return this.#packed;
  }

  /** Gives its memory back, when nobody reads it any more. */
  release(): void {
    for (const block of this.#blocks) this.#pool.give(block);
    this.#blocks.length = 0;
  }
}

/** A whole batch at once. */
export function packBatch(
  entries: readonly LogEntry[],
  feedback: readonly FeedbackRow[] = [],
  withBodies = true,
): PackedBatch {
  const batch = new BatchWriter(withBodies);
  for (const entry of entries) batch.add(entry);
  for (const row of feedback) batch.addFeedback(row);
  return batch.packed();
}
