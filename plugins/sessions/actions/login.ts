import { type Action, asString, field, GatewayError, type Operation, schema } from 'portcullis/sdk';
import { countersOf, enter, forgive } from '../attempts.ts';
import { note } from '../journal.ts';
import { clientOf, openSession } from '../live.ts';
import { anywhere, apart, type Parts } from '../parts.ts';
import { type Credential, credentialOf, credentialOfUser, normalEmail, organisationNamed } from '../people.ts';
import { opened, organisationField, sessionReply } from '../replies.ts';

/** Longer ones are refused before anything is worked out of them. */
export const passwordField = schema.String({ minLength: 1, maxLength: 1024 });

export function login({ host, passwords, settings }: Parts): Action {
  return apart({
    method: 'post',
    path: '/auth/login',
    summary: 'Log in with e-mail and password',
    needs: 'public',
    body: schema.Object({ email: field.email(), password: passwordField, organisation: organisationField }),
    reply: sessionReply,
    run: async (operation) => {
      const { body, clientIp } = operation;
      const email = normalEmail(body.email);
      const named = asString(body.organisation);
      const counters = countersOf(email, clientIp);
      const credential = await host.transaction(anywhere, async (own) => {
        await enter(own, counters);
        return credentialOf(own, email, named);
      });
      const password = credential?.status === 'active' ? (credential.password ?? undefined) : undefined;
      if (!(await passwords.fits(String(body.password), password)) || credential === undefined) {
        await host.transaction(anywhere, (own) => noteFailure(own, operation, credential, email, named));
        return refuse();
      }
      const session = await host.transaction({ organisationId: credential.organisation_id }, async (own) => {
        // Between the two transactions the password may have been changed, or the person have left.
        const now = await credentialOfUser(own, credential.user_id);
        if (now?.status !== 'active' || now.password !== credential.password) return undefined;
        await forgive(own, counters);
        const made = await openSession(own, host, credential, {
          method: 'password',
          ttlMs: settings.ttlMs,
          client: clientOf(operation),
        });
        await note(own, operation, credential, {
          action: 'login',
          resourceId: made.id,
          detail: { method: 'password' },
        });
        return made;
      });
      return session === undefined ? refuse() : opened(operation, host.publicUrl, credential, session);
    },
  });
}

/** The same words and the same work, whether the person exists or not. */
function refuse(): never {
  throw new GatewayError('unauthenticated', 'The e-mail address or the password is wrong.');
}

async function noteFailure(
  own: Operation,
  operation: Operation,
  credential: Credential | undefined,
  email: string,
  named: string | undefined,
): Promise<void> {
  const organisation_id = credential?.organisation_id ?? (await organisationNamed(own, named));
  if (organisation_id === undefined) return;
  const { user_id } = credential ?? {};
  const who = { organisation_id, email, ...(user_id === undefined ? {} : { user_id }) };
  await note(own, operation, who, { action: 'login_failed', status: 401, detail: { method: 'password' } });
}
