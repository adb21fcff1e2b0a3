import { schema, secret, setting } from '../../schema.ts';
import { regionPattern } from './hosts.ts';

export const awsAuthTypes = ['accessKey', 'assumedRole', 'apiKey', 'machine', 'workload'] as const;

/** Settings of every provider on AWS. Keys have no environment variable of their own: they belong together, see `machine`. */
export const awsSettings = {
  awsRegion: setting({ env: 'AWS_REGION', pattern: regionPattern, default: 'us-east-1', description: 'us-east-1' }),
  awsAuthType: schema.Optional(
    schema.Union(
      awsAuthTypes.map((type) => schema.Literal(type)),
      { description: 'Default: by what is given; without any key the identity of the machine.' },
    ),
  ),
  awsAccessKeyId: schema.Optional(secret({ description: 'Of the caller, or of whoever may assume the role.' })),
  awsSecretAccessKey: schema.Optional(secret()),
  awsSessionToken: schema.Optional(secret({ description: 'Of temporary keys.' })),
  awsRoleArn: schema.Optional(
    setting({
      kept: 'always',
      pattern: '^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9_+=,.@/-]{1,576}$',
      description:
        'The role to assume, with the auth type assumedRole or on top of the machine; the role of jobs, too.',
    }),
  ),
  awsExternalId: schema.Optional(setting({ pattern: '^[A-Za-z0-9_+=,.@:/-]{2,1224}$' })),
  awsRoleSessionName: setting({ pattern: '^[A-Za-z0-9_+=,.@-]{2,64}$', default: 'portcullis' }),
  awsSessionTags: schema.Optional(
    setting({
      pattern: '^[^=,]{1,128}=[^=,]{0,256}(,[^=,]{1,128}=[^=,]{0,256}){0,49}$',
      description: 'Tags of the role session: team=search,stage=live.',
    }),
  ),
};
