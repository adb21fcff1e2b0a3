import { type Access, allScopes, type Scope } from 'portcullis/sdk';

const everything: ReadonlySet<string> = new Set(allScopes);
const nothing: ReadonlySet<string> = new Set();

/** Who brings no credential, to routes that need none. */
export const nobody: Access = impersonal('', nothing);

/** The gateway itself, in one organisation. */
export function systemAccess({ organisationId }: Scope): Access {
  return impersonal(organisationId, everything);
}

function impersonal(organisationId: string, scopes: ReadonlySet<string>): Access {
  return Object.freeze({
    organisationId,
    workspaceId: undefined,
    keyId: undefined,
    keyType: undefined,
    sessionId: undefined,
    userId: undefined,
    organisationRole: undefined,
    roleIn: () => undefined,
    scopesIn: () => scopes,
  });
}
