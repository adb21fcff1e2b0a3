/** Headers that belong to one connection (RFC 9110 §7.6.1): never passed on. */
export const hopByHopHeaders = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

/** Those, and the ones by which a request is framed and routed: nobody but the connection sets them. */
export const connectionHeaders = [...hopByHopHeaders, 'content-length', 'expect', 'host'] as const;
