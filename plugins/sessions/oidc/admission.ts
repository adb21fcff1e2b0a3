import { asObject, asObjects, type JsonObject, type Operation, type StoredRecord } from 'portcullis/sdk';
import type { Credential } from '../people.ts';

/** Who the provider says is there. */
export interface Claimed {
  /** Lower case; undefined: the provider names none, or does not vouch for it. */
  readonly email: string | undefined;
  readonly firstName: string | undefined;
  readonly lastName: string | undefined;
}

export function claimedOf(claims: JsonObject): Claimed {
  const text = (name: string) => {
    const value = claims[name];
    return typeof value === 'string' && value !== '' ? value.slice(0, 255) : undefined;
  };
  const email = text('email')?.trim().toLowerCase();
  const vouched = claims.email_verified === true && email !== undefined && /^[^\s@]+@[^\s@]+$/.test(email);
  return { email: vouched ? email : undefined, firstName: text('given_name'), lastName: text('family_name') };
}

type Person = Pick<Credential, 'user_id' | 'organisation_id' | 'email'>;

/** The person who may come in, made a member where there was none; or why not. */
export async function admit(
  own: Operation,
  organisationId: string,
  { email, firstName, lastName }: Claimed,
): Promise<Person | { readonly refused: string }> {
  const scope = { organisationId };
  if (email === undefined) return { refused: 'The sign-on provider names no verified e-mail address.' };
  const organisation = await own.records('organisations').find(scope, organisationId);
  if (organisation === undefined || !hasDomain(organisation, email)) {
    return { refused: 'The domain of the e-mail address is not a verified one of the organisation.' };
  }
  const known: Credential | undefined = await own
    .db('credentials')
    .where({ organisation_id: organisationId, email })
    .first('user_id', 'organisation_id', 'email', 'status', 'password');
  if (known !== undefined) {
    return known.status === 'active' ? known : { refused: 'This person has been removed from the organisation.' };
  }
  if (provisionsNobody(organisation)) return { refused: 'The organisation lets in only people whom it has invited.' };
  const user = await own.records('users').create(scope, {
    email,
    role: 'member',
    ...(firstName === undefined ? {} : { first_name: firstName }),
    ...(lastName === undefined ? {} : { last_name: lastName }),
  });
  return { user_id: user.id, organisation_id: organisationId, email };
}

/** Whether the organisation has proven that the address's domain is its own. */
export function hasDomain({ auth_settings }: Readonly<Record<string, unknown>>, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  return asObjects(asObject(auth_settings)?.domains).some((own) => {
    if (own.verified !== true || typeof own.domain !== 'string' || own.domain === '') return false;
    const name = own.domain.toLowerCase();
    return domain === name || (own.allow_subdomains === true && domain.endsWith(`.${name}`));
  });
}

function provisionsNobody({ settings, auth_settings }: StoredRecord): boolean {
  return [settings, auth_settings].some((section) => {
    const value = asObject(section)?.disable_auto_provision_user;
    return value === true || value === 1;
  });
}
