import { type Access, GatewayError, scopesOfKeyType, scopesOfOrganisationRole } from 'portcullis/sdk';

/** What an admin may do that a key of the organisation can hold. */
const ofAdmins: readonly string[] = [...scopesOfOrganisationRole('admin', {})].filter((scope) =>
  scopesOfKeyType('organisation-service').has(scope),
);

/**
 * Nobody grants more than they have: a key without a person behind it makes an admin, or says whose tokens are believed,
 * only when it holds all that an admin may do.
 */
export function demandReachOfAdmins({ userId, keyId, scopesIn }: Access, param: string): void {
  if (userId !== undefined || keyId === undefined) return;
  const held = scopesIn(undefined);
  const missing = ofAdmins.filter((scope) => !held.has(scope));
  if (missing.length === 0) return;
  throw new GatewayError(
    'forbidden',
    `This would grant all that an admin may do, and the key lacks ${missing.length} of those permissions, such as ${missing[0]}.`,
    { param },
  );
}
