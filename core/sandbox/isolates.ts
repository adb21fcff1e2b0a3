import ivm from 'isolated-vm';
import { guestScript, guestStart } from './guest-program.ts';
import {
  childGraceMs,
  type Fault,
  type FromChild,
  loadMs,
  maxArguments,
  maxCalls,
  maxLogLines,
  maxLogText,
  maxResult,
  maxTexts,
} from './messages.ts';

const bounds = JSON.stringify({ maxResult, maxArguments, maxTexts, maxCalls, maxLogLines, maxLogText });
/** What the harness writes around a result, or as an error. */
const envelope = 8192;
const stockSize = 8;
/** Contexts are made in the pauses: while one is made, a run would wait for it. */
const pauseMs = 1;
/** An isolate that does not answer for so long is at work. */
const idleAnswerMs = 40;

/** One context, and the run that it serves; contexts serve once. */
interface Place {
  readonly context: ivm.Context;
  readonly enter: ivm.Reference<(what: 'run' | 'answer', a: string, b?: number) => unknown>;
  readonly holder: { run?: Run | undefined };
}

interface Run {
  readonly id: number;
  readonly endsAt: number;
  place?: Place;
  calls: number;
  lines: number;
  overdue: boolean;
  stopped: boolean;
  fail: (why: unknown) => void;
}

/** A program in its isolate. The isolate is made on first use, and again after it had to be thrown away. */
export class GuestProgram {
  readonly #source: string;
  readonly #memoryMb: number;
  readonly #send: (message: FromChild) => void;
  readonly #runs = new Map<number, Run>();
  #isolate: ivm.Isolate | undefined;
  #script: Promise<ivm.Script> | undefined;
  #stock: Place[] = [];
  #refill: NodeJS.Timeout | undefined;
  #unloaded = false;

  constructor(source: string, memoryMb: number, send: (message: FromChild) => void) {
    this.#source = source;
    this.#memoryMb = memoryMb;
    this.#send = send;
  }

