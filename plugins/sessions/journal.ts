import type { Operation } from 'portcullis/sdk';
import type { Credential } from './people.ts';

export interface Happening {
  readonly action: 'login' | 'login_failed' | 'logout' | 'update';
  readonly resourceType?: 'sessions' | 'credentials';
  readonly resourceId?: string;
  readonly status?: number;
  readonly detail?: Readonly<Record<string, string | number>>;
}

/**
 * Writes down what somebody did.
 * @param asked the call itself, where it is not the operation that writes
 */
export async function note(
  operation: Operation,
  asked: Pick<Operation, 'id' | 'clientIp'>,
  { organisation_id, user_id, email }: Pick<Credential, 'organisation_id' | 'email'> & { readonly user_id?: string },
  { action, resourceType = 'sessions', resourceId, status = 200, detail }: Happening,
): Promise<void> {
  await operation.record({
    organisationId: organisation_id,
    resourceType,
    action,
    userType: 'user',
    actorName: email,
    requestId: asked.id,
    clientIp: asked.clientIp,
    status,
    ...(user_id === undefined ? {} : { userId: user_id }),
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(detail === undefined ? {} : { detail }),
  });
}
