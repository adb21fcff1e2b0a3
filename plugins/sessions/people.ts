import type { Operation } from 'portcullis/sdk';

/** How a person is found by e-mail, in one organisation. The address is lower case. */
export interface Credential {
  readonly user_id: string;
  readonly organisation_id: string;
  readonly email: string;
  /** Of the user: who is archived is refused. */
  readonly status: string;
  readonly password: string | null;
}

const columns = ['user_id', 'organisation_id', 'email', 'status', 'password'] as const;

export function normalEmail(text: unknown): string {
  return String(text).trim().toLowerCase();
}

/** The organisation by its id or slug; without a name the oldest one. */
export async function organisationNamed({ db }: Operation, named: string | undefined): Promise<string | undefined> {
  const rows = db('login_organisations');
  if (named === undefined) return (await rows.orderBy('created_at').orderBy('id').first('id'))?.id;
  return (await rows.where('id', named).orWhere('slug', named).first('id'))?.id;
}

/** The person's entry in the organisation of that id or slug; without a name the oldest of all. */
export async function credentialOf(
  operation: Operation,
  email: string,
  named: string | undefined,
): Promise<Credential | undefined> {
  const rows = operation.db('credentials').where('email', email);
  if (named === undefined)
    return rows
      .orderBy('created_at')
      .orderBy('user_id')
      .first(...columns);
  const organisationId = await organisationNamed(operation, named);
  return organisationId === undefined ? undefined : rows.andWhere('organisation_id', organisationId).first(...columns);
}

export async function credentialOfUser({ db }: Operation, userId: string): Promise<Credential | undefined> {
  return db('credentials')
    .where('user_id', userId)
    .first(...columns);
}

/** Stores the hash of a password. */
export async function setPassword({ db, now }: Operation, userId: string, password: string): Promise<void> {
  await db('credentials').where('user_id', userId).update({ password, password_at: now });
}
