import { type DialectName, type ErrorCode, GatewayError, type Log, type Outcome } from 'portcullis/sdk';
import { errorOutcome, jsonOutcome } from '../upstream/outcome.ts';

/** Turns whatever was thrown into a reply: the one place where errors of the inference routes end. */
export function errorReply(error: unknown, requestId: string, dialect: DialectName | undefined, log: Log): Outcome {
  const facts = { requestId, dialect, provider: undefined, model: undefined, path: '' };
  if (GatewayError.is(error)) {
    if (savedOnlyCodes.has(error.code)) return savedOnlyOutcome(error);
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

/** Refusals of what is inline, whose body the contract fixes whatever the client's dialect. */
const savedOnlyCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'inline_config_blocked',
  'inline_provider_blocked',
  'inline_custom_host_blocked',
  'inline_provider_url_blocked',
  'inline_forward_headers_blocked',
]);

function savedOnlyOutcome({ code, message, param, status }: GatewayError): Outcome {
  const body = { status: 'failure', error: { code, message, field: param ?? null }, message };
  return { ...jsonOutcome(status, body), error: code };
}

function causeOf(error: { readonly cause?: unknown }): string {
  const { cause } = error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : 'none';
}
