import type { Host, JsonObject } from 'portcullis/sdk';
import { SecretFault } from './fault.ts';

/** The ways in that show who the gateway itself is, and so reach whatever it may read. */
const ownForms: readonly Readonly<Record<string, string>>[] = [
  { aws_auth_type: 'serviceRole' },
  { aws_auth_type: 'assumedRole' },
  { azure_auth_mode: 'default' },
  { azure_auth_mode: 'managed' },
];

/**
 * Whoever may make a reference chooses its way in; what the gateway's own identity reads is the operator's to lend.
 * @throws SecretFault `not_allowed`
 */
export function demandLent({ env }: Pick<Host, 'env'>, organisationId: string, auth: JsonObject): void {
  const isOwn = ownForms.some((form) => Object.entries(form).every(([name, value]) => auth[name] === value));
  if (!isOwn) return;
  const lent = (env('SECRET_OWN_IDENTITY_ORGANISATIONS') ?? '').split(',').map((id) => id.trim());
  if (!lent.includes('*') && !lent.includes(organisationId)) throw new SecretFault('not_allowed');
}
