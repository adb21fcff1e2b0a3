import { type Json, schema } from 'portcullis/sdk';
import type { Static } from 'typebox';

// Every description completes the sentence "<path> must be ...": it is what a caller reads when the field is at fault.

const closed = { additionalProperties: false } as const;
const text = schema.String({ minLength: 1, maxLength: 65_536, description: 'a string that is not empty' });
const flag = schema.Boolean({ description: 'true or false' });
const free = schema.Unsafe<{ readonly [key: string]: Json }>({
  type: 'object',
  description: 'an object',
});
const statuses = schema.Array(
  schema.Integer({ minimum: 100, maximum: 599, description: 'an HTTP status from 100 to 599' }),
  {
    minItems: 1,
    maxItems: 500,
    description: 'a list of at least one HTTP status',
  },
);
const hooks = schema.Array(schema.Union([text, free], { description: 'the id of a saved one, or an object' }), {
  maxItems: 100,
  description: 'a list of ids or objects, 100 at most',
});

const sticky = schema.Object(
  {
    enabled: schema.Optional(flag),
    hash_fields: schema.Array(text, {
      minItems: 1,
      maxItems: 20,
      description: 'a list of at least one field, such as `metadata.user_id`',
    }),
    ttl: schema.Optional(
      schema.Integer({ minimum: 1, maximum: 31_536_000, description: 'a whole number of seconds from 1 to 31536000' }),
    ),
  },
  { ...closed, description: 'an object with hash_fields and ttl' },
);

const breaker = schema.Object(
  {
    failure_threshold: schema.Optional(
      schema.Integer({ minimum: 1, maximum: 1_000_000, description: 'a whole number of failures from 1' }),
    ),
    failure_threshold_percentage: schema.Optional(
      schema.Number({ exclusiveMinimum: 0, maximum: 100, description: 'a percentage above 0, 100 at most' }),
    ),
    minimum_requests: schema.Optional(
      schema.Integer({ minimum: 1, maximum: 1_000_000, description: 'a whole number of requests from 1' }),
    ),
    cooldown_interval: schema.Optional(
      schema.Integer({
        minimum: 30_000,
        maximum: 86_400_000,
        description: 'a whole number of milliseconds from 30000 to 86400000',
      }),
    ),
    failure_status_codes: schema.Optional(statuses),
  },
  { ...closed, description: 'an object with failure_threshold or failure_threshold_percentage' },
);

const condition = schema.Object(
  // biome-ignore lint/suspicious/noThenProperty: the word of the config format; a schema is never awaited
  { query: free, then: text },
  { ...closed, description: 'an object with query and then' },
);

export const strategyModes = ['single', 'fallback', 'loadbalance', 'conditional'] as const;

const strategy = schema.Object(
  {
    mode: schema.Enum(strategyModes, { description: `one of ${strategyModes.join(', ')}` }),
    on_status_codes: schema.Optional(statuses),
    conditions: schema.Optional(
      schema.Array(condition, {
        minItems: 1,
        maxItems: 1000,
        description: 'a list of 1 to 1000 objects with query and then',
      }),
    ),
    default: schema.Optional(text),
    sticky: schema.Optional(sticky),
    sticky_session: schema.Optional(sticky),
    cb_config: schema.Optional(breaker),
  },
  { ...closed, description: `an object with a mode: ${strategyModes.join(', ')}` },
);

const retry = schema.Object(
  {
    attempts: schema.Integer({ minimum: 0, maximum: 5, description: 'a whole number from 0 to 5' }),
    on_status_codes: schema.Optional(statuses),
    use_retry_after_header: schema.Optional(flag),
    use_retry_after_headers: schema.Optional(flag),
  },
  { ...closed, description: 'an object with attempts' },
);

const cacheMode = schema.Enum(['simple', 'semantic'], { description: '"simple" or "semantic"' });
const cache = schema.Union(
  [
    cacheMode,
    schema.Object(
      {
        mode: cacheMode,
        max_age: schema.Optional(
          schema.Integer({
            minimum: 60,
            maximum: 7_776_000,
            description: 'a whole number of seconds from 60 to 7776000',
          }),
        ),
      },
      closed,
    ),
  ],
  { description: '"simple", "semantic" or an object with mode and max_age' },
);

const deployment = schema.Object(
  {
    deployment_id: text,
    alias: schema.Optional(text),
    api_version: schema.Optional(text),
    model: schema.Optional(text),
    is_default: schema.Optional(flag),
  },
  { ...closed, description: 'an object with deployment_id, alias, api_version, model and is_default' },
);

const fields = {
  strategy: schema.Optional(strategy),
  name: schema.Optional(text),
  weight: schema.Optional(schema.Number({ minimum: 0, maximum: 1e9, description: 'a number from 0 to 1000000000' })),
  index: schema.Optional(schema.Integer({ minimum: 0, maximum: 1_000_000, description: 'a whole number from 0' })),
  provider: schema.Optional(text),
  api_key: schema.Optional(text),
  virtual_key: schema.Optional(text),
  retry: schema.Optional(retry),
  cache: schema.Optional(cache),
  // Above 2^31-1 a timer would fire at once.
  request_timeout: schema.Optional(
    schema.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'a whole number of milliseconds from 1 to 2147483647',
    }),
  ),
  custom_host: schema.Optional(text),
  forward_headers: schema.Optional(
    schema.Array(
      schema.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$", description: 'the name of a header' }),
      {
        maxItems: 100,
        description: 'a list of header names, 100 at most',
      },
    ),
  ),
  strict_open_ai_compliance: schema.Optional(flag),
  override_params: schema.Optional(free),
  default_params: schema.Optional(free),
  drop_params: schema.Optional(
    schema.Array(text, {
      maxItems: 1000,
      description: 'a list of parameter paths, such as `metadata.trace` or `tools[*].strict`',
    }),
  ),
  passthrough: schema.Optional(schema.Literal(true, { description: 'true, or left out' })),
  prompt_id: schema.Optional(text),
  before_request_hooks: schema.Optional(hooks),
  after_request_hooks: schema.Optional(hooks),
  input_guardrails: schema.Optional(hooks),
  output_guardrails: schema.Optional(hooks),
  input_mutators: schema.Optional(hooks),
  output_mutators: schema.Optional(hooks),
  default_input_guardrails: schema.Optional(hooks),
  default_output_guardrails: schema.Optional(hooks),
  fetch_integrated_models: schema.Optional(flag),
  deployments: schema.Optional(
    schema.Array(deployment, { minItems: 1, maxItems: 1000, description: 'a list of at least one deployment' }),
  ),
} as const;

const targetsDescription = 'a list of at least one target';

/** One node of a config; its targets are checked one by one, and so are the settings of providers that it may hold. */
export const nodeSchema = schema.Object(
  {
    ...fields,
    targets: schema.Optional(schema.Array(schema.Unknown(), { minItems: 1, description: targetsDescription })),
  },
  { description: 'an object' },
);

/** The config's own keys; others are settings of providers. */
export const fieldNames: ReadonlySet<string> = new Set(Object.keys(nodeSchema.properties));

/** A node whose fields have passed `nodeSchema`. */
export type NodeConfig = Static<typeof nodeSchema>;
export type StrategyConfig = NonNullable<NodeConfig['strategy']>;

/** The whole config as one recursive JSON Schema, for documents and editors; provider settings are its additional properties. */
export const configSchema = schema.Cyclic(
  {
    Config: schema.Object({
      ...fields,
      targets: schema.Optional(schema.Array(schema.Ref('Config'), { minItems: 1, description: targetsDescription })),
    }),
  },
  'Config',
);
