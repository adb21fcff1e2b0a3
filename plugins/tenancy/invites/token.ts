import { type ControlHost, GatewayError, type Operation, type StoredRecord } from 'portcullis/sdk';

/** How long an invitation stands: 7 days. */
export const lifetimeMs = 7 * 86_400_000;
const randomLength = 35;
const checksumLength = 8;

interface TokenRow {
  readonly digest: string;
  readonly organisation_id: string;
  readonly invite_id: string;
}

/**
 * Makes the token of an invitation and gives the link with it; of the token only the digest is kept.
 * @throws GatewayError `conflict` while another invitation of the address is open
 */
export async function issueLink(
  { db, digest, checksum, now }: Operation,
  invite: { readonly id: string; readonly organisation_id: string; readonly email: string },
  host: Pick<ControlHost, 'publicUrl' | 'randomText'>,
): Promise<string> {
  const random = host.randomText(randomLength);
  const token = random + checksum(random);
  const { id, organisation_id, email } = invite;
  const row = { digest: digest(token), organisation_id, invite_id: id, email, expires_at: now + lifetimeMs };
  await db('invite_tokens').where({ organisation_id, email }).andWhere('expires_at', '<=', now).delete();
  await db('invite_tokens').insert(row).onConflict(['organisation_id', 'email']).ignore();
  const kept = await db('invite_tokens').where({ organisation_id, email }).first('invite_id');
  if (kept?.invite_id !== id)
    throw new GatewayError('conflict', `There is a pending invitation for ${email} already; it can be sent again.`, {
      param: 'email',
    });
  return `${host.publicUrl}/invite?token=${token}`;
}

/** Takes the token out of use. */
export async function revokeToken({ db }: Operation, { id, organisation_id }: StoredRecord): Promise<void> {
  await db('invite_tokens').where({ organisation_id, invite_id: id }).delete();
}

/** Whether the token was ever issued here: what strangers make up costs the store nothing. @throws GatewayError `not_found` */
export function demandIssued({ checksum }: Pick<Operation, 'checksum'>, token: string): void {
  if (checksum(token.slice(0, -checksumLength)) !== token.slice(-checksumLength)) throw unknownInvite();
}

function unknownInvite(): GatewayError {
  return new GatewayError(
    'not_found',
    'The invitation is unknown, has been used or cancelled, or is older than 7 days: ask for a new one.',
    { param: 'token' },
  );
}

/** The invitation that the token opens; it opens it once. @throws GatewayError `not_found` */
export async function claimToken({ db, digest, now }: Operation, token: string): Promise<TokenRow> {
  const row: TokenRow | undefined = await db('invite_tokens')
    .where('digest', digest(token))
    .andWhere('expires_at', '>', now)
    .first();
  if (row === undefined) throw unknownInvite();
  // Of two who come at once, one finds it gone.
  const taken = await db('invite_tokens').where('digest', row.digest).delete();
  if (taken !== 1) throw unknownInvite();
  return row;
}
