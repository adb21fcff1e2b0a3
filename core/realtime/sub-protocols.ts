/** What a browser says in the sub-protocols of a WebSocket, for it can set no headers there. */
export interface Offered {
  /** Headers of the gateway and of its caller, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sub-protocols that are none of the gateway's business: the provider's. */
  readonly others: readonly string[];
}

/** The form in which SDKs for browsers send a key: `<vendor>-insecure-api-key.<key>`. */
const insecureKey = /^[a-z]+-insecure-api-key\.(.+)$/;
const named = /^([a-z0-9-]+?)-(api-key|config|provider|virtual-key|trace-id|metadata)\.(.+)$/;

/**
 * Reads sub-protocols: `<vendor>-api-key.<key>`, and so `config`, `provider`, `virtual-key`, `trace-id` and `metadata`,
 * whose values are base64url where they begin with `b64.`; and a key in the form of the SDKs for browsers.
 */
export function readSubProtocols(header: string | undefined, vendors: readonly string[]): Offered {
  const headers: Record<string, string> = {};
  const others: string[] = [];
  for (const protocol of (header ?? '').split(',').map((one) => one.trim())) {
    if (protocol === '') continue;
    const [, vendor = '', name = '', value = ''] = named.exec(protocol) ?? [];
    const key = insecureKey.exec(protocol)?.[1];
    if (vendors.includes(vendor)) headers[`x-${vendor}-${name}`] = plain(value);
    else if (key !== undefined) headers.authorization = `Bearer ${key}`;
    else others.push(protocol);
  }
  return { headers, others };
}

function plain(value: string): string {
  return value.startsWith('b64.') ? Buffer.from(value.slice(4), 'base64url').toString('utf8') : value;
}
