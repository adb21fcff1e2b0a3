import { GatewayError } from 'portcullis/sdk';

/** What the operating system, undici and TLS say, in words for the caller. No address: it may be private. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while the request was sent',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name could not be resolved just now',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  UND_ERR_SOCKET: 'the connection was closed before the reply was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the connection was closed before the reply was complete',
  UND_ERR_CLOSED: 'the gateway is closing its connections',
  UND_ERR_DESTROYED: 'the gateway is closing its connections',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);

interface Coded {
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
}

function chainOf(error: unknown): readonly Coded[] {
  const chain: Coded[] = [];
  let current = error as Coded | undefined;
  while (typeof current === 'object' && current !== null && chain.length < 8) {
    chain.push(current);
    if (Array.isArray(current.errors)) chain.push(...(current.errors as Coded[]).slice(0, 4));
    current = current.cause as Coded | undefined;
  }
  return chain;
}

/**
 * A transport failure as an error for the caller; `upstream` names whom we were calling.
 * @param hasHead whether the reply's head had come
 */
export function transportError(error: unknown, upstream: string, hasHead = false): GatewayError {
  const chain = chainOf(error);
  const own = chain.find((link) => GatewayError.is(link));
  if (GatewayError.is(own)) return own;
  const codes = chain.map((link) => link.code).filter((code): code is string => typeof code === 'string');
  if (codes.some((code) => timeouts.has(code))) {
    return new GatewayError('upstream_connect_timeout', `${upstream} did not accept a connection in time.`, {
      cause: error,
    });
  }
  const unparsed = chain.find(({ code, name }) => name === 'HTTPParserError' || String(code).startsWith('HPE_'));
  if (unparsed !== undefined) {
    const text = `${upstream} answered with something that is not HTTP${parserReason(unparsed)}.`;
    return new GatewayError('upstream_invalid', text, { cause: error });
  }
  // Before there is a body, this is a head that contradicts itself.
  if (codes.includes('UND_ERR_RES_CONTENT_LENGTH_MISMATCH') && !hasHead) {
    const text = `${upstream} answered with a head that tells the length of its body twice: by several content-length, or by content-length beside transfer-encoding.`;
    return new GatewayError('upstream_invalid', text, { cause: error });
  }
  if (codes.includes('UND_ERR_HEADERS_OVERFLOW')) {
    return new GatewayError('upstream_invalid', `${upstream} answered with headers that are larger than is accepted.`, {
      cause: error,
    });
  }
  // Nothing was sent: undici refuses a header or path that no HTTP message can hold.
  if (codes.includes('UND_ERR_INVALID_ARG')) {
    const text = `The request to ${upstream} cannot be sent: a header, a setting or the path holds characters that HTTP does not allow.`;
    return new GatewayError('bad_request', text, { cause: error });
  }
  const reason =
    codes
      .map((code) => (Object.hasOwn(reasons, code) ? reasons[code] : undefined))
      .find((text) => text !== undefined) ?? 'the connection failed';
  return new GatewayError('upstream_unreachable', `Could not reach ${upstream}: ${reason}.`, { cause: error });
}

/** What the parser says in brackets is one of its own fixed texts. */
function parserReason({ message }: Coded): string {
  const [, reason] = /\(([\w ,./-]{1,100})\)$/.exec(String(message)) ?? [];
  return reason === undefined ? '' : `: ${reason}`;
}
