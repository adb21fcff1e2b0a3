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

/** Calls a hook; what it throws is blamed on its plugin. */
export function run<T>(plugin: string, hook: () => MaybePromise<T>): MaybePromise<T> {
  try {
    const result = hook();
    return result instanceof Promise
      ? result.catch((error: unknown) => {
          throw blame(plugin, error);
        })
      : result;
  } catch (error) {
    throw blame(plugin, error);
  }
}

export function first<H, T>(
  entries: readonly Entry<H>[],
  call: (hook: H) => MaybePromise<T | undefined>,
  from = 0,
): MaybePromise<T | undefined> {
  for (let index = from; index < entries.length; index += 1) {
    const entry = entries[index];
    if (entry === undefined) break;
    const answer = run(entry.plugin, () => call(entry.hook));
    if (answer instanceof Promise) return answer.then((settled) => settled ?? first(entries, call, index + 1));
    if (answer != null) return answer;
  }
  return undefined;
}

export function firstOpen<H, T>(
  entries: readonly Entry<H>[],
  call: (hook: H) => MaybePromise<T | undefined>,
  failed: (plugin: string, error: unknown) => undefined,
  from = 0,
): MaybePromise<T | undefined> {
  for (let index = from; index < entries.length; index += 1) {
    const entry = entries[index];
    if (entry === undefined) break;
    try {
      const answer = call(entry.hook);
      if (answer instanceof Promise) {
        return answer
          .catch((error: unknown) => failed(entry.plugin, error))
          .then((settled) => settled ?? firstOpen(entries, call, failed, index + 1));
      }
      if (answer != null) return answer;
    } catch (error) {
      failed(entry.plugin, error);
    }
  }
  return undefined;
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
    const entry = entries[index];
    if (entry === undefined) break;
    const current = value;
    const result = run(entry.plugin, () => call(entry.hook, current));
    if (result instanceof Promise) {
      return result.then((settled) =>
        chain(entries, settled == null ? current : merge(current, settled), call, merge, index + 1),
      );
    }
    if (result != null) value = merge(value, result);
  }
  return value;
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
