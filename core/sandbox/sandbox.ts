import {
  type CheckHost,
  type CheckInput,
  GatewayError,
  type Json,
  type JsonObject,
  type Log,
  type Verdict,
} from 'portcullis/sdk';
import { callFor, type Grants, use } from './capabilities.ts';
import { createHandles } from './handles.ts';
import { notReadyFor, passingFault } from './passing-fault.ts';
import { payloadOf } from './payload.ts';
import { ProcessPool } from './pool.ts';
import type { Ended, Job } from './process.ts';
import { keyOf, type Program } from './program.ts';
import { type TurnBounds, type TurnOf, Turns } from './queue.ts';
import { faultError, givenBy, type Said } from './said.ts';
import { Strikes } from './strikes.ts';
import { Suspects } from './suspects.ts';
import { verdictOf } from './verdict.ts';

export type { Program };

export interface GuestRun {
  /** Name of the check; `default` for code. */
  readonly check: string;
  readonly config: Json;
  readonly input: CheckInput;
  readonly host: CheckHost;
  /** JSON Schema of the credentials, which says what is secret; fields that it does not name stay outside. */
  readonly credentials?: JsonObject;
  /** Of wall clock, in milliseconds. */
  readonly timeoutMs: number;
}

/** A look at a config: a run without anything to check. */
export type GuestLook = Omit<GuestRun, 'input'>;

export interface SandboxState {
  readonly processes: number;
  /** Their ids. */
  readonly pids: readonly number[];
  /** Under way. */
  readonly runs: number;
  /** Waiting for their turn. */
  readonly queued: number;
  /** Processes that were killed, or ended by themselves. */
  readonly kills: number;
  /** Programs that pause after runs that had to be ended by force. */
  readonly paused: number;
}

/** Runs the code of others, in processes and isolates of its own. */
export interface Sandbox {
  /**
   * What the default export declares, functions left out.
   * @throws GatewayError `check_failed`; `not_ready` where it could not be run, through no fault of its own
   */
  describe(program: Program): Promise<Json>;
  /** @throws GatewayError `check_failed`: no verdict, or none in time */
  run(program: Program, run: GuestRun): Promise<Verdict>;
  /** What `prepare` and `accept` of a check say about a config. @throws GatewayError `invalid_config`; as `describe` */
  accept(program: Program, look: GuestLook): Promise<void>;
  readonly state: SandboxState;
  /** Kills all processes; what is under way fails. */
  close(): Promise<void>;
}

export interface SandboxOptions {
  readonly log: Log;
  readonly now: () => number;
  /**
   * Default: 64 runs at once, 16 of them of one organisation, of programs that may take 1 GiB together, those of one
   * organisation half of it; 512 that wait, 64 of one organisation.
   */
  readonly bounds?: TurnBounds;
}

/** How one attempt reaches the host, and what the guest is given. */
type Attempt = Pick<Job, 'call' | 'log' | 'payload' | 'signal'>;

const standardBounds: TurnBounds = {
  running: 64,
  runningEach: 16,
  memoryMb: 1024,
  memoryEachMb: 512,
  waiting: 512,
  waitingEach: 64,
};
const describeMs = 2000;

