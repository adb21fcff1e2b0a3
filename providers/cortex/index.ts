import {
  asObject,
  asString,
  developersAsSystem,
  functionsAsTools,
  type JsonObject,
  provider,
  schema,
  secret,
  setting,
} from 'portcullis/sdk';

/**
 * Source: https://docs.snowflake.com/en/user-guide/snowflake-cortex/cortex-rest-api (its compatibility chart says what is
 * refused) and https://github.com/snowflakedb/snowflake-rest-api-specs (errors). Messages are for Claude models alone.
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'SNOWFLAKE_PAT', description: 'A programmatic access token, OAuth token or key-pair JWT.' }),
    snowflakeAccount: setting({
      pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]{0,200}[A-Za-z0-9])?$',
      description: 'The account identifier: the part of the host before .snowflakecomputing.com.',
    }),
    snowflakeTokenType: schema.Optional(
      setting({
        pattern: '^(PROGRAMMATIC_ACCESS_TOKEN|OAUTH|KEYPAIR_JWT)$',
        description: 'What kind of token the key is. Default: as it looks.',
      }),
    ),
    anthropicVersion: setting({ header: 'anthropic-version', default: '2023-06-01' }),
    anthropicBeta: schema.Optional(
      setting({ header: 'anthropic-beta', description: 'Beta features of messages, comma separated.' }),
    ),
  }),
  base: 'https://{snowflakeAccount}.snowflakecomputing.com/api/v2/cortex/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  headers: ({ settings, endpoint }) => ({
    'x-snowflake-authorization-token-type': asString(settings.snowflakeTokenType),
    'anthropic-version': endpoint === 'messages' ? asString(settings.anthropicVersion) : undefined,
    'anthropic-beta': endpoint === 'messages' ? asString(settings.anthropicBeta) : undefined,
  }),
  endpoints: {
    // Claude models tell no finish reason: their replies are written anew, so that they have one.
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_tokens: 'max_completion_tokens' }, drop: ['service_tier', 'store'] },
      reasoningField: 'reasoning',
      // Developer messages are known to some models alone.
      request: (body) => withReasoning(developersAsSystem(functionsAsTools(body))),
      repair: (json) => json,
    },
    messages: { path: '/messages', dialect: 'messages', params: { drop: ['service_tier'] } },
    proxy: { path: '' },
  },
});

/** Only this form of the effort is read by all models that think. */
function withReasoning(body: JsonObject): JsonObject {
  const { reasoning_effort: effort, ...rest } = body;
  if (typeof effort !== 'string') return body;
  return { ...rest, reasoning: { effort, ...asObject(body.reasoning) } };
}
