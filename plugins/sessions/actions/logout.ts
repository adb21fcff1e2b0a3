import { type Action, GatewayError, type Operation, schema } from 'portcullis/sdk';
import { note } from '../journal.ts';
import { endSessions } from '../live.ts';
import type { Parts } from '../parts.ts';
import { credentialOfUser } from '../people.ts';
import { emptyReply, loggedOut } from '../replies.ts';

export function logout({ host }: Parts): readonly Action[] {
  const leave =
    (all: boolean): Action['run'] =>
    async (operation) => {
      const { userId, sessionId } = sessionOf(operation);
      const { organisationId } = operation.access;
      const ended = await endSessions(operation, organisationId, userId, all ? {} : { only: sessionId });
      const email = (await credentialOfUser(operation, userId))?.email ?? '';
      const who = { organisation_id: organisationId, user_id: userId, email };
      await note(operation, operation, who, { action: 'logout', resourceId: sessionId, detail: { sessions: ended } });
      return loggedOut(host.publicUrl);
    };
  const route = (path: string, summary: string, all: boolean): Action => ({
    method: 'post',
    path,
    summary,
    needs: 'session',
    reply: emptyReply,
    audited: false,
    run: leave(all),
  });
  return [
    route('/auth/logout', 'End the session', false),
    route('/auth/logout-all', 'End all sessions of the person', true),
    {
      method: 'post',
      path: '/users/:id/revoke-sessions',
      admin: true,
      summary: 'End all sessions of a user',
      needs: ['organisation_users.update'],
      in: 'organisation',
      of: 'users',
      reply: schema.Object({ revoked: schema.Integer() }),
      run: async (operation, user) => {
        const revoked = await endSessions(operation, operation.access.organisationId, user?.id ?? '');
        operation.audit({ revoked });
        return { revoked };
      },
    },
  ];
}

/** @throws GatewayError `forbidden` for a token: it was not given by a log-in, and cannot act on any */
export function sessionOf({ access }: Operation): { readonly userId: string; readonly sessionId: string } {
  const { userId, sessionId } = access;
  if (userId !== undefined && sessionId !== undefined) return { userId, sessionId };
  throw new GatewayError('forbidden', 'This is for sessions of people who have logged in; a token has none.');
}
