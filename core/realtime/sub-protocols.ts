import { GatewayError } from 'portcullis/sdk';

/** What a browser says in the sub-protocols of a WebSocket, for it can set no headers there. */
export interface Offered {
  /** Headers of the gateway and of its caller, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sub-protocols that are none of the gateway's business: the provider's. */
  readonly others: readonly string[];
}

/** A name as RFC 9110 §5.6.2 has it. */
const token = /^[\w!#$%&'*+.^`|~-]+$/;
/** The form in which SDKs for browsers send a key: `<vendor>-insecure-api-key.<key>`. */
const insecureKey = /^[a-z\d-]+-insecure-api-key\.(.+)$/;
const otherKey = /^[a-z\d-]+-(?:api|virtual)-key\./;
const controlName = /^[a-z][a-z\d-]*$/;
const unsendable = /[^\t\u0020-\u007e\u0080-\u00ff]/;
const param = 'sec-websocket-protocol';

/**
 * Reads sub-protocols: `<vendor>-<name>.<value>` is the header `x-<vendor>-<name>`, whose value is base64url where it begins
 * with `b64.`; a key in the form of the SDKs for browsers is a Bearer token. The first of several of one name counts.
 * @throws GatewayError `bad_request` for what is no list of different names, or where nothing is left that may be answered
 */
export function readSubProtocols(header: string | undefined, vendors: readonly string[]): Offered {
  const headers: Record<string, string> = {};
  const others: string[] = [];
  const offers = offersIn(header);
  for (const offer of offers) {
    const control = controlIn(offer, vendors);
    const key = insecureKey.exec(offer)?.[1];
    if (control !== undefined) headers[control.name] ??= control.value;
    else if (key !== undefined) headers.authorization ??= `Bearer ${key}`;
    // Whoever it is for, it is a key, and not the provider's to see.
    else if (!otherKey.test(offer)) others.push(offer);
  }
  if (offers.length > 0 && others.length === 0) {
    const text =
      'Offer one more sub-protocol, such as `realtime`: a browser needs one of its offers in the answer, and those that hold headers are never sent back.';
    throw new GatewayError('bad_request', text, { param });
  }
  return { headers, others };
}

function offersIn(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  const offers = header.split(',').map((offer) => offer.trim());
  if (offers.every((offer) => token.test(offer)) && new Set(offers).size === offers.length) return offers;
  const text =
    "Sub-protocols must be different names of letters, digits and !#$%&'*+-.^_`|~, without any padding of base64.";
  throw new GatewayError('bad_request', text, { param });
}

function controlIn(offer: string, vendors: readonly string[]): { name: string; value: string } | undefined {
  for (const vendor of vendors) {
    const dot = offer.indexOf('.');
    if (dot === -1 || !offer.startsWith(`${vendor}-`)) continue;
    const name = offer.slice(vendor.length + 1, dot);
    if (!controlName.test(name)) continue;
    const value = plain(offer.slice(dot + 1));
    if (!unsendable.test(value)) return { name: `x-${vendor}-${name}`, value };
    throw new GatewayError('bad_request', `The value for ${name.slice(0, 100)} cannot be sent as a header.`, { param });
  }
  return undefined;
}

function plain(value: string): string {
  return value.startsWith('b64.') ? Buffer.from(value.slice(4), 'base64url').toString('utf8') : value;
}
