import { refused, type Variables } from '../variables.ts';

/** The first is what holds where nothing is said. */
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
  readonly sampling: Sampling;
}

/** Which traces are exported. */
export interface Sampling {
  /** Whether a caller that brings a trace has decided already. */
  readonly heedsCaller: boolean;
  /** Of the traces that nobody has decided about, from 0 to 1. */
  readonly ratio: number;
}

const samplers = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

const standardEndpoint = 'http://localhost:4318';
const standardTimeoutMs = 10_000;

/**
 * Undefined: no traces. They are on where a variable says so, or where one names a place for them and none says no. The
 * twins for traces of models win over the general variables, and take nothing from them that could be a credential.
 * @throws GatewayError `invalid_config` naming the variable at fault
 */
export function traceSettingsOf(variables: Variables): TraceSettings | undefined {
  const sampling = samplingOf(variables);
  const place = placeOf(variables);
  if (variables.flag('OTEL_SDK_DISABLED') === true) return undefined;
  if (wordOf(variables, 'OTEL_TRACES_EXPORTER', ['otlp', 'none']) === 'none') return undefined;
  const pushed = variables.flag('OTEL_PUSH_ENABLED');
  const models = variables.flag('EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED');
  if (pushed !== true && models !== true && (place === undefined || pushed === false)) return undefined;
  const { url, headers } = place ?? {
    url: tracesBelow(standardEndpoint),
    headers: headersOf(variables, variableOf(variables, 'HEADERS')),
  };
  return {
    url,
    headers,
    protocol: wordOf(variables, variableOf(variables, 'PROTOCOL'), protocols),
    compression: wordOf(variables, variableOf(variables, 'COMPRESSION'), compressions),
    timeoutMs: variables.milliseconds(variableOf(variables, 'TIMEOUT')) ?? standardTimeoutMs,
    resource: {
      ...variables.pairs('OTEL_RESOURCE_ATTRIBUTES'),
      ...variables.pairs('EXPERIMENTAL_GEN_AI_OTEL_RESOURCE_ATTRIBUTES'),
      ...serviceName(variables),
    },
    sampling,
  };
}

function samplingOf(variables: Variables): Sampling {
  const sampler = wordOf(variables, 'OTEL_TRACES_SAMPLER', samplers);
  const heedsCaller = sampler.startsWith('parentbased_');
  if (!sampler.endsWith('traceidratio')) return { heedsCaller, ratio: sampler.endsWith('_on') ? 1 : 0 };
  const given = variables.text('OTEL_TRACES_SAMPLER_ARG') ?? '1';
  const ratio = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(given) ? Number(given) : Number.NaN;
  if (!(ratio <= 1)) throw refused('OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1');
  return { heedsCaller, ratio };
}

interface Source {
  readonly endpoint: string;
  /** The variable of its headers; absent: that of all exporters, or of traces. */
  readonly headers?: string;
  /** Whether it names the very place, and not what the path of traces is below. */
  readonly whole?: boolean;
}

/** In the order in which they count. */
const sources: readonly Source[] = [
  {
    endpoint: 'EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_ENDPOINT',
    headers: 'EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_HEADERS',
  },
  { endpoint: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', whole: true },
  { endpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
  { endpoint: 'OTEL_ENDPOINT' },
];

function placeOf(variables: Variables): Pick<TraceSettings, 'url' | 'headers'> | undefined {
  for (const { endpoint, headers, whole } of sources) {
    const given = variables.text(endpoint);
    if (given === undefined) continue;
    const url = URL.canParse(given) ? new URL(given) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
      throw refused(endpoint, 'an absolute http or https URL without user and password');
    return {
      url: whole === true ? url.href : tracesBelow(given),
      headers: headersOf(variables, headers ?? variableOf(variables, 'HEADERS')),
    };
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

/** The variable that counts: what is said for traces wins whole over what is said for all. */
function variableOf(variables: Variables, what: 'HEADERS' | 'PROTOCOL' | 'TIMEOUT' | 'COMPRESSION'): string {
  const ofTraces = `OTEL_EXPORTER_OTLP_TRACES_${what}`;
  return variables.text(ofTraces) === undefined ? `OTEL_EXPORTER_OTLP_${what}` : ofTraces;
}

function wordOf<Word extends string>(variables: Variables, name: string, words: readonly [Word, ...Word[]]): Word {
  const given = variables.text(name) ?? words[0];
  const word = words.find((known) => known === given);
  if (word === undefined) throw refused(name, words.join(' or '));
  return word;
}

function serviceName(variables: Variables): Readonly<Record<string, string>> {
  const given = variables.text('OTEL_SERVICE_NAME');
  if (given !== undefined) return { 'service.name': given };
  const named = ['OTEL_RESOURCE_ATTRIBUTES', 'EXPERIMENTAL_GEN_AI_OTEL_RESOURCE_ATTRIBUTES'].some(
    (name) => variables.pairs(name)['service.name'] !== undefined,
  );
  return named ? {} : { 'service.name': 'portcullis' };
}
