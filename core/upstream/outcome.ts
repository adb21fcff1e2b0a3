import {
  type DialectName,
  dialects,
  type ErrorCode,
  faultType,
  type GatewayError,
  type JsonObject,
  type Outcome,
  type ProviderFault,
} from 'portcullis/sdk';

/** Who was asked, for the parts of an outcome that do not come from the reply. */
export interface OutcomeFacts {
  readonly requestId: string;
  /** The client's dialect. */
  readonly dialect: DialectName | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly path: string;
  /** The region that was called. */
  readonly region?: string | undefined;
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

/** A reply of the gateway itself, made without any target. */
export function jsonOutcome(status: number, body: JsonObject): Outcome {
  return {
    status,
    headers: jsonHeaders,
    body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(body)) },
    provider: undefined,
    model: undefined,
    path: '',
    retries: 0,
    usage: () => undefined,
  };
}

/** An error of the gateway itself as the outcome of a target, in the client's dialect. */
export function errorOutcome(error: GatewayError, facts: OutcomeFacts): Outcome {
  const fault: ProviderFault = {
    status: error.status,
    message: error.message,
    type: error.type,
    // The contract fixes the body of a timeout, and there the code is null.
    ...(error.code === 'request_timeout' ? {} : { code: error.code }),
    ...(error.param === undefined ? {} : { param: error.param }),
  };
  return {
    ...faultOutcome(fault, {}, error.code === 'request_timeout' ? { ...facts, provider: undefined } : facts, undefined),
    provider: facts.provider,
    headers: { ...jsonHeaders, ...error.headers },
    error: error.code,
  };
}

/** A provider's error as the outcome of a target, in the client's dialect. */
export function faultOutcome(
  fault: ProviderFault,
  headers: Outcome['headers'],
  facts: OutcomeFacts,
  retryAfterMs: number | undefined,
): Outcome {
  return {
    status: fault.status,
    headers: { ...headers, ...jsonHeaders },
    body: {
      kind: 'bytes',
      bytes: Buffer.from(JSON.stringify(errorBody(fault, facts.dialect, facts.requestId, facts.provider))),
    },
    provider: facts.provider,
    model: facts.model,
    path: facts.path,
    retries: 0,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    error: errorCodeOf(fault),
    usage: () => undefined,
  };
}

/** What the error of a provider is called in logs and metrics. */
export function errorCodeOf({ status }: ProviderFault): ErrorCode {
  return status === 529 ? 'overloaded' : 'upstream_error';
}

/** The error body of the client's dialect; the chat format's where bytes pass untouched. */
export function errorBody(
  fault: ProviderFault,
  dialect: DialectName | undefined,
  requestId: string,
  provider: string | undefined,
): JsonObject {
  const typed = { ...fault, type: fault.type ?? faultType(fault.status) };
  const body = dialects[dialect ?? 'chat'].encodeFault(typed, requestId);
  return provider === undefined || dialect === 'messages' ? body : { ...body, provider };
}
