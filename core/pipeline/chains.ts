import { GatewayError, type Hooks, type MaybePromise, type Outcome, type TargetContext } from 'portcullis/sdk';

/** A hook, and the plugin to name when it fails. */
export interface Entry<H> {
  readonly plugin: string;
  readonly hook: H;
}

/** Names the plugin in whatever it throws that is not an error for the caller. */
function blame(plugin: string, error: unknown): GatewayError {
  if (GatewayError.is(error)) return error;
  return new GatewayError('plugin_failed', `The plugin ${plugin} failed.`, { cause: error });
}

function blamed<T>(plugin: string, result: Promise<T>): Promise<T> {
  return result.catch((error: unknown) => {
    throw blame(plugin, error);
  });
}

/** Calls a hook; what it throws is blamed on its plugin. */
export function run<T>(plugin: string, hook: () => MaybePromise<T>): MaybePromise<T> {
  try {
    const result = hook();
    return result instanceof Promise ? blamed(plugin, result) : result;
  } catch (error) {
    throw blame(plugin, error);
  }
}

// `first` and `chain` do themselves what `run` does: it would take a closure for each hook of each request.

export function first<H, T>(
  entries: readonly Entry<H>[],
  call: (hook: H) => MaybePromise<T | undefined>,
  from = 0,
): MaybePromise<T | undefined> {
  for (let index = from; index < entries.length; index += 1) {
    const { plugin, hook } = entries[index] as Entry<H>;
    let answer: MaybePromise<T | undefined>;
    try {
      answer = call(hook);
    } catch (error) {
      throw blame(plugin, error);
    }
    if (answer instanceof Promise) return firstLater(blamed(plugin, answer), entries, call, index + 1);
    if (answer != null) return answer;
  }
  return undefined;
}

async function firstLater<H, T>(
  pending: Promise<T | undefined>,
  entries: readonly Entry<H>[],
  call: (hook: H) => MaybePromise<T | undefined>,
  from: number,
): Promise<T | undefined> {
  return (await pending) ?? first(entries, call, from);
}

export function firstOpen<H, T>(
  entries: readonly Entry<H>[],
  call: (hook: H) => MaybePromise<T | undefined>,
  failed: (plugin: string, error: unknown) => undefined,
  from = 0,
): MaybePromise<T | undefined> {
  for (let index = from; index < entries.length; index += 1) {
    const { plugin, hook } = entries[index] as Entry<H>;
    try {
      const answer = call(hook);
      if (answer instanceof Promise) return openLater(answer, plugin, entries, call, failed, index + 1);
      if (answer != null) return answer;
    } catch (error) {
      failed(plugin, error);
    }
  }
  return undefined;
}

async function openLater<H, T>(
  pending: Promise<T | undefined>,
  plugin: string,
  entries: readonly Entry<H>[],
  call: (hook: H) => MaybePromise<T | undefined>,
  failed: (plugin: string, error: unknown) => undefined,
  from: number,
): Promise<T | undefined> {
  const answer = await pending.catch((error: unknown) => failed(plugin, error));
  return answer ?? firstOpen(entries, call, failed, from);
}

export function chain<H, T, R>(
  entries: readonly Entry<H>[],
  start: T,
  call: (hook: H, value: T) => MaybePromise<R | undefined>,
  merge: (value: T, result: NonNullable<R>) => T,
  from = 0,
): MaybePromise<T> {
  let value = start;
  for (let index = from; index < entries.length; index += 1) {
    const { plugin, hook } = entries[index] as Entry<H>;
    let result: MaybePromise<R | undefined>;
    try {
      result = call(hook, value);
    } catch (error) {
      throw blame(plugin, error);
    }
    if (result instanceof Promise) return chainLater(blamed(plugin, result), entries, value, call, merge, index + 1);
    if (result != null) value = merge(value, result);
  }
  return value;
}

async function chainLater<H, T, R>(
  pending: Promise<R | undefined>,
  entries: readonly Entry<H>[],
  value: T,
  call: (hook: H, value: T) => MaybePromise<R | undefined>,
  merge: (value: T, result: NonNullable<R>) => T,
  from: number,
): Promise<T> {
  const result = await pending;
  return chain(entries, result == null ? value : merge(value, result), call, merge, from);
}

export function around(
  entries: readonly Entry<NonNullable<Hooks['attempt']>>[],
  target: TargetContext,
  call: () => Promise<Outcome>,
): Promise<Outcome> {
  const step = (index: number): Promise<Outcome> => {
    const entry = entries[index];
    if (entry === undefined) return call();
    return run(entry.plugin, () => entry.hook(target, () => step(index + 1))) as Promise<Outcome>;
  };
  return step(0);
}
