import type { Operation, Reaction, StoredRecord } from 'portcullis/sdk';
import { endSessions } from './live.ts';
import { checkPassword } from './password/rules.ts';
import type { Passwords } from './password/scrypt.ts';
import { credentialOfUser, normalEmail, setPassword } from './people.ts';

/** Keeps what log-ins are found by in step with organisations and users. */
export function reactions(passwords: Passwords): Readonly<Record<string, Reaction>> {
  return {
    'organisations.created': async ({ db }, { id, slug, created_at }) => {
      await db('login_organisations').insert({ id, slug, created_at });
    },
    'organisations.updated': async ({ db }, { id, slug }) => {
      await db('login_organisations').where({ id }).update({ slug });
    },
    'organisations.removed': async ({ db }, { id }) => {
      await db('login_organisations').where({ id }).delete();
      for (const table of ['sessions', 'credentials', 'one_time_tokens', 'oidc_states']) {
        await db(table).where('organisation_id', id).delete();
      }
    },
    'users.created': async (operation, user) => {
      const email = normalEmail(user.email);
      const { db } = operation;
      await freeAddress(operation, user, email);
      const password = await ownPassword(operation, email);
      await db('credentials').insert({
        user_id: user.id,
        organisation_id: user.organisation_id,
        email,
        status: user.status,
        password,
        password_at: password === null ? null : operation.now,
        created_at: user.created_at,
      });
    },
    'users.updated': async (operation, user) => {
      const { id, status } = user;
      const email = normalEmail(user.email);
      await freeAddress(operation, user, email);
      await operation.db('credentials').where('user_id', id).update({ email, status });
      if (status !== 'active') await leave(operation, user);
    },
    'users.removed': async (operation, user) => {
      // Kept without a password: a single sign-on must not let in again who was put out.
      await operation.db('credentials').where('user_id', user.id).update({ status: 'archived', password: null });
      await leave(operation, user);
    },
    'users.password': async (operation, user, { password }) => {
      checkPassword(String(password), normalEmail(user.email));
      await setPassword(operation, user.id, await passwords.hash(String(password)));
    },
  };
}

/** An address may be that of somebody who has left, under another id. */
async function freeAddress({ db }: Operation, { id, organisation_id }: StoredRecord, email: string): Promise<void> {
  await db('credentials')
    .where({ organisation_id, email })
    .andWhereNot('status', 'active')
    .andWhereNot('user_id', id)
    .delete();
}

async function leave(operation: Operation, { id, organisation_id }: StoredRecord): Promise<void> {
  await operation.db('one_time_tokens').where('user_id', id).delete();
  await endSessions(operation, organisation_id, id);
}

/** Who founds another organisation from a session belongs to it with the same password. */
async function ownPassword(operation: Operation, email: string): Promise<string | null> {
  const { sessionId, userId } = operation.access;
  if (sessionId === undefined || userId === undefined) return null;
  const own = await credentialOfUser(operation, userId);
  return own?.email === email && own.status === 'active' ? own.password : null;
}
