import {
  asObject,
  asObjects,
  asString,
  functionsAsTools,
  type JsonObject,
  omit,
  provider,
  schema,
  secret,
  setting,
} from 'portcullis/sdk';

// Unknown fields are answered with 400, `stream_options` among them; each chunk of a stream tells its usage anyway.
const params = { rename: { max_completion_tokens: 'max_tokens' }, drop: ['stream_options'] } as const;

/**
 * Source: https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/api-reference and
 * https://docs.databricks.com/aws/en/machine-learning/model-serving/score-foundation-models; for the formats of single
 * vendors its neighbours query-anthropic-messages and query-openai-responses. The model is the name of a serving endpoint.
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'DATABRICKS_TOKEN' }),
    databricksWorkspace: setting({
      pattern:
        '^[A-Za-z0-9][A-Za-z0-9-]*(\\.cloud\\.databricks\\.com|\\.[0-9]+\\.(azuredatabricks\\.net|gcp\\.databricks\\.com))?$',
      description: 'The host of the workspace; .cloud.databricks.com may be left out.',
    }),
  }),
  base: ({ databricksWorkspace: workspace }) => `https://${hostOf(String(workspace))}/serving-endpoints`,
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params,
      reasoningField: 'reasoning_content',
      streamUsage: 'always',
      request: (body) => withoutReasoning(functionsAsTools(body)),
      repair: withThinking,
    },
    complete: { path: '/completions', dialect: 'completions', params, streamUsage: 'always' },
    messages: { path: '/anthropic/v1/messages', dialect: 'messages' },
    createModelResponse: { path: '/responses', dialect: 'responses' },
    // Its embeddings know no encoding: the answer is always numbers, so it is encoded here as the client asked.
    embed: {
      path: '/embeddings',
      dialect: 'embeddings',
      params: { drop: ['encoding_format'] },
      repair: (json) => json,
    },
    proxy: { path: '' },
  },
});

function hostOf(workspace: string): string {
  return workspace.includes('.') ? workspace : `${workspace}.cloud.databricks.com`;
}

const reasoning: ReadonlySet<string> = new Set(['reasoning_content']);

/** Messages have no field for thinking: it comes as a part of the content, and goes back only with its signature. */
function withoutReasoning(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  if (!messages.some((message) => message.reasoning_content !== undefined)) return body;
  return { ...body, messages: messages.map((message) => omit(message, reasoning)) };
}

/** Models that think answer with a list, in which thinking is a part with summaries. */
function withThinking(json: JsonObject): JsonObject {
  const choices = asObjects(json.choices);
  const read = choices.map(readable);
  return read.every((choice, index) => choice === choices[index]) ? json : { ...json, choices: read };
}

function readable(choice: JsonObject): JsonObject {
  const field = choice.delta === undefined ? 'message' : 'delta';
  const said = asObject(choice[field]);
  if (said === undefined || !Array.isArray(said.content)) return choice;
  return { ...choice, [field]: { ...said, content: asObjects(said.content).flatMap(readablePart) } };
}

function readablePart(part: JsonObject): readonly JsonObject[] {
  if (part.type !== 'reasoning') return [part];
  return asObjects(part.summary).map(({ text, signature }) => ({
    type: 'thinking',
    thinking: asString(text) ?? '',
    ...(typeof signature === 'string' ? { signature } : {}),
  }));
}
