import { field, type Static, schema, secret, setting } from 'portcullis/sdk';

const authTypes = ['accessKey', 'assumedRole'] as const;

export const credentials = schema.Object(
  {
    awsAccessKeyId: secret({ description: 'Of the caller itself, or of whoever may assume the role.' }),
    awsSecretAccessKey: secret(),
    awsSessionToken: schema.Optional(secret()),
    awsRegion: setting({ pattern: '^[a-z]{2}(-[a-z]+)+-\\d+$', description: 'Where the guardrail is: us-east-1.' }),
    awsAuthType: schema.Optional(field.oneOf(authTypes)),
    awsRoleArn: schema.Optional(setting({ pattern: '^arn:aws[a-z-]*:iam::\\d{12}:role/.+$' })),
    awsExternalId: schema.Optional(setting({ pattern: '^[A-Za-z0-9_+=,.@:/-]+$' })),
  },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