/** Starts no process before the first run. */
export function createSandbox({ log, now, bounds = standardBounds }: SandboxOptions): Sandbox {
  const common = new ProcessPool(log, now);
  /** For who takes processes down: nobody else loses runs by it. */
  const apart = new ProcessPool(log, now);
  const pools = [common, apart];
  const suspects = new Suspects(now);
  const turns = new Turns(bounds);
  const strikes = new Strikes(now);

  async function inTurn(program: Program, timeoutMs: number, attempt: () => Attempt): Promise<Said> {
    const key = keyOf(program);
    const of: TurnOf = { organisation: program.organisation, key, memoryMb: program.memoryMb };
    const turn = turns.enter(of);
    if (turn !== undefined) await turn;
    try {
      strikes.admit(key, program.id);
      let ended = await once(program, timeoutMs, attempt());
      if (isInnocent(ended)) ended = await once(program, timeoutMs, attempt());
      if ('result' in ended) {
        strikes.forgive(key);
        return JSON.parse(ended.result) as Said;
      }
      if (common.closed) throw closed();
      if (ended.fault !== 'stopped' && ended.fault !== 'lost') {
        strikes.strike(key);
        suspects.note(program.organisation);
      }
      throw faultError(program, ended, timeoutMs);
    } finally {
      turns.leave(of);
    }
  }

  async function once(program: Program, timeoutMs: number, attempt: Attempt): Promise<Ended> {
    const pool = suspects.has(program.organisation) ? apart : common;
    const process = pool.atHand ?? (await pool.serving());
    const { source, memoryMb, id } = program;
    const key = keyOf(program);
    const ended = await process?.run({ key, source, memoryMb, timeoutMs, ...attempt });
    if (ended !== undefined && 'fault' in ended && ended.death !== undefined) strikes.lost(key, id, ended.death);
    if (ended !== undefined) return ended;
    throw pool.closed ? closed() : passingFault('The sandbox cannot be started at the moment.');
  }

  async function stepOf(
    step: 'run' | 'accept',
    program: Program,
    run: GuestLook & { input?: CheckInput },
  ): Promise<Said> {
    const { host, check, config, input } = run;
    const attempt = (): Attempt => {
      // It may have waited for its turn until nobody waited for it.
      refuseAborted(host.signal);
      const handles = createHandles(run.credentials === undefined ? {} : host.credentials, run.credentials);
      const { outboundCalls, models = false } = program;
      const grants: Grants = { host, handles, outboundCalls, models, calls: 0 };
      const order = { step, check, config, credentials: handles.credentials, now: host.now() };
      return {
        signal: host.signal,
        payload: payloadOf(input === undefined ? order : { ...order, input }),
        call: (name, args) => callFor(grants, name, args),
        log: (level, text) => void use(grants, 'log', { level, text }),
      };
    };
    const said = await untilAborted(inTurn(program, run.timeoutMs, attempt), host.signal);
    if (said.dropped > 0) host.log.warn('guest_log_dropped', { lines: said.dropped });
    return said;
  }

  return {
    describe: async (program) => {
      const refused = JSON.stringify({ error: { code: 'forbidden', message: 'Nothing can be called before a run.' } });
      const attempt = { payload: payloadOf({ step: 'describe' }), call: async () => refused, log: () => {} };
      return givenBy(await looked(inTurn(program, describeMs, () => attempt)), program);
    },
    run: async (program, run) => verdictOf(givenBy(await stepOf('run', program, run), program), program.id),
    accept: async (program, look) => {
      const said = await looked(stepOf('accept', program, look));
      // What it gives is of no interest, and may be nothing.
      if (said.error !== undefined) givenBy(said, program, true);
    },
    get state() {
      const pids = pools.flatMap(({ processes }) => processes.flatMap(({ pid }) => pid ?? []));
      const { running, waiting } = turns;
      return {
        processes: pids.length,
        pids,
        runs: running,
        queued: waiting,
        kills: common.lost + apart.lost,
        paused: strikes.paused,
      };
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

function looked(look: Promise<Said>): Promise<Said> {
  return look.catch((error: unknown) => {
    throw notReadyFor(error);
  });
}

function closed(): GatewayError {
  return passingFault('The sandbox is closed.');
}

/** Another run took its isolate or its process down: it gets a second try. */
function isInnocent(ended: Ended): boolean {
  return 'fault' in ended && (ended.fault === 'lost' || ended.fault === 'disturbed');
}

function refuseAborted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const { reason } = signal;
  throw GatewayError.is(reason) ? reason : passingFault('Nobody waits for the check any more.', 1, reason);
}

/** The guest is told to stop; until it has, it keeps its turn. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      try {
        refuseAborted(signal);
      } catch (reason) {
        reject(reason);
      }
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}
