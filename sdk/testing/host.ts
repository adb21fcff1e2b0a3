import type { Checks } from '../contracts/checks.ts';
import type { AuditEvent } from '../contracts/control.ts';
import type { Counters } from '../contracts/counters.ts';
import type { DirectoryKind, DirectoryKinds } from '../contracts/directory.ts';
import type {
  EmbeddingQuestion,
  FetchReply,
  FetchRequest,
  FileSections,
  Host,
  LogFields,
  PluginLog,
  SharedRedis,
} from '../contracts/host.ts';
import type { FeedbackRow, LogEntry } from '../contracts/logs.ts';
import type { Manifest } from '../contracts/manifest.ts';
import type { RequestNote } from '../contracts/note.ts';
import type { MaybePromise } from '../contracts/plugin.ts';
import type { Cost, PriceQuestion } from '../contracts/price.ts';
import type { RequestContext } from '../contracts/request.ts';
import { GatewayError } from '../errors.ts';
import { compact, type JsonObject } from '../json.ts';
import { createTestCounters } from './counters.ts';
import { createTestMetrics, type TestMetrics } from './metrics.ts';
import { covers } from './places.ts';
import { testTimeMs } from './test-gateway.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: JsonObject;
}

export type TestDirectory = {
  readonly [K in DirectoryKind]?: Readonly<Record<string, DirectoryKinds[K]>>;
};

export interface TestHostOptions {
  /** Given: what its permissions do not grant throws `forbidden`, as in the gateway. Absent: everything is granted. */
  readonly manifest?: Manifest;
  /** Default: the manifest's name, or `test`. */
  readonly name?: string;
  /** Epoch milliseconds; default 2026-01-01T00:00:00Z. */
  readonly now?: number;
  /** What `random()` gives, in turn, from the start again after the last; default 0. */
  readonly random?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
  readonly file?: Partial<FileSections>;
  /**
   * What the directory holds, by kind and by path with slashes: `{ config: { 'org-1/ws-1/main': entry } }`. Absent: there
   * is no control plane.
   */
  readonly directory?: TestDirectory;
  /** The checks that there are; absent: asking for them throws. */
  readonly checks?: Checks;
  /** Absent: the key of checksums is not known. */
  readonly checksum?: (text: string) => string | undefined;
  /** Answers `fetch`; absent: every fetch fails as unreachable. */
  readonly fetch?: (url: URL, request: FetchRequest) => FetchReply | Promise<FetchReply>;
  /** Default: counts in memory that never expire. */
  readonly counters?: Counters;
  /** What requests cost; absent: nobody knows. */
  readonly price?: (question: PriceQuestion) => MaybePromise<Cost | undefined>;
  /** Answers `embed`; absent: there is no such model. */
  readonly embed?: (question: EmbeddingQuestion, request: RequestContext) => Promise<readonly number[]>;
  /** Absent: the operator has none. */
  readonly redis?: SharedRedis;
  /** Takes the place of sleeping, such as `async () => {}` for no wait at all. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** A host for tests: its clock, chance and file are set, its log is kept, its network is a function. */
export interface TestHost extends Host {
  readonly logged: readonly LogLine[];
  /** Audit entries that were handed over. */
  readonly reported: readonly AuditEvent[];
  /** What was noted about requests, in order. */
  readonly notes: readonly { readonly request: RequestContext; readonly note: RequestNote }[];
  readonly metrics: TestMetrics;
  /** What was written to the request logs, in order. */
  readonly entries: readonly LogEntry[];
  readonly feedbackRows: readonly FeedbackRow[];
  /** Milliseconds of every sleep, in order. */
  readonly slept: readonly number[];
  /** Moves the clock on and ends the sleeps that are over by then. */
  advance(ms: number): void;
}

const noFile: FileSections = {
  keys: [],
  configs: {},
  providers: [],
  guardrails: {},
  defaultGuardrails: {},
  guardrailCredentials: {},
  defaultConfig: undefined,
};

/** Makes a host. Sleeps end when the clock is advanced past their time, never by themselves. */
export function createTestHost(options: TestHostOptions = {}): TestHost {
  const { manifest, env = {}, random = [0] } = options;
  const reported: AuditEvent[] = [];
  const notes: { request: RequestContext; note: RequestNote }[] = [];
  const name = options.name ?? manifest?.name ?? 'test';
  const file: FileSections = { ...noFile, ...options.file };
  const logged: LogLine[] = [];
  const slept: number[] = [];
  const clock = createClock(options.now ?? testTimeMs);
  const counters = options.counters ?? createTestCounters(clock.now);
  const entries: LogEntry[] = [];
  const feedbackRows: FeedbackRow[] = [];
  let drawn = 0;
  let made = 0;

  const grant = (granted: boolean | undefined, permission: string): void => {
    if (manifest === undefined || granted === true) return;
    throw new GatewayError(
      'forbidden',
      `The plugin ${name} may not do this: its plugin.json does not grant ${permission}.`,
    );
  };
  const permissions = manifest?.permissions ?? {};
  const logWith = (own: LogFields): PluginLog => {
    const at =
      (level: LogLine['level']) =>
      (event: string, fields: LogFields = {}) => {
        logged.push({ level, event, fields: compact({ ...own, ...fields }) });
      };
    const child = (more: LogFields) => logWith({ ...own, ...more });
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child };
  };
  return {
    name,
    logged,
    log: logWith({}),
    now: clock.now,
    slept,
    sleep: (ms, signal) => {
      slept.push(ms);
      return (options.sleep ?? clock.sleep)(ms, signal);
    },
    advance: clock.advance,
    random: () => {
      drawn += 1;
      return random[(drawn - 1) % random.length] ?? 0;
    },
    newId: () => {
      made += 1;
      return made.toString(16).padStart(32, '0');
    },
    slot: <T>() => {
      const values = new WeakMap<RequestContext, T>();
      return { get: (request) => values.get(request), set: (request, value: T) => void values.set(request, value) };
    },
    env: (variable) => {
      grant(permissions.env?.includes(variable), `permissions.env: ${variable}`);
      return env[variable];
    },
    file: (section) => {
      const granting = grantOf(section);
      grant(permissions.file?.includes(granting), `permissions.file: ${granting}`);
      return file[section];
    },
    defaultConfig: () => {
      grant(permissions.file?.includes('configs'), 'permissions.file: configs');
      return file.defaultConfig;
    },
    reported,
    report: (event) => {
      reported.push(event);
    },
    controlled: options.directory !== undefined,
    directory: (kind, ...path) => {
      grant(permissions.directory?.includes(kind), `permissions.directory: ${kind}`);
      const entries: Readonly<Record<string, DirectoryKinds[typeof kind]>> = options.directory?.[kind] ?? {};
      const name = path.join('/');
      return Object.hasOwn(entries, name) ? entries[name] : undefined;
    },
    checksum: (text) => {
      const granted = permissions.directory?.some((kind) => kind === 'key' || kind === 'session');
      grant(granted, 'permissions.directory: key or session');
      return options.checksum?.(text);
    },
    notes,
    note: (request, note) => {
      notes.push({ request, note });
    },
    checks: checksOf(options.checks, () => grant(permissions.checks, 'permissions.checks')),
    get counters() {
      grant(permissions.counters, 'permissions.counters');
      return counters;
    },
    metrics: createTestMetrics(),
    entries,
    feedbackRows,
    get logs() {
      grant(permissions.logs, 'permissions.logs');
      return {
        write: (entry: LogEntry) => void entries.push(entry),
        feedback: (rows: readonly FeedbackRow[]) => void feedbackRows.push(...rows),
        caughtUp: async () => {},
      };
    },
    price: (question) => options.price?.(question),
    embed: async (question, request) => {
      grant(permissions.models, 'permissions.models');
      if (options.embed === undefined) throw new GatewayError('not_available', 'There is no embedding model.');
      return options.embed(question, request);
    },
    get redis() {
      grant(permissions.redis, 'permissions.redis');
      return options.redis;
    },
    fetch: async (text, request) => {
      const url = new URL(text);
      const port = url.port || (url.protocol === 'https:' ? '443' : '80');
      grant(
        permissions.net?.some((allowed) => covers(allowed, url.hostname, port)),
        `permissions.net: ${url.hostname}:${port}`,
      );
      if (options.fetch === undefined)
        throw new GatewayError('upstream_unreachable', `${url.hostname}:${port} could not be reached.`);
      return options.fetch(url, request);
    },
  };
}

