import type { Endpoint, Host, MaybePromise, Outcome, TargetContext } from 'portcullis/sdk';
import { isAnswer, isEventStream, isSound, promisesAnswer } from './answers.ts';
import type { Asked, Keeping } from './asked.ts';
import { keptHeadersOf, packed } from './entry.ts';
import type { Meanings } from './semantic/meanings.ts';
import type { Replies } from './stores/replies.ts';
import { isComplete } from './streams/complete.ts';
import { KeptStream } from './streams/kept.ts';
import type { Room } from './streams/room.ts';

export interface KeeperOptions {
  readonly host: Host;
  readonly replies: Replies;
  readonly meanings: Meanings | undefined;
  readonly room: Room;
}

const mebibyte = 1024 * 1024;
/** A larger reply is not kept. */
const largestBytes = mebibyte;
/** Pictures and sound are long, but quickly read to judge them. */
const largestOf: Readonly<Partial<Record<Endpoint, number>>> = {
  imageGenerate: 8 * mebibyte,
  createSpeech: 8 * mebibyte,
};

/** Keeps the replies of providers that are whole and tell of no error. */
export class Keeper {
  readonly #options: KeeperOptions;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** The outcome as it goes on: it says how the cache was met, and is kept when it has gone out well. */
  kept({ target, status, keeping }: Asked, outcome: Outcome): Outcome {
    const marked: Outcome = { ...outcome, cache: status };
    if (keeping === undefined || !promisesAnswer(outcome, target)) return marked;
    const { body } = outcome;
    const maxBytes = largestOf[target.request.endpoint] ?? largestBytes;
    if (body.kind === 'bytes') {
      if (body.bytes.byteLength <= maxBytes) this.#later(target, keeping, outcome, body.bytes);
      return marked;
    }
    const stream = new KeptStream({
      source: body.stream,
      room: this.#options.room,
      maxBytes,
      ended: (bytes) => {
        // One that was read on after its client had left is not what anybody has been given.
        if (!target.request.signal.aborted) this.#later(target, keeping, outcome, bytes);
      },
    });
    return { ...marked, body: { kind: 'stream', stream } };
  }

  /** The client has waited long enough: its reply goes out first. */
  #later(target: TargetContext, keeping: Keeping, outcome: Outcome, bytes: Uint8Array): void {
    const madeAt = this.#options.host.now();
    setImmediate(() => {
      this.#keep(target, keeping, outcome, bytes, madeAt).catch((error: unknown) => {
        this.#options.host.log.warn('reply_not_kept', {
          request: target.request.id,
          error: error instanceof Error ? error.message : 'not an error',
        });
      });
    });
  }

  async #keep(
    target: TargetContext,
    keeping: Keeping,
    outcome: Outcome,
    bytes: Uint8Array,
    madeAt: number,
  ): Promise<void> {
    const { replies, meanings } = this.#options;
    const { key, ttlMs, meaning } = keeping;
    if (!(await isWhole(bytes, outcome, target))) return;
    const entry = packed({
      madeAt,
      status: outcome.status,
      headers: keptHeadersOf(outcome.headers),
      stream: isEventStream(outcome),
      bytes,
      provider: outcome.provider,
      model: outcome.model,
      usage: outcome.usage(),
      nanoUsd: await this.#costOf(target, outcome),
    });
    replies.set(key, entry, ttlMs);
    if (meaning !== undefined) await meanings?.add(meaning, key, madeAt + ttlMs);
  }

  async #costOf({ request, providerSlug }: TargetContext, outcome: Outcome): Promise<number | undefined> {
    const { provider, model } = outcome;
    const usage = outcome.usage();
    if (provider === undefined || model === undefined || usage === undefined) return undefined;
    const { access } = request.principal;
    const cost = await this.#options.host.price({
      provider,
      model,
      usage,
      at: request.startedAt,
      endpoint: request.endpoint,
      tier: outcome.tier?.(),
      region: outcome.region?.(),
      organisationId: access?.organisationId,
      workspaceId: access?.workspaceId,
      providerSlug,
    });
    return cost?.nanoUsd;
  }
}

function isWhole(bytes: Uint8Array, outcome: Outcome, target: TargetContext): MaybePromise<boolean> {
  if (isSound(outcome, target)) return bytes.byteLength > 0;
  return isEventStream(outcome) ? isComplete(bytes, target) : isAnswer(bytes, target);
}
