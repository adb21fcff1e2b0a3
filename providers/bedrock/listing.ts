import { asNumber, unixSeconds } from 'portcullis/sdk';

export interface Listed {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Unix seconds. */
  readonly modified: number;
}

/** The objects of a `ListBucketResult` whose keys are URL-encoded: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
export function listedObjects(xml: string): { readonly objects: readonly Listed[]; readonly more: boolean } {
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, entry = '']) => {
    const key = decoded(tag(entry, 'Key') ?? '');
    if (key === '' || key.endsWith('/')) return [];
    const size = asNumber(Number(tag(entry, 'Size'))) ?? 0;
    return [{ key, size, modified: unixSeconds(tag(entry, 'LastModified')) ?? 0 }];
  });
  return { objects, more: tag(xml, 'IsTruncated') === 'true' };
}

function tag(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', '%20'));
  } catch {
    return key;
  }
}
