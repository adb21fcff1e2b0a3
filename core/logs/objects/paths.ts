import type { LogRow } from 'portcullis/sdk';
import type { ObjectSettings } from '../settings.ts';

type Placed = Pick<LogRow, 'organisationId' | 'id' | 'createdAt'>;

/**
 * The path of a request's bodies in the bucket: v1 `<base>/<organisation>/<id>.json`, v2 with `yyyy/mm/dd/hh` of UTC
 * between the organisation and the id.
 */
export function objectPath({ organisationId, id, createdAt }: Placed, format: 'v1' | 'v2', basePath: string): string {
  const hour = format === 'v1' ? [] : new Date(createdAt).toISOString().slice(0, 13).split(/[-T]/);
  const names = [organisationId, ...hour, `${id}.json`].map(plain);
  return [...(basePath === '' ? [] : [basePath]), ...names].join('/');
}

/** The URL of the bucket, with a slash at its end. */
export function bucketUrl({ endpoint, bucket, region }: ObjectSettings): string {
  if (endpoint !== undefined) return `${endpoint.replace(/\/+$/, '')}/${bucket}/`;
  return `https://${bucket}.s3.${region}.amazonaws.com/`;
}

/** Letters, digits, `-`, `.`, `_`: what else there is becomes `~` and its bytes, for signers disagree on how it is encoded. */
function plain(name: string): string {
  const encoded = encodeURIComponent(name).replace(
    /[!'()*~]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return encoded.replaceAll('%', '~');
}
