import type { RequestContext } from 'portcullis/sdk';
import { keyOf } from '../key.ts';
import type { Conversation } from './conversation.ts';
import type { Embedder } from './embedder.ts';
import type { VectorIndex } from './vector-index.ts';

/** What a request means, and among which others it may be looked up. */
export interface Meaning {
  readonly partition: string;
  /** Undefined when there is no vector. Never rejects. */
  readonly vector: Promise<Float32Array | undefined>;
}

/** Replies by the meaning of what was asked. */
export class Meanings {
  readonly #embedder: Embedder;
  readonly #index: VectorIndex;
  readonly #threshold: number;

  constructor(embedder: Embedder, index: VectorIndex, threshold: number) {
    this.#embedder = embedder;
    this.#index = index;
    this.#threshold = threshold;
  }

  /** Asks for the vector at once, and waits for nothing. */
  meaningOf(scope: readonly string[], { text, frame }: Conversation, request: RequestContext): Meaning {
    const partition = keyOf('meaning', [...scope, this.#embedder.name], frame);
    return { partition, vector: this.#embedder.vectorOf(text, request) };
  }

  /** Keys of replies to what means the same, nearest first. */
  async nearest({ partition, vector }: Meaning): Promise<readonly string[]> {
    const made = await vector;
    return made === undefined ? [] : this.#index.nearest(partition, made, this.#threshold);
  }

  /** @param endsAt epoch milliseconds at which the reply is forgotten */
  async add({ partition, vector }: Meaning, key: string, endsAt: number): Promise<void> {
    const made = await vector;
    if (made !== undefined) await this.#index.add(partition, { vector: made, key, endsAt });
  }
}