/** Which guardrails run as defaults is told with the guardrails. */
function grantOf(section: Exclude<keyof FileSections, 'defaultConfig'>) {
  return section === 'defaultGuardrails' ? 'guardrails' : section;
}

/** Each way to the checks asks for the grant first; there may be none. */
function checksOf(given: Checks | undefined, grant: () => void): Checks {
  const granted = (): Checks => {
    grant();
    if (given === undefined) throw new Error('This test host has no checks: give it `checks`.');
    return given;
  };
  return {
    get summaries() {
      return granted().summaries;
    },
    find: (id) => granted().find(id),
    ready: (id, parameters, param) => granted().ready(id, parameters, param),
    checkCredentials: (unit, credentials, param) => granted().checkCredentials(unit, credentials, param),
  };
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

function createClock(start: number): Pick<TestHost, 'now' | 'sleep' | 'advance'> {
  let now = start;
  const sleepers = new Set<Sleeper>();
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
      for (const sleeper of [...sleepers].filter(({ until }) => until <= now)) sleeper.wake();
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const leave = (settle: () => void) => () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', abort);
          settle();
        };
        const abort = () => leave(() => reject(signal?.reason))();
        const sleeper: Sleeper = { until: now + ms, wake: leave(resolve) };
        if (signal?.aborted === true) return reject(signal.reason);
        sleepers.add(sleeper);
        signal?.addEventListener('abort', abort);
      }),
  };
}
