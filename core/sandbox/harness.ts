/** What the sandbox's process gives to a guest's context. Never seen by the guest itself. */
export type Post = (kind: 'call' | 'log', a: number | string, b: string, c?: string) => void;

/** The ways into a context; `load` comes once and before the others. */
export type Step = 'warm' | 'load' | 'run' | 'quick' | 'settled' | 'rest' | 'answer';

export interface HarnessBounds {
  readonly maxResult: number;
  readonly maxArguments: number;
  readonly maxTexts: number;
  readonly maxCalls: number;
  readonly maxLogLines: number;
  readonly maxLogText: number;
}

type Unknowns = Record<string, unknown>;
type Callable = (...values: readonly unknown[]) => unknown;

/**
 * Runs inside the isolate, before the guest's program: its text is compiled there, so it may refer to nothing outside
 * itself. What it takes from the globals it takes before the guest can change them. A guest that changes the rest spoils
 * its own run and nobody else's: contexts are used once.
 * @param load the program: gives its exports
 * @returns the way in: `run` with a payload gives the result as JSON, `answer` settles a call. `quick` does as `run`, but gives
 *   the result only if it is there at once and nothing was posted; `settled` looks again, `rest` waits for it
 */
export function bootGuest(
  post: Post,
  load: () => { readonly default?: unknown } | undefined,
  codecs: () => object,
  unpack: (packed: Unknowns, sliced: (start: number, end: number) => string) => Unknowns,
  bounds: HarnessBounds,
) {
  const { parse, stringify } = JSON;
  const { freeze, defineProperty, keys } = Object;
  const { apply } = Reflect;
  const [NativePromise, NativeString, NativeDate, Bytes, Failure] = [Promise, String, Date, Uint8Array, Error];
  const { slice: sliceText, charCodeAt: charCode, indexOf } = NativeString.prototype;
  const mark = Symbol.for('portcullis.error');
  const waiting: Record<number, { done: (value: unknown) => void; failed: (why: unknown) => void }> = {
    __proto__: null,
  } as never;
  let [calls, lines, dropped, open] = [0, 0, 0, false];

  const cut = (text: string, length: number): string => apply(sliceText, text, [0, length]) as string;
  const textOf = (value: unknown, length = 2000): string =>
    cut(typeof value === 'string' ? value : NativeString(value), length);

  function describe(thrown: unknown): string {
    try {
      if (typeof thrown !== 'object' || thrown === null) return stringify({ message: textOf(thrown) });
      const { name, message, code, param } = thrown as Unknowns;
      return stringify({
        ...(typeof name === 'string' ? { name: cut(name, 100) } : {}),
        message: typeof message === 'string' ? cut(message, 2000) : 'something that is no error',
        ...(mark in thrown && typeof code === 'string' ? { code: cut(code, 100) } : {}),
        ...(mark in thrown && typeof param === 'string' ? { param: cut(param, 500) } : {}),
      });
    } catch {
      return '{"message":"something that cannot be read"}';
    }
  }

  /** Whatever the guest left running may call nothing any more. */
  function failed(thrown: unknown): string {
    const error = describe(thrown);
    open = false;
    return `{"dropped":${dropped},"error":${error}}`;
  }

  function given(value: unknown): string {
    const json = stringify(value) as string | undefined;
    open = false;
    if (json === undefined) return `{"dropped":${dropped},"nothing":true}`;
    if (json.length > bounds.maxResult) return `{"dropped":${dropped},"large":${json.length}}`;
    return `{"dropped":${dropped},"value":${json}}`;
  }

  function errorOf({ message, code, param }: Unknowns): unknown {
    const error = new Failure(textOf(message)) as unknown as Unknowns;
    for (const [name, value] of [
      ['name', 'GatewayError'],
      ['code', code],
      ['param', param],
      [mark, true],
    ] as const)
      defineProperty(error, name, { value, configurable: true, writable: true });
    return error;
  }

  /** `texts` may be long; the rest is short, so that it is read in no time. */
  async function call(name: string, args: Unknowns, texts: Unknowns = {}): Promise<unknown> {
    if (!open) throw new Failure('The run is over, or has not begun: nothing can be called.');
    const short = stringify(args).length <= bounds.maxArguments;
    const json = short ? stringify({ ...args, ...texts }) : '';
    if (!short || json.length > bounds.maxTexts) throw new Failure(`What is given to ${name} is too large.`);
    if (calls >= bounds.maxCalls) throw new Failure(`A run may call the host ${bounds.maxCalls} times.`);
    calls += 1;
    const number = calls;
    return new NativePromise((done, failing) => {
      waiting[number] = { done, failed: failing };
      post('call', number, name, json);
    });
  }

  function answer(number: number, json: string): void {
    const caller = waiting[number];
    delete waiting[number];
    const { value, error } = parse(json) as { value?: unknown; error?: Unknowns };
    if (error === undefined) caller?.done(value);
    else caller?.failed(errorOf(error));
  }

  function log(level: string, text: string): void {
    if (lines >= bounds.maxLogLines) dropped += 1;
    else if (open) {
      lines += 1;
      post('log', level, cut(text, bounds.maxLogText));
    }
  }

  const eventLine = (event: unknown, fields: unknown): string => {
    const more = fields === undefined ? undefined : (stringify(fields) as string | undefined);
    return more === undefined ? textOf(event) : `${textOf(event)} ${more}`;
  };
  const printed = (value: unknown): string => {
    if (typeof value !== 'object' || value === null) return textOf(value);
    return (stringify(value) as string | undefined) ?? textOf(value);
  };
  const printer =
    (level: string) =>
    (...values: readonly unknown[]) => {
      if (lines >= bounds.maxLogLines) return log(level, '');
      let text = '';
      for (let at = 0; at < values.length && text.length < bounds.maxLogText; at += 1)
        text += (at === 0 ? '' : ' ') + printed(values[at]);
      log(level, text);
    };
  const logger = (level: string) => (event: unknown, fields?: unknown) =>
    log(level, lines >= bounds.maxLogLines ? '' : eventLine(event, fields));

  function bytesOf(text: string): Uint8Array {
    const bytes = new Bytes(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = apply(charCode, text, [at]) as number;
    return bytes;
  }

  /** Those of the named members that are texts, and the others. */
  function apart(value: unknown, names: readonly string[]): readonly [Unknowns, Unknowns] {
    const [rest, texts]: [Unknowns, Unknowns] = [{ ...(value as Unknowns | undefined) }, {}];
    for (const name of names) {
      if (typeof rest[name] !== 'string') continue;
      texts[name] = rest[name];
      delete rest[name];
    }
    return [rest, texts];
  }

  async function fetch(url: unknown, request?: unknown): Promise<unknown> {
    const [rest, texts] = apart(request, ['body']);
    const reply = (await call('fetch', { ...rest, url: textOf(url, 10_000) }, texts)) as Unknowns;
    return { status: reply.status, headers: reply.headers, body: bytesOf(reply.body as string) };
  }

  function hostOf(now: number, credentials: unknown) {
    const began = NativeDate.now();
    return freeze({
      log: freeze({ debug: logger('debug'), info: logger('info'), warn: logger('warn'), error: logger('error') }),
      now: () => now + NativeDate.now() - began,
      credentials,
      fetch,
      cache: freeze({
        get: async (key: unknown) => ((await call('cacheGet', { key })) as Unknowns).value,
        set: async (key: unknown, value: unknown, ttlSeconds: unknown) => {
          await call('cacheSet', { key, value, ttlSeconds });
        },
      }),
      ask: async (question: unknown) => call('ask', ...apart(question, ['system', 'user'])),
    });
  }

  const callable = (value: unknown): value is Callable => typeof value === 'function';

  function declared(unit: unknown): unknown {
    if (callable(unit)) return { function: true };
    if (typeof unit !== 'object' || unit === null)
      throw new Failure('There must be a default export: a function or a guardrail.');
    const { credentials, checks } = unit as {
      readonly credentials: unknown;
      readonly checks: Record<string, Unknowns>;
    };
    const list: Unknowns = {};
    for (const name of keys(checks ?? {})) {
      const one = checks[name] ?? {};
      const functions = ['run', 'prepare', 'accept', 'whole'].filter((member) => callable(one[member]));
      defineProperty(list, name, { value: { ...one, functions }, enumerable: true });
    }
    return { credentials, checks: list };
  }

  function carriedOut(unit: unknown, payload: string): unknown {
    const end = apply(indexOf, payload, ['\n']) as number;
    const order = parse(cut(payload, end)) as Unknowns;
    if (order.step === 'describe') return declared(unit);
    const host = hostOf(order.now as number, order.credentials);
    const sliced = (from: number, to: number) => apply(sliceText, payload, [end + 1 + from, end + 1 + to]) as string;
    const input = order.input === undefined ? undefined : unpack(order.input as Unknowns, sliced);
    if (callable(unit)) return apply(unit, undefined, [input, host]);
    const one = (unit as { readonly checks?: Record<string, Unknowns> }).checks?.[order.check as string];
    if (one === undefined || !callable(one.run)) throw new Failure('The program has no such check.');
    const ready = callable(one.prepare) ? apply(one.prepare, one, [order.config]) : order.config;
    if (order.step === 'run') return apply(one.run, one, [input, ready, host]);
    return callable(one.accept) ? apply(one.accept, one, [ready, host]) : null;
  }

  // What could share memory, block a thread, or run code after the run is over.
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'FinalizationRegistry', 'WeakRef'])
    delete (globalThis as Unknowns)[name];
  const tools: Unknowns = {
    ...codecs(),
    console: {
      log: printer('info'),
      info: printer('info'),
      debug: printer('debug'),
      warn: printer('warn'),
      error: printer('error'),
    },
  };
  for (const name of keys(tools))
    defineProperty(globalThis, name, { value: tools[name], writable: true, configurable: true, enumerable: false });

  let unit: unknown;
  let fault: string | undefined;
  let outcome: string | Promise<string> = '';
  let settled: string | undefined;

  function start(): void {
    try {
      unit = load()?.default;
    } catch (thrown) {
      fault = failed(thrown);
    }
  }

  const kept = (text: string): string => {
    settled = text;
    return text;
  };

  function run(payload: string): string | Promise<string> {
    if (fault !== undefined) return kept(fault);
    open = true;
    try {
      const result = carriedOut(unit, payload);
      if (typeof result !== 'object' || result === null || !callable((result as Unknowns).then))
        return kept(given(result));
      return (async () => {
        try {
          return kept(given(await result));
        } catch (thrown) {
          return kept(failed(thrown));
        }
      })();
    } catch (thrown) {
      return kept(failed(thrown));
    }
  }

  /** What was posted must go first. */
  const atHand = () => (calls === 0 && lines === 0 ? settled : undefined);

  /** First runs are slow ones: the harness makes its own before there is a guest. */
  function warm(payload: string): void {
    unit = () => null;
    run(payload);
    unit = undefined;
    settled = undefined;
  }

  return (step: Step, text = '', number = 0): unknown => {
    switch (step) {
      case 'warm':
        return warm(text);
      case 'load':
        return start();
      case 'run':
        return run(text);
      case 'quick':
        outcome = run(text);
        return atHand();
      case 'settled':
        return atHand();
      case 'rest':
        return outcome;
      case 'answer':
        return answer(number, text);
    }
  };
}
