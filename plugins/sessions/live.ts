import type { ControlHost, DirectoryLoader, Operation } from 'portcullis/sdk';
import type { Credential } from './people.ts';
import { newToken } from './tokens.ts';

export interface Opened {
  readonly id: string;
  /** In clear: for the one reply that gives it. */
  readonly token: string;
  readonly startedAt: number;
  readonly expiresAt: number;
}

/** Where a log-in came from. */
export interface Client {
  readonly clientIp: string;
  readonly userAgent: string | undefined;
}

export type LoginMethod = 'password' | 'oidc' | 'bootstrap';

export function clientOf(operation: Operation): Client {
  return { clientIp: operation.clientIp, userAgent: operation.header('user-agent') };
}

/** Starts a session; what is stored cannot be used to log in. */
export async function openSession(
  operation: Operation,
  host: Pick<ControlHost, 'randomText'>,
  { user_id, organisation_id }: Pick<Credential, 'user_id' | 'organisation_id'>,
  { method, ttlMs, client }: { readonly method: LoginMethod; readonly ttlMs: number; readonly client: Client },
): Promise<Opened> {
  const { now } = operation;
  const token = newToken('session', host.randomText, operation.checksum);
  const opened = { id: operation.newId(), token, startedAt: now, expiresAt: now + ttlMs };
  await operation.db('sessions').insert({
    id: opened.id,
    organisation_id,
    user_id,
    digest: operation.digest(token),
    method,
    client_ip: client.clientIp.slice(0, 64),
    user_agent: client.userAgent?.slice(0, 255) ?? null,
    started_at: now,
    expires_at: opened.expiresAt,
  });
  return opened;
}

/** Ends sessions of a user, all but one or one alone; they stop everywhere at the next look. Gives how many there were. */
export async function endSessions(
  operation: Operation,
  organisationId: string,
  userId: string,
  which: { readonly only?: string; readonly except?: string } = {},
): Promise<number> {
  const rows = operation.db('sessions').where({ organisation_id: organisationId, user_id: userId });
  if (which.only !== undefined) rows.andWhere('id', which.only);
  if (which.except !== undefined) rows.andWhereNot('id', which.except);
  const ended: number = await rows.delete();
  if (ended > 0) await operation.changed(organisationId);
  return ended;
}

/** A session as the data plane knows it: with its person's place as it is now. */
export const loadSession: DirectoryLoader<'session'> = async (reader, [sha256 = '']) => {
  const row = await reader.db('sessions').where('digest', reader.pepper(sha256)).first();
  if (row === undefined || Number(row.expires_at) <= reader.now) return undefined;
  const member = await reader.load('member', row.organisation_id, row.user_id);
  if (member === undefined) return undefined;
  return {
    id: row.id,
    organisationId: row.organisation_id,
    startedAt: Number(row.started_at),
    expiresAt: Number(row.expires_at),
    member,
  };
};
