import { type Action, asString, field, GatewayError, type Mail, type Operation, schema } from 'portcullis/sdk';
import { countersOf, enter, forgive, placeOf } from '../attempts.ts';
import { note } from '../journal.ts';
import { endSessions } from '../live.ts';
import { anywhere, apart, type Parts } from '../parts.ts';
import { checkPassword } from '../password/rules.ts';
import { credentialOf, credentialOfUser, normalEmail, setPassword } from '../people.ts';
import { emptyReply, organisationField } from '../replies.ts';
import { isIssued, newToken } from '../tokens.ts';
import { passwordField } from './login.ts';

const minutes = 30;

export function forgotPassword({ host }: Parts): Action {
  return apart({
    method: 'post',
    path: '/auth/password/forgot',
    summary: 'Have a mail sent that lets a password be set anew',
    needs: 'public',
    body: schema.Object({ email: field.email(), organisation: organisationField }),
    reply: emptyReply,
    run: async ({ body, clientIp }) => {
      if (!host.mails) {
        throw new GatewayError(
          'bad_request',
          'This gateway has no mail server (SMTP_HOST), so it cannot send such a mail.',
        );
      }
      const email = normalEmail(body.email);
      await host.transaction(anywhere, (own) => enter(own, [{ rule: 'address', of: `forgot ${placeOf(clientIp)}` }]));
      await host.transaction(anywhere, async (own) => {
        // Each answer is the same: it tells neither who is known here nor who has had a mail already.
        if (!(await mayMail(own, email))) return;
        const credential = await credentialOf(own, email, asString(body.organisation));
        if (credential?.status !== 'active') return;
        const token = newToken('reset', host.randomText, own.checksum);
        await own.db('one_time_tokens').insert({
          digest: own.digest(token),
          kind: 'reset',
          organisation_id: credential.organisation_id,
          user_id: credential.user_id,
          expires_at: own.now + minutes * 60_000,
        });
        await own.mail(resetMail(email, token, host.publicUrl));
      });
      return {};
    },
  });
}

export function resetPassword({ host, passwords }: Parts): Action {
  return apart({
    method: 'post',
    path: '/auth/password/reset',
    summary: 'Set a password with the token of a reset mail; ends all sessions',
    needs: 'public',
    body: schema.Object({ token: schema.String({ maxLength: 100 }), password: passwordField }),
    reply: emptyReply,
    run: async (operation) => {
      const token = String(operation.body.token);
      const credential = await host.transaction(anywhere, async (own) => {
        await enter(own, [{ rule: 'address', of: `reset ${placeOf(operation.clientIp)}` }]);
        if (isIssued('reset', token, own.checksum) !== true) return undefined;
        const row = await tokenRow(own, token).first('user_id');
        return row === undefined ? undefined : credentialOfUser(own, row.user_id);
      });
      if (credential?.status !== 'active') return unknownToken();
      checkPassword(String(operation.body.password), credential.email);
      const hashed = await passwords.hash(String(operation.body.password));
      const { organisation_id, user_id, email } = credential;
      await host.transaction({ organisationId: organisation_id }, async (own) => {
        // Whoever deletes the row has used the token: no second call can.
        if ((await tokenRow(own, token).delete()) !== 1) return unknownToken();
        await setPassword(own, user_id, hashed);
        await own.db('one_time_tokens').where({ user_id, kind: 'reset' }).delete();
        await forgive(
          own,
          countersOf(email, operation.clientIp).filter(({ rule }) => rule !== 'address'),
        );
        const ended = await endSessions(own, organisation_id, user_id);
        await note(own, operation, credential, {
          action: 'update',
          resourceType: 'credentials',
          resourceId: user_id,
          detail: { password: 'reset by mail', sessions: ended },
        });
      });
      return {};
    },
  });
}

function tokenRow(own: Operation, token: string) {
  return own
    .db('one_time_tokens')
    .where({ digest: own.digest(token), kind: 'reset' })
    .andWhere('expires_at', '>', own.now);
}

async function mayMail(own: Operation, email: string): Promise<boolean> {
  try {
    await enter(own, [{ rule: 'mail', of: email }]);
    return true;
  } catch (error) {
    if (GatewayError.is(error) && error.code === 'throttled') return false;
    throw error;
  }
}

function unknownToken(): never {
  throw new GatewayError('unauthenticated', 'The token is unknown, used or expired. Ask for another mail.');
}

function resetMail(email: string, token: string, publicUrl: string): Mail {
  return {
    to: [email],
    subject: 'Set your password',
    text: [
      'Somebody asked for a new password for this address at the AI gateway.',
      ...(publicUrl === '' ? [] : [`Open ${publicUrl}/reset-password#token=${token} to set it,`]),
      `${publicUrl === '' ? 'Set it' : 'or set it'} by POST /v1/auth/password/reset with the token ${token}`,
      `within ${minutes} minutes. It works once.`,
      '',
      'If it was not you, nothing needs to be done.',
    ].join('\n'),
  };
}
