import {
  asArray,
  asString,
  compact,
  type FlowTools,
  GatewayError,
  type JsonObject,
  omit,
  provider,
  schema,
  secret,
  setting,
} from 'portcullis/sdk';

/**
 * Source: https://docs.dev.runwayml.com/api and https://github.com/runwayml/sdk-node. Pictures are URLs that last for a day, and
 * so are those to begin with (`referenceImages`). Answers follow the version that a header names.
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'RUNWAYML_API_SECRET' }),
    runwayVersion: schema.Optional(
      setting({ header: 'x-runway-version', pattern: '^\\d{4}-\\d{2}-\\d{2}$', default: '2024-11-06' }),
    ),
  }),
  base: 'https://api.dev.runwayml.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  headers: ({ settings }) => ({ 'x-runway-version': asString(settings.runwayVersion) ?? '2024-11-06' }),
  endpoints: {
    imageGenerate: {
      path: '/text_to_image',
      dialect: 'images',
      flow: async ({ facts, body }, tools) => {
        const { json } = await tools.send({ method: 'POST', url: '/text_to_image', body: inputOf(body, facts.model) });
        const output = await outputOf(json, tools);
        return { status: 200, json: { created: tools.nowSeconds(), data: output.map((url) => ({ url })) } };
      },
    },
    proxy: { path: '' },
  },
});

const read: ReadonlySet<string> = new Set(['model', 'prompt', 'n', 'size', 'response_format', 'user']);

function inputOf(body: JsonObject, model: string): JsonObject {
  if (body.n !== undefined && body.n !== null && Number(body.n) !== 1)
    throw new GatewayError('translation_unsupported', 'n is 1 here: the provider makes one picture a call.', {
      param: 'n',
    });
  const size = asString(body.size);
  return compact({
    model: model || undefined,
    promptText: body.prompt,
    ratio: size === 'auto' ? undefined : size?.replace('x', ':'),
    ...omit(body, read),
  });
}

const waiting: ReadonlySet<string> = new Set(['PENDING', 'THROTTLED', 'RUNNING']);

async function outputOf(created: JsonObject, tools: FlowTools): Promise<readonly string[]> {
  const url = `/tasks/${encodeURIComponent(asString(created.id) ?? '')}`;
  for (;;) {
    const { json: task } = await tools.send({ method: 'GET', url });
    const status = asString(task.status) ?? 'unknown';
    if (status === 'SUCCEEDED') return asArray(task.output).filter((item) => typeof item === 'string');
    if (!waiting.has(status)) {
      const reason = asString(task.failure) || `it ended as ${status}`;
      throw new GatewayError('upstream_error', `The picture was not made: ${reason}`);
    }
    // Its document asks not to be asked more often.
    await tools.pause(5000);
  }
}
