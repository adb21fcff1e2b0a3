import { timingSafeEqual } from 'node:crypto';
import { GatewayError, type Operation } from 'portcullis/sdk';
import type { ExportRecord } from './table.ts';

const validMs = 15 * 60_000;

type Signer = Pick<Operation, 'digest'>;

/** The address at which the file can be had for 15 minutes, by whoever knows it. */
export function signedUrl(operation: Operation, publicUrl: string, { id, organisation_id }: ExportRecord): string {
  const expires = String(operation.now + validMs);
  const query = new URLSearchParams({
    organisation: organisation_id,
    expires,
    signature: signatureOf(operation, organisation_id, id, expires),
  });
  const base = publicUrl === '' ? `http://${operation.header('host') ?? 'localhost'}` : publicUrl;
  return `${base}/v1/logs/exports/${id}/file?${query}`;
}

/** The organisation that a signed address belongs to. @throws GatewayError `forbidden` when it is forged or too old */
export function signedOrganisation({ params, query, now, digest }: Operation): string {
  const { organisation = '', expires = '', signature = '' } = query;
  const right = Buffer.from(signatureOf({ digest }, organisation, params.id ?? '', expires));
  const given = Buffer.from(signature);
  if (given.length === right.length && timingSafeEqual(given, right) && Number(expires) > now) return organisation;
  throw new GatewayError('forbidden', 'This address is not valid, or no longer: ask for the download again.');
}

/** No secret of a key has this form. */
function signatureOf({ digest }: Signer, organisationId: string, id: string, expires: string): string {
  return digest(`log-export\n${organisationId}\n${id}\n${expires}`);
}