  async run(id: number, payload: string, timeoutMs: number): Promise<void> {
    const run: Run = {
      id,
      endsAt: performance.now() + timeoutMs,
      calls: 0,
      lines: 0,
      overdue: false,
      stopped: false,
      fail: () => {},
    };
    const broken = new Promise<never>((_, reject) => {
      run.fail = reject;
    });
    this.#runs.set(id, run);
    const timer = setTimeout(() => this.#overdue(run), timeoutMs + childGraceMs);
    try {
      const place = this.#stock.pop() ?? (await Promise.race([this.#makePlace(), broken]));
      run.place = place;
      place.holder.run = run;
      const result = await Promise.race([
        place.enter.apply(undefined, ['run', payload], { timeout: timeoutMs, result: { promise: true, copy: true } }),
        broken,
      ]);
      if (typeof result === 'string' && result.length <= maxResult + envelope) this.#send({ type: 'done', id, result });
      else this.#send({ type: 'failed', id, fault: 'broken', message: 'its result could not be read' });
    } catch (thrown) {
      if (endedByEngine(thrown)) this.#dispose();
      const message =
        thrown instanceof Error ? String(thrown.message).slice(0, maxLogText) : 'it threw what is no error';
      this.#send({ type: 'failed', id, fault: faultOf(thrown, run), message });
    } finally {
      clearTimeout(timer);
      this.#runs.delete(id);
      if (run.place !== undefined) release(run.place);
      this.#refillSoon();
    }
  }

  /** The host's answer; of a run that is over, nobody wants it. */
  answer(id: number, call: number, answer: string): void {
    const run = this.#runs.get(id);
    if (run?.place === undefined) return;
    // What the guest does with the answer is bounded by what is left of its time, as its first steps are.
    const timeout = Math.max(1, Math.ceil(run.endsAt - performance.now()));
    run.place.enter
      .apply(undefined, ['answer', answer, call], { timeout, result: { copy: true } })
      .catch((thrown: unknown) => {
        // It may have given its result before, and gone on.
        if (endedByEngine(thrown) && !this.#runs.has(id)) this.#dispose();
        run.fail(thrown);
      });
  }

  /** It gets a moment: what it does may be as good as done. */
  stop(id: number): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    run.stopped = true;
    setTimeout(() => this.#overdue(run), childGraceMs);
  }

  unload(): void {
    this.#unloaded = true;
    clearTimeout(this.#refill);
    this.#dispose();
  }

  #living(): { readonly isolate: ivm.Isolate; readonly script: Promise<ivm.Script> } {
    if (this.#isolate === undefined || this.#isolate.isDisposed || this.#script === undefined) {
      // V8 has lost control of the isolate: so may have the process.
      const isolate = new ivm.Isolate({ memoryLimit: this.#memoryMb, onCatastrophicError: () => process.abort() });
      this.#stock = [];
      this.#isolate = isolate;
      this.#script = isolate.compileScript(guestScript(this.#source), { filename: 'guest.js' });
    }
    return { isolate: this.#isolate, script: this.#script };
  }

  async #makePlace(): Promise<Place> {
    const { isolate, script } = this.#living();
    const compiled = await script;
    const context = await isolate.createContext();
    const holder: Place['holder'] = {};
    await compiled.run(context, { timeout: loadMs });
    const post = new ivm.Callback((...posted: Posted) => this.#posted(holder.run, posted), { ignored: true });
    const options = { timeout: loadMs, result: { reference: true } } as const;
    const enter = (await context.evalClosure(guestStart, [post, bounds], options)) as Place['enter'];
    return { context, enter, holder };
  }

  #posted(run: Run | undefined, [kind, a, b, c]: Posted): void {
    if (run === undefined) return;
    const { id } = run;
    if (kind === 'log' && run.lines < maxLogLines) {
      run.lines += 1;
      this.#send({ type: 'log', id, level: String(a), text: b });
    }
    if (kind === 'call' && run.calls < maxCalls && c !== undefined) {
      run.calls += 1;
      this.#send({ type: 'call', id, call: Number(a), name: b, args: c });
    }
  }

  /** A run that only waits is given up. One that is at work takes its isolate with it, and what shares that is told so. */
  async #overdue(run: Run): Promise<void> {
    const isolate = this.#isolate;
    const idle = isolate !== undefined && (await answersSoon(isolate));
    if (!this.#runs.has(run.id)) return;
    run.overdue = !idle || !run.stopped;
    if (!idle) this.#giveUp('a run did not end in its time');
    run.fail(new Error('The run was ended.'));
  }

  /** Native code of the engine may go on for long after its isolate is gone: the process should take nothing new. */
  #giveUp(why: string): void {
    this.#send({ type: 'worn', why });
    this.#dispose();
  }

  #dispose(): void {
    const isolate = this.#isolate;
    this.#isolate = undefined;
    this.#stock = [];
    if (isolate !== undefined && !isolate.isDisposed) isolate.dispose();
  }

  #refillSoon(): void {
    clearTimeout(this.#refill);
    this.#refill = setTimeout(() => this.#refillOne(), pauseMs);
  }

  async #refillOne(): Promise<void> {
    const wanted = Math.min(stockSize, this.#memoryMb / 4);
    const isolate = this.#isolate;
    if (this.#unloaded || this.#runs.size > 0 || isolate === undefined || isolate.isDisposed) return;
    if (this.#stock.length >= wanted) return;
    const guard = setTimeout(() => this.#giveUp('a program did not get ready in its time'), loadMs + childGraceMs);
    // What is wrong with it, the next run finds out and says.
    const place = await this.#makePlace().catch(() => undefined);
    clearTimeout(guard);
    if (place === undefined || this.#isolate !== isolate) return;
    this.#stock.push(place);
    this.#refillSoon();
  }
}

/** What was cut off in the middle of its microtasks would go on with them at the next use of the isolate. */
function endedByEngine(thrown: unknown): boolean {
  return thrown instanceof Error && /execution timed out/.test(thrown.message);
}

function faultOf(thrown: unknown, run: Run): Fault {
  const message = thrown instanceof Error ? thrown.message : '';
  if (run.overdue || endedByEngine(thrown)) return 'timeout';
  if (run.stopped) return 'stopped';
  if (/memory limit|allocation failed/.test(message)) return 'memory';
  return /disposed|abandoned|released/.test(message) ? 'disturbed' : 'broken';
}

type Posted = [kind: 'call' | 'log', a: number | string, b: string, c?: string];

async function answersSoon(isolate: ivm.Isolate): Promise<boolean> {
  const answered = isolate.getHeapStatistics().then(
    () => true,
    () => false,
  );
  return Promise.race([answered, new Promise<boolean>((done) => setTimeout(done, idleAnswerMs, false))]);
}

function release({ enter, context, holder }: Place): void {
  holder.run = undefined;
  enter.release();
  context.release();
}
