import {
  asObject,
  asString,
  type DialectName,
  type Endpoint,
  GatewayError,
  type JsonObject,
  type Principal,
  parseJson,
  type RequestContext,
  type RequestHeaders,
} from 'portcullis/sdk';
import { Cancellation } from '../upstream/cancellation.ts';

/** Control headers whose documented name has an older spelling that clients still send. */
const spellings: Readonly<Record<string, string>> = { 'strict-compliance': 'strict-open-ai-compliance' };

/** Stands in the log for requests that were refused before anyone asked who calls. */
const unidentified: Principal = Object.freeze({ id: 'unidentified', kind: 'anonymous' });

export interface ExchangeOptions {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly endpoint: Endpoint;
  readonly dialect: DialectName | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: RequestHeaders;
  readonly vendors: readonly string[];
  readonly startedAt: number;
}

/** One client request on its way through the pipeline: what plugins see as `RequestContext`, and what only the core may set. */
export class Exchange implements RequestContext {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly endpoint: Endpoint;
  readonly dialect: DialectName | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: RequestHeaders;
  readonly startedAt: number;
  readonly traceId: string;
  readonly strict: boolean;
  readonly cancellation = new Cancellation();
  body: JsonObject = {};
  rawBody: Uint8Array | undefined;
  principal: Principal = unidentified;
  metadata: Readonly<Record<string, string>> = {};
  readonly #vendors: readonly string[];

  constructor(options: ExchangeOptions) {
    this.id = options.id;
    this.method = options.method;
    this.path = options.path;
    this.query = options.query;
    this.endpoint = options.endpoint;
    this.dialect = options.dialect;
    this.params = options.params;
    this.headers = options.headers;
    this.startedAt = options.startedAt;
    this.#vendors = options.vendors;
    this.traceId = this.control('trace-id')?.slice(0, 128) || options.id;
    this.strict = this.control('strict-compliance') !== 'false';
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  /** The vendor segment that the caller uses; replies use the same. */
  get vendor(): string {
    const [canonical = 'gw', ...aliases] = this.#vendors;
    if (aliases.length === 0) return canonical;
    for (const name in this.headers) {
      const vendor = this.#vendors.find((candidate) => name.startsWith(`x-${candidate}-`));
      if (vendor !== undefined) return vendor;
    }
    return canonical;
  }

  control(name: string): string | undefined {
    for (const vendor of this.#vendors) {
      const value = this.headers[`x-${vendor}-${name}`];
      if (value !== undefined) return value;
    }
    const older = spellings[name];
    return older === undefined ? undefined : this.control(older);
  }
}

const maxMetadataValue = 128;

/** The request's metadata: the key's defaults, the header's own, and `_user` from the body. */
export function metadataOf(exchange: Exchange): Readonly<Record<string, string>> {
  const header = exchange.control('metadata');
  const user = asString(exchange.body.user);
  const defaults = exchange.principal.metadata;
  if (header === undefined && user === undefined) return defaults ?? {};
  const given = header === undefined ? {} : parsedMetadata(header);
  return { ...defaults, ...(user === undefined ? {} : { _user: user.slice(0, maxMetadataValue) }), ...given };
}

function parsedMetadata(header: string): Record<string, string> {
  const object = asObject(parseJson(header));
  if (object === undefined) {
    throw new GatewayError('bad_request', 'The metadata header must be a JSON object of strings.', {
      param: 'x-gw-metadata',
    });
  }
  for (const [key, value] of Object.entries(object)) {
    if (typeof value === 'string' && value.length <= maxMetadataValue) continue;
    const text = `Each metadata value must be a string of at most ${maxMetadataValue} characters; ${JSON.stringify(key.slice(0, 64))} is not.`;
    throw new GatewayError('bad_request', text, { param: 'x-gw-metadata' });
  }
  return object as Record<string, string>;
}
