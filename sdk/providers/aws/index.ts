export { type AwsAuthOptions, awsAuth } from './auth.ts';
export { awsDomain } from './hosts.ts';
export { awsAuthTypes, awsSettings } from './settings.ts';
export { type AwsKeys, type AwsRequest, type AwsScope, awsEncoded, awsHeaders } from './sign.ts';
