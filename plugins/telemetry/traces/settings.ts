import { refused, type Variables } from '../variables.ts';

export const protocols = ['http/protobuf', 'http/json'] as const;
export type Protocol = (typeof protocols)[number];
export const compressions = ['none', 'gzip'] as const;
export type Compression = (typeof compressions)[number];

export interface TraceSettings {
  /** Where spans are posted to. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: Protocol;
  readonly compression: Compression;
  /** Of one post. */
  readonly timeoutMs: number;
  readonly resource: Readonly<Record<string, string>>;
}

const standardEndpoint = 'http://localhost:4318';
const standardTimeoutMs = 10_000;

/**
 * Undefined: no traces. They are on where a variable says so, or where one names a place for them and none says no. The
 * twins for traces of models win over the general variables, and take nothing from them that could be a credential.
 * @throws GatewayError `invalid_config` naming the variable at fault
 */
export function traceSettingsOf(variables: Variables): TraceSettings | undefined {
  const place = placeOf(variables);
  const pushed = variables.flag('OTEL_PUSH_ENABLED');
  const models = variables.flag('EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED');
  if (pushed !== true && models !== true && (place === undefined || pushed === false)) return undefined;
  const { url, headers } = place ?? {
    url: tracesBelow(standardEndpoint),
    headers: variables.pairs('OTEL_EXPORTER_OTLP_HEADERS'),
  };
  return {
    url,
    headers,
    protocol: protocolOf(variables),
    compression: compressionOf(variables),
    timeoutMs: variables.milliseconds('OTEL_EXPORTER_OTLP_TIMEOUT') ?? standardTimeoutMs,
    resource: {
      ...variables.pairs('OTEL_RESOURCE_ATTRIBUTES'),
      ...variables.pairs('EXPERIMENTAL_GEN_AI_OTEL_RESOURCE_ATTRIBUTES'),
      ...serviceName(variables),
    },
  };
}

interface Source {
  readonly endpoint: string;
  readonly headers: string;
  /** Whether it names the very place, and not what the path of traces is below. */
  readonly whole?: boolean;
}

/** In the order in which they count. */
const sources: readonly Source[] = [
  {
    endpoint: 'EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_ENDPOINT',
    headers: 'EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_HEADERS',
  },
  { endpoint: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', headers: 'OTEL_EXPORTER_OTLP_HEADERS', whole: true },
  { endpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT', headers: 'OTEL_EXPORTER_OTLP_HEADERS' },
  { endpoint: 'OTEL_ENDPOINT', headers: 'OTEL_EXPORTER_OTLP_HEADERS' },
];

function placeOf(variables: Variables): Pick<TraceSettings, 'url' | 'headers'> | undefined {
  for (const { endpoint, headers, whole } of sources) {
    const given = variables.text(endpoint);
    if (given === undefined) continue;
    const url = URL.canParse(given) ? new URL(given) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
      throw refused(endpoint, 'an absolute http or https URL without user and password');
    return { url: whole === true ? url.href : tracesBelow(given), headers: headersOf(variables, headers) };
  }
  return undefined;
}

function headersOf(variables: Variables, name: string): Readonly<Record<string, string>> {
  const headers = variables.pairs(name);
  const sendable = Object.entries(headers).every(
    ([header, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(header) && /^[\t\x20-\x7e]*$/.test(value),
  );
  if (!sendable) throw refused(name, 'pairs of a header and its value, such as name=value, with commas');
  return headers;
}

function tracesBelow(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}

function protocolOf(variables: Variables): Protocol {
  const given = variables.text('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf';
  const protocol = protocols.find((known) => known === given);
  if (protocol === undefined) throw refused('OTEL_EXPORTER_OTLP_PROTOCOL', protocols.join(' or '));
  return protocol;
}

/** What is said for traces wins over what is said for all. */
function compressionOf(variables: Variables): Compression {
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_COMPRESSION', 'OTEL_EXPORTER_OTLP_COMPRESSION']) {
    const given = variables.text(name);
    if (given === undefined) continue;
    const compression = compressions.find((known) => known === given);
    if (compression === undefined) throw refused(name, compressions.join(' or '));
    return compression;
  }
  return 'none';
}

function serviceName(variables: Variables): Readonly<Record<string, string>> {
  const given = variables.text('OTEL_SERVICE_NAME');
  if (given !== undefined) return { 'service.name': given };
  const named = ['OTEL_RESOURCE_ATTRIBUTES', 'EXPERIMENTAL_GEN_AI_OTEL_RESOURCE_ATTRIBUTES'].some(
    (name) => variables.pairs(name)['service.name'] !== undefined,
  );
  return named ? {} : { 'service.name': 'portcullis' };
}
