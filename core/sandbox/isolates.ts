import {
  childGraceMs,
  cutMs,
  type Fault,
  type FromChild,
  loadMs,
  maxCalls,
  maxLogLines,
  maxLogText,
  maxResult,
  quickMs,
  type Tell,
  type ToChild,
} from './messages.ts';
import { enterHere, leave, type Place, Places, type Posted } from './places.ts';

/** What the harness writes around a result, or as an error. */
const envelope = 8192;
/** Contexts are made in the pauses: while one is made, a run would wait for it. */
const pauseMs = 1;
/** An isolate that does not answer for so long is at work. */
const idleAnswerMs = 40;

interface Run {
  readonly id: number;
  readonly endsAt: number;
  place?: Place | undefined;
  /** When it was let into its place. */
  beganAt: number;
  calls: number;
  lines: number;
  cut: boolean;
  overdue: boolean;
  stopped: boolean;
  /** Rejects with what `fail` is given. */
  readonly broken: Promise<never>;
  readonly fail: (why: unknown) => void;
}

/** A program in its isolate. The isolate is made on first use, and again after it had to be thrown away. */
export class GuestProgram {
  readonly #source: string;
  readonly #memoryMb: number;
  readonly #send: Tell<FromChild>;
  readonly #runs = new Map<number, Run>();
  #places: Places | undefined;
  #refill: NodeJS.Timeout | undefined;
  #unloaded = false;

  constructor(source: string, memoryMb: number, send: Tell<FromChild>) {
    this.#source = source;
    this.#memoryMb = memoryMb;
    this.#send = send;
  }

  async run({ id, timeoutMs, quick }: ToChild & { type: 'run' }, payload: string): Promise<void> {
    const { promise: broken, reject: fail } = Promise.withResolvers<never>();
    const beganAt = performance.now();
    const counts = { calls: 0, lines: 0, cut: false, overdue: false, stopped: false };
    const run: Run = { id, endsAt: beganAt + timeoutMs, beganAt, ...counts, broken, fail };
    this.#runs.set(id, run);
    let timer: NodeJS.Timeout | undefined;
    try {
      const atOnce = quick ? this.#atOnce(run, payload) : undefined;
      if (atOnce === undefined) timer = setTimeout(() => this.#overdue(run), leftMs(run) + childGraceMs);
      if (quick && atOnce === undefined) this.#send({ type: 'waits', id, cut: run.cut });
      const result = atOnce ?? (await Promise.race([this.#inPool(run, payload), broken]));
      if (typeof result === 'string' && result.length <= maxResult + envelope) this.#done(run, result);
      else this.#send({ type: 'failed', id, fault: 'broken', message: 'its result could not be read' });
    } catch (thrown) {
      if (endedByEngine(thrown) || this.#places?.gone === true) this.#dispose();
      const message =
        thrown instanceof Error ? String(thrown.message).slice(0, maxLogText) : 'it threw what is no error';
      this.#send({ type: 'failed', id, fault: faultOf(thrown, run), message });
    } finally {
      clearTimeout(timer);
      this.#runs.delete(id);
      if (run.place !== undefined) leave(run.place);
      // Who waits in the pipe goes first.
      if (quick) setImmediate(() => this.#refillOne());
      else this.#refillSoon();
    }
  }

  /** The host's answer; of a run that is over, nobody wants it. */
  answer(id: number, call: number, answer: string): void {
    const run = this.#runs.get(id);
    if (run?.place === undefined) return;
    // What the guest does with the answer is bounded by what is left of its time, as its first steps are.
    this.#places?.enter(run.place, ['answer', answer, call], leftMs(run)).catch((thrown: unknown) => {
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

  /**
   * In this thread and at once, if a context stands ready and nobody else uses the isolate. What the guest posts meanwhile this
   * thread reads only afterwards: if the run is cut off, nothing has left the guest, and it can begin anew.
   * @returns undefined: it was not, or it waits for something, or it was cut off
   */
  #atOnce(run: Run, payload: string): unknown {
    const free = this.#runs.size === 1 && this.#places?.gone === false && this.#places.idle;
    const place = free ? this.#places?.take() : undefined;
    if (place === undefined) return undefined;
    this.#let(run, place);
    const timeoutMs = Math.min(cutMs, leftMs(run));
    try {
      return enterHere(place, 'quick', payload, timeoutMs) ?? enterHere(place, 'settled', '', timeoutMs);
    } catch (thrown) {
      if (!endedByEngine(thrown)) throw thrown;
      leave(place);
      run.place = undefined;
      run.cut = true;
      this.#dispose();
      return undefined;
    }
  }

  async #inPool(run: Run, payload: string): Promise<unknown> {
    const places = this.#living();
    if (run.place !== undefined) return places.enter(run.place, ['rest'], leftMs(run), run.broken);
    const place = places.take() ?? (await places.make());
    // It may have been given up meanwhile.
    if (!this.#runs.has(run.id)) return leave(place);
    this.#let(run, place);
    return places.enter(place, ['run', payload], leftMs(run), run.broken);
  }

  #let(run: Run, place: Place): void {
    run.place = place;
    run.beganAt = performance.now();
    place.owner.run = run.id;
  }

  #done({ id, beganAt, calls, lines }: Run, result: string): void {
    const quick = calls === 0 && lines === 0 && performance.now() - beganAt < quickMs;
    this.#send({ type: 'done', id, quick }, result);
  }

  #living(): Places {
    if (this.#places === undefined || this.#places.gone)
      this.#places = new Places(this.#source, this.#memoryMb, (id, posted) => this.#posted(this.#runs.get(id), posted));
    return this.#places;
  }

  #posted(run: Run | undefined, [kind, a, b, c]: Posted): void {
    if (run === undefined) return;
    const { id } = run;
    if (kind === 'log' && run.lines < maxLogLines) {
      run.lines += 1;
      this.#send({ type: 'log', id, level: String(a) }, b);
    }
    if (kind === 'call' && run.calls < maxCalls && c !== undefined) {
      run.calls += 1;
      this.#send({ type: 'call', id, call: Number(a), name: b }, c);
    }
  }

  /** A run that only waits is given up. One that is at work takes its isolate with it, and what shares that is told so. */
  async #overdue(run: Run): Promise<void> {
    const places = this.#places;
    const idle = places !== undefined && !places.gone && (await answersSoon(places));
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
    this.#places?.dispose();
    this.#places = undefined;
  }

  #refillSoon(): void {
    clearTimeout(this.#refill);
    this.#refill = setTimeout(() => this.#refillOne(), pauseMs);
  }

  async #refillOne(): Promise<void> {
    const places = this.#places;
    if (this.#unloaded || this.#runs.size > 0 || places === undefined || places.gone || places.full) return;
    const guard = setTimeout(() => this.#giveUp('a program did not get ready in its time'), loadMs + childGraceMs);
    try {
      await places.fill();
      if (this.#places === places) this.#refillSoon();
    } catch {
      // What is wrong with it, the next run finds out and says.
    } finally {
      clearTimeout(guard);
    }
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

async function answersSoon(places: Places): Promise<boolean> {
  const answered = places.answers().then(
    () => true,
    () => false,
  );
  return Promise.race([answered, new Promise<boolean>((done) => setTimeout(done, idleAnswerMs, false))]);
}

/** At least one millisecond: none would be no bound. */
function leftMs({ endsAt }: Run): number {
  return Math.max(1, Math.ceil(endsAt - performance.now()));
}
