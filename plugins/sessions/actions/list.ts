import { type Action, field, GatewayError, schema } from 'portcullis/sdk';
import { note } from '../journal.ts';
import { endSessions } from '../live.ts';
import { credentialOfUser } from '../people.ts';
import { emptyReply } from '../replies.ts';
import { sessionOf } from './logout.ts';

const mostShown = 100;

export const ownSessions: readonly Action[] = [
  {
    method: 'get',
    path: '/auth/sessions',
    summary: 'List the own sessions',
    needs: 'session',
    reply: schema.Object({
      object: schema.Literal('list'),
      total: schema.Integer(),
      data: schema.Array(
        schema.Object({
          object: schema.Literal('session'),
          id: schema.String(),
          method: schema.String(),
          client_ip: schema.String(),
          user_agent: schema.Unsafe<string | null>({ type: ['string', 'null'] }),
          started_at: field.time(),
          expires_at: field.time(),
          current: schema.Boolean(),
        }),
      ),
    }),
    run: async (operation) => {
      const { userId, sessionId } = sessionOf(operation);
      const { organisationId } = operation.access;
      const rows = await operation
        .db('sessions')
        .where({ organisation_id: organisationId, user_id: userId })
        .andWhere('expires_at', '>', operation.now)
        .orderBy('started_at', 'desc')
        .orderBy('id')
        .limit(mostShown);
      const data = rows.map((row) => ({
        object: 'session',
        id: row.id,
        method: row.method,
        client_ip: row.client_ip,
        user_agent: row.user_agent,
        started_at: operation.time(Number(row.started_at)),
        expires_at: operation.time(Number(row.expires_at)),
        current: row.id === sessionId,
      }));
      return { object: 'list', total: data.length, data };
    },
  },
  {
    method: 'delete',
    path: '/auth/sessions/:id',
    summary: 'End one of the own sessions',
    needs: 'session',
    reply: emptyReply,
    audited: false,
    run: async (operation) => {
      const { userId } = sessionOf(operation);
      const { organisationId } = operation.access;
      const { id = '' } = operation.params;
      if ((await endSessions(operation, organisationId, userId, { only: id })) === 0) {
        throw new GatewayError('not_found', `There is no session "${id.slice(0, 100)}" of yours.`, { param: 'id' });
      }
      const email = (await credentialOfUser(operation, userId))?.email ?? '';
      const who = { organisation_id: organisationId, user_id: userId, email };
      await note(operation, operation, who, { action: 'logout', resourceId: id });
      return {};
    },
  },
];
