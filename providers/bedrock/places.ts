import { asString, awsDomain, awsEncoded, GatewayError, type Settings } from 'portcullis/sdk';

/** A URL of the control plane, which is another host than that of the models. */
export function control({ awsRegion }: Settings, path: string): string {
  return `https://bedrock.${awsRegion}.${awsDomain(String(awsRegion))}${path}`;
}

/** An object of S3. */
export interface Place {
  readonly bucket: string;
  readonly key: string;
}

export function bucketOf({ awsS3Bucket }: Settings): string {
  const bucket = asString(awsS3Bucket);
  if (bucket !== undefined) return bucket;
  throw new GatewayError('missing_credentials', 'Files of the provider bedrock need aws_s3_bucket.', {
    param: 'aws_s3_bucket',
  });
}

/** An `s3://` URL that is encoded once, so that it fits into a path: the id of a file. */
export const idOf = ({ bucket, key }: Place): string => encodeURIComponent(uriOf({ bucket, key }).toWellFormed());

export const uriOf = ({ bucket, key }: Place): string => `s3://${bucket}/${key}`;

/**
 * The place of a file's id, encoded or not.
 * @throws GatewayError `bad_request` for what is no such id, `not_found` for another bucket than that of the settings
 */
export function placeOf(id: string, param: string, settings: Settings): Place {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/s.exec(decoded(id)) ?? [];
  if (bucket === undefined || key === undefined || /(^|\/)\.{1,2}(\/|$)/.test(key)) {
    throw new GatewayError('bad_request', `${param} must be the id of a file: an s3:// URL, encoded.`, { param });
  }
  if (bucket !== bucketOf(settings)) {
    throw new GatewayError('not_found', 'There is no such file in the bucket that aws_s3_bucket names.', { param });
  }
  return { bucket, key };
}

/** A folder for what jobs write, in the bucket of the settings as everything else. @throws GatewayError `bad_request` */
export function folderOf(uri: string, param: string, settings: Settings): string {
  const bucket = `s3://${bucketOf(settings)}`;
  if (uri === bucket || uri.startsWith(`${bucket}/`)) return uri;
  throw new GatewayError('bad_request', `${param} must be a place in the bucket that aws_s3_bucket names.`, { param });
}

function decoded(id: string): string {
  if (!/^s3%3a/i.test(id)) return id;
  try {
    return decodeURIComponent(id);
  } catch {
    return '';
  }
}

/** The URL of an object, or of the whole bucket where `key` is ''. */
export function objectUrl({ bucket, key }: Place, { awsRegion }: Settings, query = ''): string {
  const path = key.split('/').map(awsEncoded).join('/');
  return `https://s3.${awsRegion}.${awsDomain(String(awsRegion))}/${bucket}${key === '' ? '' : `/${path}`}${query}`;
}
