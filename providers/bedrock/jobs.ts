import { asString, GatewayError, type Json, type JsonObject, pathSegment, type Settings } from 'portcullis/sdk';

/** A name in the characters that jobs may have. */
export function jobName(wanted: Json | undefined, fresh: string): string {
  const name = (asString(wanted) ?? fresh)
    .replace(/[^A-Za-z0-9.+-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  return name.slice(0, 63) || 'job';
}

/** The role that the job itself has: that of the settings, and else the one that the request names. */
export function jobRole(body: JsonObject, { awsJobRoleArn, awsRoleArn }: Settings): string {
  const fixed = asString(awsJobRoleArn);
  const named = asString(body.role_arn);
  if (fixed !== undefined && named !== undefined && named !== fixed) {
    const text = 'role_arn may not be another role than aws_job_role_arn of the settings.';
    throw new GatewayError('forbidden', text, { param: 'role_arn' });
  }
  const role = fixed ?? named ?? asString(awsRoleArn);
  if (role !== undefined) return role;
  throw new GatewayError('missing_credentials', 'Jobs of the provider bedrock need a role: aws_job_role_arn.', {
    param: 'aws_job_role_arn',
  });
}

/** The id of a job, or its ARN, which clients may have encoded. */
export function segment(id: string, param: string): string {
  return pathSegment(/^arn%3a/i.test(id) ? decoded(id, param) : id, param);
}

function decoded(id: string, param: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw new GatewayError('bad_request', `${param} is not encoded as a part of a URL is.`, { param });
  }
}
