import {
  type Access,
  GatewayError,
  isOrganisationAdmin,
  type KeyType,
  keyFamilies,
  scopesOfKeyType,
  twinOf,
} from 'portcullis/sdk';

/**
 * What a caller may put into a key of this type at this place: never more than it may do there itself.
 *
 * One rule stands beside that. Keys of the organisation drive the control plane and can hold none of the scopes of
 * inference (`completions.write` and the like), yet handing out workspace keys is what they are for. So a key of the
 * organisation that may create keys of the type, or rotate them, may also hand out what that type may hold and its own
 * may not. What its own type may hold, which is all that manages anything, it must hold itself.
 */
export function grantableScopes(access: Access, type: KeyType, workspaceId: string | undefined): ReadonlySet<string> {
  if (workspaceId === undefined && !isEverywhere(access)) return new Set();
  const held = access.scopesIn(workspaceId);
  const own = scopesOfKeyType('organisation-service');
  const family = keyFamilies[type];
  const handsOut =
    access.keyType === 'organisation-service' &&
    workspaceId !== undefined &&
    (held.has(`${family}.create`) || held.has(`${family}.rotate`));
  return new Set([...scopesOfKeyType(type)].filter((scope) => held.has(scope) || (handsOut && !own.has(scope))));
}

/** A key of the organisation acts in all its workspaces: only who does so too can be its measure. */
function isEverywhere({ workspaceId, organisationRole }: Access): boolean {
  return workspaceId === undefined && (organisationRole === undefined || isOrganisationAdmin(organisationRole));
}

/**
 * The scopes of a body, each once.
 * @param kept scopes that the key has already: they may stay, whoever changes the rest
 * @throws GatewayError `bad_request` for scopes that the type cannot hold, `forbidden` for those beyond the caller's own
 */
export function narrowedScopes(
  requested: readonly string[],
  place: {
    readonly access: Access;
    readonly type: KeyType;
    readonly workspaceId: string | undefined;
    readonly kept?: readonly string[];
  },
): readonly string[] {
  const { access, type, workspaceId, kept = [] } = place;
  const scopes = checkedScopes(requested, type);
  const grantable = grantableScopes(access, type, workspaceId);
  const had = new Set(kept);
  const beyond = scopes.filter((scope) => !grantable.has(scope) && !had.has(scope) && !had.has(twinOf(scope) ?? ''));
  if (beyond.length === 0) return scopes;
  throw new GatewayError(
    'forbidden',
    `You may not grant ${beyond.join(', ')}: a key never gets more than its maker may do in the same place.`,
    { param: 'scopes' },
  );
}

/** @throws GatewayError `bad_request` naming the scopes that keys of the type cannot hold */
export function checkedScopes(requested: readonly string[], type: KeyType): readonly string[] {
  const accepted = scopesOfKeyType(type);
  const scopes = [...new Set(requested)];
  const unknown = scopes.filter((scope) => !accepted.has(scope));
  if (unknown.length > 0) {
    throw new GatewayError(
      'bad_request',
      `Keys of type ${type} cannot have ${unknown.map((scope) => `"${scope.slice(0, 80)}"`).join(', ')}. Accepted: ${[...accepted].join(', ')}.`,
      { param: 'scopes' },
    );
  }
  if (scopes.length > 0) return scopes;
  throw new GatewayError('bad_request', 'A key needs at least one scope.', { param: 'scopes' });
}

/**
 * Whoever is shown a key's secret holds that key: only those may be who could have made it.
 * @throws GatewayError `forbidden`
 */
export function assertCouldMint(
  access: Access,
  key: { readonly type: KeyType; readonly workspace_id: string | null; readonly scopes: readonly string[] },
): void {
  const grantable = grantableScopes(access, key.type, key.workspace_id ?? undefined);
  const beyond = key.scopes.filter((scope) => !grantable.has(scope));
  if (beyond.length === 0) return;
  throw new GatewayError(
    'forbidden',
    `This key may do more than you (${beyond.join(', ')}), so its secret is not for you.`,
  );
}
