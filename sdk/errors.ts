/**
 * Every error code of the gateway, with its HTTP status, its `type` on the wire and what it means.
 * The README's table is generated from this one.
 */
export const errorCodes = {
  bad_request: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'A field is missing, of the wrong type or out of bounds; `param` names it.',
  },
  invalid_json: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'The request body is not JSON; the message gives line and column.',
  },
  invalid_config: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'The routing config is malformed, or names something that does not exist.',
  },
  unknown_provider: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'No provider, or no saved provider, has this name.',
  },
  unknown_virtual_key: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'No saved credential has the name given as virtual key.',
  },
  missing_credentials: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'The provider needs a setting that neither the request, the config nor the operator gives.',
  },
  endpoint_unsupported: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'The provider does not offer this endpoint, and it cannot be translated to one that it does.',
  },
  translation_unsupported: {
    status: 400,
    type: 'invalid_request_error',
    summary: "The request holds something that the target's dialect has no place for and that must not be dropped.",
  },
  not_available: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'The config asks for a feature that no enabled plugin serves.',
  },
  url_blocked: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'A URL points to a place that the gateway does not call: see TRUSTED_CUSTOM_HOSTS.',
  },
  unauthenticated: {
    status: 401,
    type: 'authentication_error',
    summary: 'The API key is missing, unknown or revoked.',
  },
  inline_config_blocked: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'Only saved configs are accepted here, and the request brings one of its own.',
  },
  inline_provider_blocked: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'Only saved providers are accepted here, and the request names a provider itself.',
  },
  inline_custom_host_blocked: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'Only saved resources are accepted here, and the request names a custom host.',
  },
  inline_provider_url_blocked: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'Only saved resources are accepted here, and the request is for a URL of its own choice.',
  },
  inline_forward_headers_blocked: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'Only saved resources are accepted here, and the request says which headers to forward.',
  },
  config_override_blocked: {
    status: 400,
    type: 'invalid_request_error',
    summary: 'The API key has a config of its own that a request may not replace.',
  },
  secret_unavailable: {
    status: 502,
    type: 'api_error',
    summary: 'The secret manager did not give a credential; the message names the reference.',
  },
  conflict: {
    status: 409,
    type: 'invalid_request_error',
    summary: 'It exists already, or something still depends on it.',
  },
  throttled: {
    status: 429,
    type: 'rate_limit_error',
    summary: 'Too many attempts; Retry-After says how long to wait.',
  },
  provider_expired: {
    status: 412,
    type: 'invalid_request_error',
    summary: 'The saved provider that the request goes to has expired; the message names it.',
  },
  key_expired: { status: 401, type: 'authentication_error', summary: 'The API key has expired.' },
  forbidden: { status: 403, type: 'permission_error', summary: 'The key may not do this.' },
  not_found: { status: 404, type: 'not_found_error', summary: 'No such route or resource.' },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    summary: 'The route exists, but not for this method; see the Allow header.',
  },
  request_timeout: {
    status: 408,
    type: 'timeout_error',
    summary: 'The attempt took longer than the timeout set for it.',
  },
  payload_too_large: {
    status: 413,
    type: 'request_too_large',
    summary: 'The request body is larger than the operator allows.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    summary: 'The content type or content encoding is not one that the route reads.',
  },
  rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    summary: 'A rate limit is used up; Retry-After says when it is not.',
  },
  budget_exhausted: { status: 412, type: 'invalid_request_error', summary: 'A usage limit is used up.' },
  limits_unavailable: {
    status: 503,
    type: 'api_error',
    summary: 'The limits cannot be checked at the moment, and the operator has chosen to refuse then.',
  },
  check_failed: {
    status: 502,
    type: 'api_error',
    summary: 'A check of a guardrail could not be carried out; what that means is said where it is used (`on_error`).',
  },
  guardrail_denied: { status: 446, type: 'hooks_failed', summary: 'A guardrail denied the request or the reply.' },
  client_closed: { status: 499, type: 'api_error', summary: 'The client left before the reply was complete.' },
  internal: {
    status: 500,
    type: 'api_error',
    summary: 'A fault of the gateway; the log holds the cause under the request id.',
  },
  plugin_failed: {
    status: 500,
    type: 'api_error',
    summary: 'A plugin threw something that is not an error of this table.',
  },
  upstream_unreachable: {
    status: 502,
    type: 'api_error',
    summary: 'The provider could not be reached, or closed the connection.',
  },
  upstream_invalid: {
    status: 502,
    type: 'api_error',
    summary: 'The provider answered with something that is not its own format, or with more than is accepted.',
  },
  upstream_error: {
    status: 502,
    type: 'api_error',
    summary: 'The provider answered with an error; its own status is used when it gives one.',
  },
  upstream_connect_timeout: {
    status: 503,
    type: 'timeout_error',
    summary: 'The provider did not accept a connection in time.',
  },
  upstream_stalled: {
    status: 504,
    type: 'timeout_error',
    summary: 'The provider stopped sending in the middle of a reply.',
  },
  overloaded: {
    status: 529,
    type: 'overloaded_error',
    summary: 'The provider reported an overload inside a successful stream, before its first token.',
  },
  not_ready: {
    status: 503,
    type: 'api_error',
    summary:
      'The gateway is starting, draining, or cannot do this at the moment; Retry-After may say when to try again.',
  },
} as const satisfies Record<string, { status: number; type: string; summary: string }>;

export type ErrorCode = keyof typeof errorCodes;

export interface ErrorDetails {
  /** The field at fault, as a path in the caller's own terms: `messages[0].role`, `strategy.mode`. */
  readonly param?: string;
  /** Replaces the code's status (a provider's own status). 400 to 599. */
  readonly status?: number;
  /** Replaces the code's wire type (a provider's own type). */
  readonly type?: string;
  /** Reply headers that go with the error, lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

const mark = Symbol.for('portcullis.error');

/**
 * An error that becomes a reply. The message is a sentence for the caller: what was wrong and what is accepted.
 * Never put a secret, a resolved address or an upstream body in it.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: string;
  readonly param: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly [mark] = true;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.status = details.status ?? errorCodes[code].status;
    this.type = details.type ?? errorCodes[code].type;
    this.param = details.param;
    this.headers = details.headers ?? {};
  }

  /** Recognises gateway errors across two copies of the sdk, where `instanceof` would fail. */
  static is(value: unknown): value is GatewayError {
    return typeof value === 'object' && value !== null && mark in value;
  }
}
