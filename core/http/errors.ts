import { type DialectName, GatewayError, type Log, type Outcome } from 'portcullis/sdk';
import { errorOutcome } from '../upstream/outcome.ts';

/** Turns whatever was thrown into a reply: the one place where errors of the inference routes end. */
export function errorReply(error: unknown, requestId: string, dialect: DialectName | undefined, log: Log): Outcome {
  const facts = { requestId, dialect, provider: undefined, model: undefined, path: '' };
  if (GatewayError.is(error)) {
    if (error.status >= 500)
      log.error('request_failed', { request: requestId, code: error.code, cause: causeOf(error) });
    return errorOutcome(error, facts);
  }
  log.error('request_failed', { request: requestId, code: 'internal', cause: causeOf({ cause: error }) });
  return errorOutcome(
    new GatewayError('internal', `The gateway failed. Its log says more under the request id ${requestId}.`),
    facts,
  );
}

function causeOf(error: { readonly cause?: unknown }): string {
  const { cause } = error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : 'none';
}
