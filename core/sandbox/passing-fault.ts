import { GatewayError } from 'portcullis/sdk';

/** A run that could not be had, through no fault of its program: another try, after so many seconds, may well get past it. */
export function passingFault(message: string, seconds = 1, cause?: unknown): GatewayError {
  return new GatewayError('check_failed', message, { headers: { 'retry-after': String(seconds) }, cause });
}

/** For who only looks at a program: nothing has been found out about it. */
export function notReadyFor(error: unknown): unknown {
  if (!GatewayError.is(error) || error.headers['retry-after'] === undefined) return error;
  const { message, headers } = error;
  return new GatewayError('not_ready', `${message} Try again shortly.`, { headers, cause: error });
}
