import { type Access, GatewayError, isOrganisationAdmin, type Operation, securityIn, toggleOn } from 'portcullis/sdk';

/** What a log's reader needs: one right for its line, others for what was said (control-plane.md §0.5, §1.24). */
const lines = ['logs.list'];
const texts = ['logs.view', 'logs.read'];
/** Whoever may send requests may look at a request whose id it knows. */
const senders = ['completions.write', 'logs.write'];

export const readNeeds = [...texts, ...lines, ...senders];

/**
 * Whether the caller may see what was said, or the line alone. People whose role may not look at logs cannot look at them
 * with a key that sends requests either.
 * @throws GatewayError `forbidden`
 */
export async function seenBy(operation: Operation): Promise<'texts' | 'line'> {
  const { access, scope } = operation;
  const here = access.scopesIn(scope.workspaceId);
  const holds = (needs: readonly string[]) => needs.some((need) => here.has(need));
  if (holds(texts)) return 'texts';
  const toggle = holds(senders) ? toggleOf(access, scope.workspaceId) : undefined;
  if (holds(senders) && (toggle === undefined || toggleOn(await securityIn(operation), toggle))) return 'texts';
  if (holds(lines)) return 'line';
  throw new GatewayError('forbidden', 'The role of this person may not look at logs.');
}

/** What keeps the role of a person from logs; undefined: nothing does. */
function toggleOf({ userId, organisationRole, roleIn }: Access, workspaceId: string | undefined): string | undefined {
  if (userId === undefined || workspaceId === undefined) return undefined;
  if (isOrganisationAdmin(organisationRole)) return 'organisationAdminsViewLogs';
  const role = roleIn(workspaceId);
  return role === undefined || role === 'admin' ? undefined : `${role}sViewLogs`;
}
