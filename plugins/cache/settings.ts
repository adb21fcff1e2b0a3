import { GatewayError, type Host } from 'portcullis/sdk';

export interface CacheSettings {
  readonly store: 'memory' | 'redis';
  /** Of replies, vectors and running streams of this process, all together. */
  readonly maxBytes: number;
  /** Undefined: nothing is looked up by meaning. */
  readonly semantic: SemanticSettings | undefined;
}

export interface SemanticSettings {
  /** `@slug/model` of a saved provider, or `provider/model`. */
  readonly model: string;
  readonly dimensions: number | undefined;
  /** The least cosine of two vectors that mean the same. */
  readonly threshold: number;
}

const mebibyte = 1024 * 1024;

interface NumberRule {
  readonly least: number;
  readonly most: number;
  readonly whole: boolean;
}

/** @throws GatewayError `invalid_config` that names the variable */
export function settingsOf(host: Host): CacheSettings {
  return {
    store: storeOf(host),
    maxBytes:
      numberIn(host, 'CACHE_MAX_BYTES', { least: mebibyte, most: 64 * 1024 * mebibyte, whole: true }) ?? 128 * mebibyte,
    semantic: semanticOf(host),
  };
}

function storeOf(host: Host): CacheSettings['store'] {
  const given = textIn(host, 'CACHE_STORE');
  if (given === undefined) return host.redis === undefined ? 'memory' : 'redis';
  if (given === 'memory') return given;
  if (given !== 'redis') throw refused('CACHE_STORE', 'must be memory or redis');
  if (host.redis === undefined) throw refused('CACHE_STORE', 'is redis, which needs REDIS_URL');
  return given;
}

function semanticOf(host: Host): SemanticSettings | undefined {
  const model = textIn(host, 'SEMANTIC_CACHE_EMBEDDING_MODEL');
  const dimensions = numberIn(host, 'SEMANTIC_CACHE_EMBEDDING_DIMENSIONS', { least: 1, most: 16_384, whole: true });
  const threshold = numberIn(host, 'SEMANTIC_CACHE_THRESHOLD', { least: 0.5, most: 1, whole: false });
  if (model === undefined) return undefined;
  if (!/^[^/\s]+\/\S+$/.test(model))
    throw refused('SEMANTIC_CACHE_EMBEDDING_MODEL', 'must be @slug/model of a saved provider, or provider/model');
  return { model, dimensions, threshold: threshold ?? 0.95 };
}

function textIn(host: Host, variable: string): string | undefined {
  const value = host.env(variable)?.trim();
  return value === '' ? undefined : value;
}

function numberIn(host: Host, variable: string, { least, most, whole }: NumberRule): number | undefined {
  const text = textIn(host, variable);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (value >= least && value <= most && (!whole || Number.isSafeInteger(value))) return value;
  throw refused(variable, `must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}`);
}

function refused(variable: string, why: string): GatewayError {
  return new GatewayError('invalid_config', `The environment variable ${variable} ${why}.`, { param: variable });
}
