import { type Action, GatewayError, schema } from 'portcullis/sdk';
import { enter, forgive } from '../attempts.ts';
import { note } from '../journal.ts';
import { endSessions } from '../live.ts';
import { anywhere, apart, type Parts } from '../parts.ts';
import { checkPassword } from '../password/rules.ts';
import { credentialOfUser, setPassword } from '../people.ts';
import { emptyReply } from '../replies.ts';
import { passwordField } from './login.ts';
import { sessionOf } from './logout.ts';

/** A stolen session cannot make itself the owner of the account: the old password is asked for. */
export function changePassword({ host, passwords }: Parts): Action {
  return apart({
    method: 'post',
    path: '/auth/password',
    summary: 'Change the own password; ends all other sessions',
    needs: 'session',
    body: schema.Object({ old_password: passwordField, new_password: passwordField }),
    reply: emptyReply,
    run: async (operation) => {
      const { userId, sessionId } = sessionOf(operation);
      const { organisationId } = operation.access;
      const counters = [{ rule: 'pair', of: `password ${userId}` }] as const;
      const credential = await host.transaction(anywhere, async (own) => {
        await enter(own, counters);
        return credentialOfUser(own, userId);
      });
      if (credential === undefined || credential.password === null) {
        throw new GatewayError('conflict', 'There is no password to change: a first one is set by a reset mail.');
      }
      if (!(await passwords.fits(String(operation.body.old_password), credential.password))) {
        throw new GatewayError('forbidden', 'The old password is wrong.', { param: 'old_password' });
      }
      checkPassword(String(operation.body.new_password), credential.email, 'new_password');
      const hashed = await passwords.hash(String(operation.body.new_password));
      await host.transaction({ organisationId }, async (own) => {
        const now = await credentialOfUser(own, userId);
        if (now?.password !== credential.password) {
          throw new GatewayError('conflict', 'The password has just been changed by another call.');
        }
        await setPassword(own, userId, hashed);
        await forgive(own, counters);
        await own.db('one_time_tokens').where({ user_id: userId, kind: 'reset' }).delete();
        const ended = await endSessions(own, organisationId, userId, { except: sessionId });
        await note(own, operation, credential, {
          action: 'update',
          resourceType: 'credentials',
          resourceId: userId,
          detail: { password: 'changed', sessions: ended },
        });
      });
      return {};
    },
  });
}
