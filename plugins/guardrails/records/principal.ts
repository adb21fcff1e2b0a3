import type { Access, Operation, Principal } from 'portcullis/sdk';

/** Who a call of the control plane comes from, as checks are told it. */
export function principalOf({ access, actorId }: Operation): Principal {
  return { id: actorId, kind: kindOf(access), access };
}

function kindOf({ keyId, sessionId }: Access): Principal['kind'] {
  if (keyId !== undefined) return 'key';
  return sessionId === undefined ? 'token' : 'session';
}
