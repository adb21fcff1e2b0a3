import { type JsonObject, type PhaseName, phaseNames, schema as Type } from 'portcullis/sdk';
import type { Static, TProperties } from 'typebox';
import { fields } from './fields.ts';
import { logsSection } from './log-fields.ts';

/** `name` or `name@major` of a unit. */
export const unitPattern = '^[a-z0-9][a-z0-9-]{0,63}(@[0-9]{1,6})?$';
const unitName = 'a name or name@major, in lower-case letters, digits and dashes';
const slug = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

function closed<P extends TProperties>(properties: P, description: string) {
  return Type.Object(properties, { additionalProperties: false, description });
}

function name(description: string) {
  return Type.String({
    pattern: slug,
    accepts: 'a name of letters, digits, dots, dashes and underscores',
    description,
  });
}

function free(description: string) {
  return Type.Unsafe<JsonObject>({ type: 'object', description });
}

const optional = Type.Optional;

const cors = closed(
  {
    enabled: optional(
      Type.Boolean({ default: false, description: 'Whether browsers of other origins may call the gateway.' }),
    ),
    origins: optional(
      Type.Array(
        Type.String({ pattern: '^(\\*|https?://[^/\\s]+)$', accepts: 'an origin such as https://example.com, or *' }),
        {
          minItems: 1,
          uniqueItems: true,
          default: ['*'],
          description: "Origins that may call; '*' is any.",
        },
      ),
    ),
  },
  'Cross-origin requests of browsers.',
);

const timeouts = closed(
  {
    connect: optional(fields.connectMs),
    first_byte: optional(fields.firstByteMs),
    gap: optional(fields.gapMs),
    total: optional(fields.totalMs),
    request: optional(fields.requestMs),
  },
  'Time limits of calls to providers.',
);

const server = closed(
  {
    host: optional(fields.host),
    port: optional(fields.port),
    body_limit: optional(fields.bodyLimit),
    drain_timeout: optional(fields.drainTimeoutMs),
    workers: optional(fields.workers),
    header_vendors: optional(fields.headerVendors),
    cors: optional(cors),
    trusted_hosts: optional(fields.trustedHosts),
    trusted_proxy_hops: optional(fields.trustedProxyHops),
    timeouts: optional(timeouts),
    max_upload_bytes: optional(fields.maxUploadBytes),
    machine_identity: optional(fields.machineIdentity),
    max_reply_bytes: optional(fields.maxReplyBytes),
    custom_host_max_reply_bytes: optional(fields.customHostMaxReplyBytes),
  },
  'How the gateway listens and how patient it is. A variable of the environment beats what stands here.',
);

const folder = closed(
  {
    path: Type.String({ minLength: 1, description: "A plugin's folder, or a folder of such; relative to this file." }),
    trust: optional(
      Type.Enum(['trusted', 'sandboxed'], {
        default: 'sandboxed',
        description: 'trusted: runs in the process of the gateway.',
      }),
    ),
    require_signature: optional(
      Type.Boolean({ default: false, description: 'Whether an unsigned plugin is refused.' }),
    ),
  },
  'One folder of extra plugins.',
);

const signingKey = closed(
  {
    kid: optional(Type.String({ minLength: 1, description: 'Key id.' })),
    kty: Type.Literal('OKP'),
    crv: Type.Literal('Ed25519'),
    x: Type.String({
      pattern: '^[A-Za-z0-9_-]{43}$',
      accepts: 'the 32 bytes of the public key in base64url',
      description: 'Public key.',
    }),
  },
  'A public key as JWK (RFC 8037).',
);

export type ListedEntry = string | { readonly plugin: string; readonly config?: JsonObject };

/** A plugin by name, or with its config. One schema with two types says more in a refusal than a union would. */
const listed = Type.Unsafe<ListedEntry>({
  type: ['string', 'object'],
  pattern: unitPattern,
  accepts: `${unitName}, or a mapping with plugin and config`,
  properties: {
    plugin: { type: 'string', pattern: unitPattern, accepts: unitName, description: 'Name of the plugin.' },
    config: {
      type: 'object',
      description: "The plugin's config; given at most once, whatever number of phases lists it.",
    },
  },
  required: ['plugin'],
  additionalProperties: false,
});

const phases = Type.Unsafe<Readonly<Partial<Record<PhaseName, readonly ListedEntry[]>>>>(
  closed(
    Object.fromEntries(
      phaseNames.map((phase) => [
        phase,
        optional(Type.Array(listed, { description: `The plugins of ${phase}, in run order.` })),
      ]),
    ),
    'Plugins by phase; a phase given here replaces the default list of that phase.',
  ),
);

