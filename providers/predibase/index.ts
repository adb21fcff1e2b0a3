import { type CallFacts, GatewayError, type JsonObject, omit, provider, schema, secret, setting } from 'portcullis/sdk';

/**
 * Source: https://docs.predibase.com/user-guide/inference/migrate-openai and, for the server behind it,
 * https://github.com/predibase/lorax (docs/reference/openai_api.md, router/src/lib.rs).
 * A model is `DEPLOYMENT` or `DEPLOYMENT:ADAPTER`, such as `qwen3-8b:my-adapter/1`.
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'PREDIBASE_API_TOKEN' }),
    predibaseTenantId: setting({
      env: 'PREDIBASE_TENANT_ID',
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$',
      description: 'The short code of the tenant, from the settings page.',
    }),
  }),
  base: 'https://serving.app.predibase.com/{predibaseTenantId}/deployments/v2/llms',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: (facts) => `/${segmentOf(facts)}/v1/chat/completions`,
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      // The server's only use of this word is for a stop sequence that was met.
      finishReasons: { content_filter: 'stop' },
      streamUsage: 'always',
      request: withAdapter,
      repair: withoutNull,
    },
    proxy: { path: '' },
  },
});

/** The deployment, which the path names. */
function segmentOf({ model }: CallFacts): string {
  const [deployment = ''] = model.split(':', 1);
  // Encoding leaves dots alone, and servers take a segment of them for a step up.
  if (/^\.*$/.test(deployment))
    throw new GatewayError('bad_request', 'model must begin with the name of a deployment.', { param: 'model' });
  return encodeURIComponent(deployment.toWellFormed());
}

/** The body names the adapter, or nothing for the base model; and `stop` is always a list. */
function withAdapter(body: JsonObject, { model }: CallFacts): JsonObject {
  const colon = model.indexOf(':');
  const adapter = colon === -1 ? '' : model.slice(colon + 1);
  return { ...body, model: adapter, ...(typeof body.stop === 'string' ? { stop: [body.stop] } : {}) };
}

/** Replies that do not know their id and model call both "null", and name the start of 1970. */
function withoutNull(json: JsonObject): JsonObject {
  const unknown = ['id', 'model', 'created'].filter((name) => json[name] === 'null' || json[name] === 0);
  return unknown.length === 0 ? json : omit(json, new Set(unknown));
}
