import { schema, secret, setting } from 'portcullis/sdk';

const optional = schema.Optional;

export const settings = schema.Object({
  apiKey: optional(
    secret({ description: 'An OAuth access token, or an API key of the express mode (AIza..., AQ....).' }),
  ),
  /** Text, or in configs the object itself. */
  vertexServiceAccountJson: optional(
    schema.Unsafe<string | object>({
      type: ['string', 'object'],
      minLength: 1,
      maxLength: 65_536,
      description: 'The key file of a service account: its text, or its JSON.',
      'x-secret': true,
    }),
  ),
  vertexProjectId: optional(
    setting({
      env: 'GOOGLE_CLOUD_PROJECT',
      pattern: '^[a-z0-9][a-z0-9.:-]{3,80}$',
      description: 'Id or number of the project. Default: the project of the service account.',
    }),
  ),
  vertexRegion: setting({
    env: 'GOOGLE_CLOUD_LOCATION',
    pattern: '^[a-z][a-z0-9-]{1,40}$',
    default: 'us-central1',
    description: 'A region, the multi-region us or eu, or global.',
  }),
  vertexStorageBucketName: optional(
    setting({
      kept: 'given',
      pattern: '^(gs://)?[a-z0-9][a-z0-9._-]{1,220}(/[A-Za-z0-9._/-]*)?$',
      description: 'Where uploaded files go: a bucket, or a folder in one.',
    }),
  ),
  anthropicBeta: optional(
    setting({ header: 'anthropic-beta', description: 'Beta features of Claude, comma separated.' }),
  ),
  providerFileName: optional(
    setting({ pattern: '^[^\\u0000-\\u001f]+$', description: 'The name of an uploaded file.' }),
  ),
  providerBatchEndpoint: optional(
    setting({ description: 'What the lines of an uploaded file are for that name no url: /v1/chat/completions.' }),
  ),
  providerModel: optional(setting({ description: 'The model that the lines of an uploaded file are for.' })),
});
