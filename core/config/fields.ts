import Type from 'typebox';
import { logLevels } from './gateway-config.ts';

// Timers of Node fire at once beyond this many milliseconds.
const longestMs = 2_147_483_647;
// V8 makes no longer string, and a body is decoded into one.
const longestText = 536_870_888;
const mostBytes = 2 ** 40;

function milliseconds(description: string, standard?: number) {
  return Type.Integer({
    minimum: 1,
    maximum: longestMs,
    description,
    ...(standard === undefined ? {} : { default: standard }),
  });
}

function bytes(description: string, standard: number, maximum = mostBytes) {
  return Type.Integer({ minimum: 1, maximum, description, default: standard });
}

function targets(description: string, standard: number) {
  return Type.Integer({ minimum: 1, maximum: 100_000, description, default: standard });
}

/**
 * The settings that have both a variable and a place in the operator's file, or a variable alone. Bounds, default and
 * description stand here once. `accepts` is the noun phrase of a refusal where the keywords cannot say it.
 */
export const fields = {
  configPath: Type.String({ minLength: 1, description: "Path of the operator's file.", default: 'portcullis.yaml' }),
  host: Type.String({
    pattern: '^[A-Za-z0-9.:_-]{1,255}$',
    accepts: 'a host name or an IP address without brackets',
    description: 'Address to listen on. Absent: all addresses, or loopback alone while anyone may call without a key.',
  }),
  port: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 8787,
    description: 'Port to listen on; 0 takes a free one.',
  }),
  headerVendors: Type.Array(
    Type.String({
      pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
      maxLength: 32,
      accepts: 'lower-case letters, digits and dashes',
    }),
    {
      minItems: 1,
      uniqueItems: true,
      default: ['gw'],
      description:
        "Vendor segments of the gateway's headers (`x-gw-config`); the first is canonical, the others are aliases.",
    },
  ),
  trustedHosts: Type.Array(
    Type.String({
      minLength: 1,
      maxLength: 300,
      accepts: 'a host, host:port, *.example.com, an IP address or a range',
    }),
    {
      default: [],
      description:
        'Hosts that a custom host may name although they are private: host, host:port, *.example.com, address or range.',
    },
  ),
  requestMs: milliseconds('Longest time of one attempt, in milliseconds, where the routing config gives none.'),
  connectMs: milliseconds('Longest time to open a connection to a provider, in milliseconds.', 10_000),
  firstByteMs: milliseconds('Longest wait for the first byte of a reply, in milliseconds.', 300_000),
  gapMs: milliseconds('Longest silence between two chunks of a reply, in milliseconds.', 120_000),
  totalMs: milliseconds('Longest time of a whole reply, in milliseconds.', 3_600_000),
  bodyLimit: bytes('Largest request body, in bytes.', 33_554_432, longestText),
  maxReplyBytes: bytes('Largest reply of a provider, in bytes.', 134_217_728),
  customHostMaxReplyBytes: bytes('Largest reply of a custom host, in bytes.', 33_554_432),
  drainTimeoutMs: Type.Integer({
    minimum: 0,
    maximum: longestMs,
    default: 30_000,
    description: 'How long running requests may take to finish after the gateway was told to stop, in milliseconds.',
  }),
  rootTargets: targets('Most targets at the top level of a routing config.', 100),
  conditionalRootTargets: targets('Most targets at the top level of a conditional routing config.', 1000),
  nestedTargets: targets('Most targets below one target of the top level.', 50),
  logLevel: Type.Enum([...logLevels], { default: 'info', description: 'Least severe level that is logged.' }),
};
