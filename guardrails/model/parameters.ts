import { schema } from 'portcullis/sdk';

/** For all parts of a text together. */
export const remote = { timeoutMs: 15_000 } as const;

export const modelParameter = schema.String({
  pattern: '^(@[A-Za-z0-9_-]+|[a-z0-9][a-z0-9-]*)/\\S+$',
  maxLength: 256,
  description: '`@slug/model` of a saved provider, or `provider/model`.',
});

export const notParameter = schema.Boolean({ default: false, description: 'Turns the verdict on each part around.' });
