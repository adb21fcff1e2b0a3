import ivm from 'isolated-vm';
import { guestScript, guestStart } from './guest-program.ts';
import type { Post, Step } from './harness.ts';
import { loadMs, maxArguments, maxCalls, maxLogLines, maxLogText, maxResult, maxTexts } from './messages.ts';
import { samplePayload } from './sample-payload.ts';

const bounds = JSON.stringify({ maxResult, maxArguments, maxTexts, maxCalls, maxLogLines, maxLogText });
const stockSize = 8;

export type Posted = Parameters<Post>;

/** One context; contexts serve one run. */
export interface Place {
  readonly context: ivm.Context;
  readonly enter: ivm.Reference<(step: Step, text?: string, call?: number) => unknown>;
  /** The run that it serves; undefined: none yet, or none any more. */
  readonly owner: { run: number | undefined };
}

/** An isolate, and contexts in it that stand ready. */
export class Places {
  readonly #isolate: ivm.Isolate;
  readonly #script: Promise<ivm.Script>;
  readonly #wanted: number;
  readonly #posted: (run: number, posted: Posted) => void;
  readonly #stock: Place[] = [];
  #inPool = 0;
  #filling = false;

  constructor(source: string, memoryMb: number, posted: (run: number, posted: Posted) => void) {
    // V8 has lost control of the isolate: so may have the process.
    this.#isolate = new ivm.Isolate({ memoryLimit: memoryMb, onCatastrophicError: () => process.abort() });
    this.#script = this.#isolate.compileScript(guestScript(source), { filename: 'guest.js' });
    this.#wanted = Math.min(stockSize, memoryMb / 4);
    this.#posted = posted;
  }

  get gone(): boolean {
    return this.#isolate.isDisposed;
  }

  /** Whether no thread of the pool is in it or wants to be: this thread would have to wait for that one. */
  get idle(): boolean {
    return this.#inPool === 0;
  }

  get full(): boolean {
    return this.#filling || this.#stock.length >= this.#wanted;
  }

  /** One that stands ready. */
  take(): Place | undefined {
    return this.#stock.pop();
  }

  /** In the pool: code of the guest runs when it is loaded. */
  async make(): Promise<Place> {
    const script = await this.#script;
    return this.#pooled(async () => {
      const context = await this.#isolate.createContext();
      // This only defines: where nobody else is in the isolate, it is done sooner than a thread is woken.
      if (this.#inPool === 1) script.runSync(context, { timeout: loadMs });
      else await script.run(context, { timeout: loadMs });
      const owner: Place['owner'] = { run: undefined };
      const post = (...posted: Posted) => {
        if (owner.run !== undefined) this.#posted(owner.run, posted);
      };
      const given = [new ivm.Callback(post, { ignored: true }), bounds, samplePayload];
      const options = { timeout: loadMs, result: { reference: true } } as const;
      const place = {
        context,
        owner,
        enter: (await context.evalClosure(guestStart, given, options)) as Place['enter'],
      };
      // An isolate changes threads slowly: a quick run finds it here already. This asks the harness alone.
      if (this.#inPool === 1 && !this.gone) enterHere(place, 'settled', '', loadMs);
      return place;
    });
  }

  /** Makes one more. */
  async fill(): Promise<void> {
    this.#filling = true;
    try {
      this.#stock.push(await this.make());
    } finally {
      this.#filling = false;
    }
  }

  /**
   * Enters a place in a thread of the pool.
   * @param givenUp rejects when nobody waits for the result any more, and the guest itself is not at work
   */
  enter(
    { enter }: Place,
    args: readonly [step: Step, text?: string, call?: number],
    timeoutMs: number,
    givenUp?: Promise<never>,
  ): Promise<unknown> {
    const options = { timeout: timeoutMs, result: { promise: true, copy: true } } as const;
    return this.#pooled(() => {
      const entered = enter.apply(undefined, [...args], options);
      return givenUp === undefined ? entered : Promise.race([entered, givenUp]);
    });
  }

  /** Resolves when it is not at work. */
  async answers(): Promise<void> {
    await this.#isolate.getHeapStatistics();
  }

  dispose(): void {
    this.#stock.length = 0;
    if (!this.gone) this.#isolate.dispose();
  }

  async #pooled<T>(work: () => Promise<T>): Promise<T> {
    this.#inPool += 1;
    try {
      return await work();
    } finally {
      this.#inPool -= 1;
    }
  }
}

/** In this thread, which saves the way to another and back. @throws when it is not over in its time */
export function enterHere({ enter }: Place, step: Step, text: string, timeoutMs: number): unknown {
  return enter.applySync(undefined, [step, text], { timeout: timeoutMs, result: { copy: true } });
}

export function leave({ enter, context, owner }: Place): void {
  owner.run = undefined;
  enter.release();
  context.release();
}
