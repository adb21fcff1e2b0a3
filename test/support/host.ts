import type { FileSections, Host, JsonObject, RequestContext, Slot } from 'portcullis/sdk';

export interface LoggedEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: JsonObject;
}

/** A host whose clock, chance and sleep are in the test's hands, and which remembers what was logged. */
export interface TestHost extends Host {
  readonly logged: LoggedEvent[];
  /** Milliseconds of every sleep, in order. */
  readonly slept: number[];
}

export interface TestHostOptions {
  readonly name?: string;
  readonly file?: Partial<FileSections>;
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const emptyFile: FileSections = { keys: [], configs: {}, providers: [], defaultConfig: undefined };

/** A recording log for whatever takes one. */
export function recordingLog(logged: LoggedEvent[] = []) {
  const at =
    (level: LoggedEvent['level']) =>
    (event: string, fields: JsonObject = {}) => {
      logged.push({ level, event, fields });
    };
  return { logged, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

export function createTestHost(options: TestHostOptions = {}): TestHost {
  const file = { ...emptyFile, ...options.file };
  const { logged, log } = recordingLog();
  const slept: number[] = [];
  let ids = 0;
  return {
    name: options.name ?? 'under-test',
    logged,
    slept,
    log,
    now: () => 1_700_000_000_000,
    random: options.random ?? (() => 0),
    sleep: async (ms, signal) => {
      slept.push(ms);
      await options.sleep?.(ms, signal);
    },
    newId: () => {
      ids += 1;
      return `id-${ids}`;
    },
    slot: slotOf,
    env: () => undefined,
    file: (section) => file[section],
    defaultConfig: () => file.defaultConfig,
    fetch: () => Promise.reject(new Error('this host has no network')),
  };
}

function slotOf<T>(): Slot<T> {
  const values = new WeakMap<RequestContext, T>();
  return {
    get: (request) => values.get(request),
    set: (request, value) => {
      values.set(request, value);
    },
  };
}
