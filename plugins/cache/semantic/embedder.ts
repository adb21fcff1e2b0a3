import type { Host, RequestContext } from 'portcullis/sdk';
import QuickLRU from 'quick-lru';
import type { SemanticSettings } from '../settings.ts';
import { unitVector } from './vector-index.ts';

const timeoutMs = 2_000;
/** Failures in a row after which a caller's requests no longer wait for vectors, and for how long. */
const mostFailures = 3;
const awayMs = 30_000;
const mostCallers = 1_000;

interface Health {
  failures: number;
  /** Epoch milliseconds. */
  awayUntil: number;
}

/** Makes vectors with a model of the gateway. What fails or takes too long is no vector, and soon is not asked for any more. */
export class Embedder {
  readonly #host: Host;
  readonly #settings: SemanticSettings;
  /** By organisation: what one of them has configured wrongly must not concern the others. */
  readonly #health = new QuickLRU<string, Health>({ maxSize: mostCallers });

  constructor(host: Host, settings: SemanticSettings) {
    this.#host = host;
    this.#settings = settings;
  }

  /** Vectors of others cannot be compared with its own. */
  get name(): string {
    const { model, dimensions } = this.#settings;
    return `${model} ${dimensions ?? ''}`;
  }

  /** Undefined when there is none. Never rejects. */
  async vectorOf(text: string, request: RequestContext): Promise<Float32Array | undefined> {
    const caller = request.principal.access?.organisationId ?? request.principal.id;
    const health = this.#health.get(caller) ?? { failures: 0, awayUntil: 0 };
    this.#health.set(caller, health);
    if (health.awayUntil > this.#host.now()) return undefined;
    try {
      const vector = unitVector(await this.#bounded(text, request));
      health.failures = 0;
      return vector;
    } catch (error) {
      if (request.signal.aborted) return undefined;
      health.failures += 1;
      if (health.failures >= mostFailures) health.awayUntil = this.#host.now() + awayMs;
      this.#host.log.warn('embedding_failed', {
        request: request.id,
        failures: health.failures,
        error: error instanceof Error ? error.message : 'not an error',
      });
      return undefined;
    }
  }

  async #bounded(text: string, request: RequestContext): Promise<readonly number[]> {
    const { model, dimensions } = this.#settings;
    const answered = new AbortController();
    const late = this.#host.sleep(timeoutMs, answered.signal).then(() => {
      throw new Error(`The model ${model} gave no vector within ${timeoutMs} ms.`);
    });
    try {
      const question = { model, input: text, ...(dimensions === undefined ? {} : { dimensions }) };
      return await Promise.race([this.#host.embed(question, request), late]);
    } finally {
      answered.abort();
    }
  }
}
