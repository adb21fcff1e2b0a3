import type { Delta, ReplySink, ReplyStream } from 'portcullis/sdk';
import { boundsOf } from './cut.ts';
import { goesAlongside, isLast, isOfAnswer } from './kinds.ts';
import { Looks } from './looks.ts';
import { Outlet } from './outlet.ts';
import { Pause } from './pause.ts';
import { Steps } from './steps.ts';
import { streamFault } from './stream-fault.ts';
import { type HeldEdits, WindowBuffer } from './window-buffer.ts';
import type { Looked, WindowOptions } from './window-options.ts';

/**
 * A stream that is read piece by piece before the client gets it: a piece waits until it is long enough or old enough, is
 * looked at, changed, and sent on; or the stream ends there, as its format wants it to end.
 */
export class WindowedStream implements ReplyStream {
  readonly #options: WindowOptions;
  readonly #steps: Steps;
  readonly looks: Looks;
  readonly #pause: Pause;
  readonly #outlet: Outlet;
  readonly #buffer: WindowBuffer;
  /** Steps that came while a look was running. */
  #waiting: Delta[] = [];
  #looking = false;
  #sourceEnded = false;
  #over = false;

  constructor(options: WindowOptions) {
    const { dialect, context, rule, now, whole } = options;
    this.#options = options;
    this.#steps = new Steps(dialect.decodeStream(context), whole);
    this.looks = new Looks(now);
    this.#pause = new Pause(rule.ms, () => this.#lookLate());
    this.#outlet = new Outlet(dialect.encodeStream(context));
    this.#buffer = new WindowBuffer(boundsOf(rule), dialect, context);
  }

  /**
   * Starts to read, and resolves once the first text may go out, or there is none: true when it was denied, so that
   * nothing has been sent yet and the whole reply can still be refused.
   */
  open(): Promise<boolean> {
    const opened = this.looks.opened();
    this.#options.source.pipe({
      data: (chunk) => this.#read(chunk),
      end: () => this.#end(),
      error: (error) => this.#fail(error),
    });
    return opened;
  }

  pipe(sink: ReplySink): void {
    this.#outlet.open(sink);
    if (this.#over) this.#outlet.end();
    else this.#goOn();
  }

  resume(): void {
    this.#outlet.paused = false;
    this.#goOn();
  }

  abort(): void {
    this.#stop();
    this.#options.source.abort();
  }

  #goOn(): void {
    if (!this.#over && !this.#looking && this.#outlet.takesMore) this.#options.source.resume();
  }

  #read(chunk: Uint8Array | string): boolean {
    this.#unlessOver(() => {
      const { deltas, idle } = this.#steps.push(chunk);
      if (idle) this.#outlet.stayAlive();
      this.#waiting.push(...deltas);
      this.#work();
    });
    return !this.#looking && this.#outlet.takesMore;
  }

  #end(): void {
    this.#unlessOver(() => {
      this.#waiting.push(...this.#steps.end());
      this.#sourceEnded = true;
      this.#work();
    });
  }

  #unlessOver(work: () => void): void {
    if (this.#over) return;
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** What cannot be read, or looked at, does not go out. */
  #fail(error: unknown): void {
    if (this.#over) return;
    this.#outlet.send([{ type: 'fault', fault: streamFault(error) }]);
    this.#giveUp();
  }

  /** Takes steps until a look has to be waited for. */
  #work(): void {
    while (!this.#looking && !this.#over) {
      const delta = this.#waiting.shift();
      if (delta === undefined) break;
      this.#take(delta);
    }
    if (this.#sourceEnded && !this.#looking && !this.#over) this.#close();
  }

  #take(delta: Delta): void {
    const tells = this.#buffer.add(delta);
    if (this.#options.whole && !isLast(delta)) return;
    if (!this.#buffer.hasText) this.#passSilent(delta);
    else if (tells) this.#heard(delta);
    else if (!goesAlongside(delta)) this.#lookAt(false);
  }

  /** A reply that says nothing is looked at once too, before any of it goes out: what asks for a text must find none. A failure is not. */
  #passSilent({ type }: Delta): void {
    if (this.looks.haveBegun || this.#buffer.hasUnread || type === 'fault')
      this.#outlet.send(this.#buffer.release(new Map(), true));
    else if (type === 'end') this.#lookAt(true);
    if (this.#buffer.hasUnread && this.looks.areAwaited) this.#pause.start();
  }

  #heard({ type }: Delta): void {
    this.looks.heard();
    if (type === 'part' || this.#buffer.isFull) this.#lookAt(false);
    else this.#pause.start();
  }

  /** What has come since the last look is old enough; what was looked at already, or has no words, goes out. */
  #lookLate(): void {
    this.#unlessOver(() => (this.#buffer.hasText ? this.#lookAt(!this.looks.areBehind) : this.looks.released()));
    this.#goOn();
  }

  #lookAt(all: boolean): void {
    this.#pause.stop();
    this.looks.begin();
    const looked = this.#options.look(this.#buffer.reading(), this.#buffer.sent, this.#buffer.said);
    if (looked instanceof Promise) void this.#actLater(looked, all);
    else this.#act(looked, all);
  }

  async #actLater(looked: Promise<Looked>, all: boolean): Promise<void> {
    this.#looking = true;
    const result = await looked.catch((error: unknown) => ({ error }));
    this.#looking = false;
    this.#unlessOver(() => {
      if ('error' in result) throw result.error;
      this.#act(result, all);
      this.#work();
    });
    this.#goOn();
  }

  #act({ runs, denied, replacement, edits }: Looked, all: boolean): void {
    this.looks.gave(runs);
    if (denied) this.#deny(replacement);
    else this.#release(edits, all);
  }

  #release(edits: HeldEdits, all: boolean): void {
    const released = this.#buffer.release(edits, all);
    this.#outlet.send(released);
    if (this.#buffer.hasText) this.#pause.start();
    if (this.#outlet.hasSaid || released.some(isOfAnswer)) this.looks.released();
  }

  #deny(replacement: string | undefined): void {
    if (this.looks.areAwaited && replacement === undefined) this.looks.settle(true);
    else this.#outlet.stop(this.#buffer.begun, replacement, this.#steps.opening);
    this.#giveUp();
  }

  /** A source may tell of its own end as an error: by then nobody listens. */
  #giveUp(): void {
    this.#close();
    this.#options.source.abort();
  }

  #close(): void {
    this.#stop();
    this.#outlet.end();
  }

  #stop(): void {
    this.#over = true;
    this.#pause.stop();
    this.looks.settle(false);
  }
}
