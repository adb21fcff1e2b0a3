export * from './access.ts';
export * from './default-guardrails.ts';
export { isOrganisationAdmin, scopesOfMemberIn, scopesOfOrganisationRole, scopesOfWorkspaceRole } from './roles.ts';
export {
  allScopes,
  isKeyType,
  isScope,
  keyFamilies,
  type ScopeFamily,
  scopesOfKeyType,
  tokenScopes,
  twinOf,
  withTwins,
} from './scopes.ts';
export * from './settings.ts';
export * from './toggles.ts';
