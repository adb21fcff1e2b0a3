import { type Action, field, GatewayError, type Operation, schema } from 'portcullis/sdk';
import { enter, placeOf } from '../attempts.ts';
import { note } from '../journal.ts';
import { clientOf, openSession } from '../live.ts';
import { anywhere, apart, type Parts } from '../parts.ts';
import { checkPassword } from '../password/rules.ts';
import { normalEmail, setPassword } from '../people.ts';
import { opened, sessionReply } from '../replies.ts';
import { isIssued, newToken } from '../tokens.ts';
import { passwordField } from './login.ts';

/** As good as never: it ends by being used, or by an owner. */
const lastMoment = Number.MAX_SAFE_INTEGER;

/** Makes the token that the first owner is made with. Gives the lines that show it, this once. */
export async function bootstrapToken({ host }: Pick<Parts, 'host'>, operation: Operation): Promise<readonly string[]> {
  const { organisationId } = operation.scope;
  if ((await operation.records('users').count({ organisationId }, { role: 'owner' })) > 0) return [];
  const token = newToken('bootstrap', host.randomText, operation.checksum);
  await operation.db('one_time_tokens').insert({
    digest: operation.digest(token),
    kind: 'bootstrap',
    organisation_id: organisationId,
    user_id: null,
    expires_at: lastMoment,
  });
  return [
    `Bootstrap token: ${token}`,
    'It makes the first owner, once: POST /v1/auth/bootstrap {"token": "…", "email": "…", "password": "…"}',
  ];
}

export function bootstrap({ host, passwords, settings }: Parts): Action {
  return apart({
    method: 'post',
    path: '/auth/bootstrap',
    summary: 'Make the first owner with the token that was shown at the first start',
    needs: 'public',
    body: schema.Object({
      token: schema.String({ maxLength: 100 }),
      email: field.email(),
      password: passwordField,
      first_name: schema.Optional(field.text({ max: 255 })),
      last_name: schema.Optional(field.text({ max: 255 })),
    }),
    reply: sessionReply,
    run: async (operation) => {
      const { token, email: given, password, first_name, last_name } = operation.body;
      const email = normalEmail(given);
      const organisation_id = await host.transaction(anywhere, async (own) => {
        await enter(own, [{ rule: 'address', of: `bootstrap ${placeOf(operation.clientIp)}` }]);
        if (isIssued('bootstrap', String(token), own.checksum) !== true) return undefined;
        const row = await tokenRow(own, String(token)).first('organisation_id');
        return row?.organisation_id as string | undefined;
      });
      if (organisation_id === undefined) return unknownToken();
      checkPassword(String(password), email);
      const hashed = await passwords.hash(String(password));
      const scope = { organisationId: organisation_id };
      const made = await host.transaction(scope, async (own) => {
        // Whoever deletes the row has used the token: no second call can.
        if ((await tokenRow(own, String(token)).delete()) !== 1) return undefined;
        const users = own.records('users');
        if ((await users.count(scope, { role: 'owner' })) > 0) return undefined;
        const names = {
          ...(first_name === undefined ? {} : { first_name }),
          ...(last_name === undefined ? {} : { last_name }),
        };
        const user = await users.create(scope, { email, role: 'owner', ...names });
        await setPassword(own, user.id, hashed);
        const who = { user_id: user.id, organisation_id, email };
        const session = await openSession(own, host, who, {
          method: 'bootstrap',
          ttlMs: settings.ttlMs,
          client: clientOf(operation),
        });
        await note(own, operation, who, { action: 'login', resourceId: session.id, detail: { method: 'bootstrap' } });
        return { who, session };
      });
      return made === undefined ? unknownToken() : opened(operation, host.publicUrl, made.who, made.session);
    },
  });
}

function tokenRow(own: Operation, token: string) {
  return own.db('one_time_tokens').where({ digest: own.digest(token), kind: 'bootstrap' });
}

function unknownToken(): never {
  throw new GatewayError('unauthenticated', 'The bootstrap token is unknown or used, or there is an owner already.');
}