const provider = Type.Unsafe<SavedProviderEntry>({
  type: 'object',
  description: 'Credentials and settings of one provider under a name of your own.',
  properties: {
    provider: { type: 'string', pattern: unitPattern, accepts: unitName, description: 'The provider that it is for.' },
    custom_host: {
      type: 'string',
      pattern: '^https?://\\S+$',
      accepts: 'an http or https URL',
      description: "Replaces the provider's base URL.",
    },
    models: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      uniqueItems: true,
      description: 'Models that it serves; absent: all.',
    },
  },
  required: ['provider'],
  propertyNames: { pattern: '^[a-z][a-z0-9_]*$', accepts: 'the snake_case name of a setting' },
  additionalProperties: {
    type: ['string', 'number', 'boolean', 'object', 'array'],
    description: "One of the provider's own settings, by its snake_case name.",
  },
});

interface SavedProviderEntry {
  readonly provider: string;
  readonly custom_host?: string;
  readonly models?: readonly string[];
  readonly [setting: string]: unknown;
}

function defaultGuardrails(description: string) {
  const names = () => optional(Type.Array(name('A guardrail of this file.'), { maxItems: 100, uniqueItems: true }));
  return closed({ input: names(), output: names() }, description);
}

const guardrail = closed(
  {
    checks: Type.Array(free('A check: `{ id, parameters }`.'), { minItems: 1, maxItems: 100 }),
    actions: optional(free('What its verdict means: deny, async, sequential, on_fail, on_success and more.')),
  },
  'One guardrail, in the form of the API.',
);

const key = closed(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'Stands in logs in place of the key.' }),
    sha256: Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      accepts: '64 hexadecimal digits, as printed by `portcullis keys hash`',
      description: 'SHA-256 of the key; `portcullis keys hash` prints it.',
    }),
    config: optional(name('The config that serves when the request brings none.')),
    metadata: optional(
      Type.Unsafe<Readonly<Record<string, string>>>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: "Defaults for the request's metadata.",
      }),
    ),
    guardrails: optional(defaultGuardrails('Guardrails that run on each of its requests.')),
    key: optional(
      Type.Never({
        'x-refused': 'is refused, for keys are never stored: run `portcullis keys hash` and write its output as sha256',
      }),
    ),
  },
  'One API key of the gateway.',
);

interface GuardrailOfFile {
  readonly checks: readonly JsonObject[];
  readonly actions?: JsonObject;
}

function named<T>(schema: object, what: string, description: string) {
  return Type.Unsafe<Readonly<Record<string, T>>>({
    type: 'object',
    description,
    propertyNames: { pattern: slug, accepts: `${what} of letters, digits, dots, dashes and underscores` },
    additionalProperties: schema,
  });
}

/** The operator's file, portcullis.yaml. */
export const fileSchema = closed(
  {
    server: optional(server),
    log: optional(closed({ level: optional(fields.logLevel) }, 'The log.')),
    plugins: optional(
      closed(
        {
          folders: optional(Type.Array(folder, { description: 'Folders of extra plugins and providers.' })),
          signing_keys: optional(Type.Array(signingKey, { description: 'Public keys whose signatures are accepted.' })),
        },
        'Extra plugins.',
      ),
    ),
    phases: optional(phases),
    limits: optional(
      closed(
        { when_redis_away: optional(fields.limitsWhenRedisAway), redis_timeout: optional(fields.limitsRedisMs) },
        'How limits are counted by several processes. A variable of the environment beats what stands here.',
      ),
    ),
    logs: optional(closed(logsSection, 'The logs of requests. A variable of the environment beats what stands here.')),
    ledger: optional(
      closed(
        { ask_usage: optional(fields.ledgerAskUsage), on_disconnect: optional(fields.ledgerOnDisconnect) },
        'How the tokens of requests are counted. A variable of the environment beats what stands here.',
      ),
    ),
    control: optional(
      closed(
        {
          plugins: optional(
            Type.Array(Type.String({ pattern: unitPattern, accepts: unitName }), {
              minItems: 1,
              uniqueItems: true,
              description:
                'Plugins that bring its resources, in the order of their set-up; replaces the standard list.',
            }),
          ),
        },
        'The control plane.',
      ),
    ),
    providers: optional(named<SavedProviderEntry>(provider, 'a slug', 'Saved providers by slug.')),
    configs: optional(
      named<JsonObject>(free('A routing config, as in x-gw-config.'), 'a name', 'Routing configs by name.'),
    ),
    guardrails: optional(named<GuardrailOfFile>(guardrail, 'a name', 'Guardrails by name, for configs and defaults.')),
    guardrail_credentials: optional(
      named<JsonObject>(
        free("What the vendor asks for, by the names of the unit's schema."),
        'a guardrail unit',
        'Credentials of guardrail units, by the name of the unit.',
      ),
    ),
    default_guardrails: optional(
      defaultGuardrails('Guardrails that run on every request of callers who belong to no organisation.'),
    ),
    default_config: optional(name('The config that serves when neither the request nor its key names one.')),
    keys: optional(Type.Array(key, { description: 'API keys of the gateway.' })),
  },
  'The file of the operator of a Portcullis gateway.',
);

export type OperatorFile = Static<typeof fileSchema>;
