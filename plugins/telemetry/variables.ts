import { GatewayError, type Host } from 'portcullis/sdk';

/** Reads variables as what they must be. What stands in them is never repeated: it may be a credential. */
export interface Variables {
  /** Undefined: absent or empty. */
  text(name: string): string | undefined;
  /** @throws GatewayError `invalid_config` */
  flag(name: string): boolean | undefined;
  /** Rising numbers with commas. @throws GatewayError `invalid_config` */
  buckets(name: string): readonly number[] | undefined;
  /** Words with commas; none: empty. */
  words(name: string): readonly string[];
  /** `name=value` pairs with commas, values percent-encoded, as OpenTelemetry writes them. @throws GatewayError `invalid_config` */
  pairs(name: string): Readonly<Record<string, string>>;
  /** A whole number of milliseconds from 1 to 600,000. @throws GatewayError `invalid_config` */
  milliseconds(name: string): number | undefined;
}

const flags: Readonly<Record<string, boolean>> = { true: true, on: true, 1: true, false: false, off: false, 0: false };
const longestMs = 600_000;

export function variablesOf({ env }: Pick<Host, 'env'>): Variables {
  const text = (name: string): string | undefined => env(name)?.trim() || undefined;
  const words = (name: string): readonly string[] =>
    (text(name) ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
  return {
    text,
    words,
    flag: (name) => {
      const given = text(name);
      if (given === undefined) return undefined;
      const flag = flags[given.toLowerCase()];
      if (flag === undefined) throw refused(name, 'true or false');
      return flag;
    },
    buckets: (name) => {
      const bounds = words(name).map(Number);
      if (bounds.length === 0) return undefined;
      const rising = bounds.every((bound, index) => bound > (bounds[index - 1] ?? 0) && Number.isFinite(bound));
      if (!rising || bounds.length > 50) throw refused(name, 'up to 50 rising numbers above 0 with commas, in seconds');
      return bounds;
    },
    pairs: (name) => Object.fromEntries(words(name).map((pair) => pairOf(name, pair))),
    milliseconds: (name) => {
      const given = text(name);
      if (given === undefined) return undefined;
      const ms = Number(given);
      if (!Number.isInteger(ms) || ms < 1 || ms > longestMs) throw refused(name, `an integer from 1 to ${longestMs}`);
      return ms;
    },
  };
}

export function refused(name: string, accepted: string): GatewayError {
  return new GatewayError('invalid_config', `The environment variable ${name} must be ${accepted}.`, { param: name });
}

function pairOf(name: string, pair: string): readonly [string, string] {
  const equals = pair.indexOf('=');
  const key = pair.slice(0, Math.max(0, equals)).trim();
  if (key === '') throw refused(name, 'pairs such as name=value, with commas');
  try {
    return [decodeURIComponent(key), decodeURIComponent(pair.slice(equals + 1).trim())];
  } catch {
    throw refused(name, 'pairs such as name=value with commas, other characters percent-encoded');
  }
}
