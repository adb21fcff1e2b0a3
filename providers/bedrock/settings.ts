import { awsSettings, schema, secret, setting } from 'portcullis/sdk';

const optional = schema.Optional;

/** A bucket of one's own; it becomes part of URLs. */
const bucket = '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$';
const key = '^[^\\\\\\x00-\\x1f]{1,512}$';

export const settings = schema.Object({
  ...awsSettings,
  apiKey: optional(
    secret({ env: 'AWS_BEARER_TOKEN_BEDROCK', description: 'An API key of Amazon Bedrock, instead of access keys.' }),
  ),
  awsBedrockModel: optional(
    setting({
      description: 'The model behind an ARN that does not tell it, such as an application inference profile.',
    }),
  ),
  awsS3Bucket: optional(
    setting({ kept: 'given', pattern: bucket, description: 'Holds files, and what batches read and write.' }),
  ),
  awsS3ObjectKey: optional(setting({ pattern: key, description: 'Where an uploaded file goes in the bucket.' })),
  awsJobRoleArn: optional(
    setting({
      kept: 'given',
      pattern: '^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9_+=,.@/-]{1,576}$',
      description: 'The role of batches and of fine-tuning jobs. Default: awsRoleArn.',
    }),
  ),
  amzServerSideEncryption: optional(
    schema.Union(['AES256', 'aws:kms', 'aws:kms:dsse'].map((way) => schema.Literal(way))),
  ),
  amzServerSideEncryptionAwsKmsKeyId: optional(setting({ pattern: '^[A-Za-z0-9:/_-]{1,2048}$' })),
  providerFileName: optional(
    setting({
      pattern: key,
      description: 'The name of an uploaded file in the bucket. Default: its own, in a folder of its own.',
    }),
  ),
  providerModel: optional(setting({ description: 'The model that the lines of an uploaded file are for.' })),
  providerBatchEndpoint: optional(
    setting({ description: 'What the lines of an uploaded file ask for: /v1/chat/completions.' }),
  ),
  anthropicBeta: optional(
    setting({ header: 'anthropic-beta', description: 'Beta features of Claude, comma separated.' }),
  ),
});
