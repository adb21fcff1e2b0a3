import { type ErrorCode, GatewayError, type MaybePromise } from 'portcullis/sdk';

/** What a provider's unit throws beside errors of the gateway: it was given what it has no place for. */
function isFault(error: unknown): error is Error {
  return !GatewayError.is(error) && error instanceof Error;
}

const causes = new WeakMap<GatewayError, Error>();

/**
 * Where a unit has failed, for the log; undefined for every other error. Without the error's own text, which may quote what
 * a request or a reply holds.
 */
export function unitFailure(error: unknown): string | undefined {
  const cause = GatewayError.is(error) ? causes.get(error) : undefined;
  if (cause === undefined) return undefined;
  const frames = cause.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return [cause.name, ...frames.slice(0, 5).map((frame) => frame.trim())].join(' ');
}

function failure(code: ErrorCode, text: string, cause: Error): GatewayError {
  const error = new GatewayError(code, text, { cause });
  causes.set(error, cause);
  return error;
}

/** Reads what has come from a provider. @throws GatewayError `upstream_invalid` where its unit cannot read it */
export function reading<T>(provider: string | undefined, read: () => MaybePromise<T>): MaybePromise<T> {
  try {
    const value = read();
    return value instanceof Promise
      ? value.catch((error: unknown) => {
          throw misread(provider, error);
        })
      : value;
  } catch (error) {
    throw misread(provider, error);
  }
}

/** An error on the way from a provider's reply to its client. */
export function misread(provider: string | undefined, error: unknown): unknown {
  if (!isFault(error)) return error;
  const text = `${provider ?? 'The provider'} answered with something that is not in its own format.`;
  return failure('upstream_invalid', text, error);
}

/** An error on the way from a client's request to its provider. */
export function unwritable(provider: string, error: unknown): unknown {
  if (!isFault(error)) return error;
  const text = `The request cannot be brought into the form of ${provider}: one of its fields is of another type than the format says.`;
  return failure('bad_request', text, error);
}
