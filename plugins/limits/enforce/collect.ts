import type { LimitPoliciesEntry, ProviderEntry, TargetContext, WorkspaceEntry } from 'portcullis/sdk';
import { callerMeters, providerMeters, workspaceMeters } from '../limit/entity-meters.ts';
import { type Meter, noMeters } from '../limit/meter.ts';
import { policiesIn } from '../policies/compile.ts';

/** What the directory knows of where a request goes; undefined: nothing. */
export interface Places {
  readonly workspace: WorkspaceEntry | undefined;
  readonly policies: LimitPoliciesEntry | undefined;
  readonly provider: ProviderEntry | undefined;
}

/** The counts that a request to one target is held against, from the outermost: workspace, grant, provider, caller, policies. */
export function metersFor(target: TargetContext, { workspace, policies, provider }: Places): readonly Meter[] {
  const { principal } = target.request;
  const ofWorkspace = workspace === undefined ? noMeters : workspaceMeters(workspace);
  const ofProvider = provider === undefined ? noMeters : providerMeters(provider);
  const ofCaller = principal.limits === undefined ? noMeters : callerMeters(principal, principal.limits);
  const ofPolicies = policies === undefined ? noMeters : policyMeters(target, policies, workspace);
  const count = ofWorkspace.length + ofProvider.length + ofCaller.length + ofPolicies.length;
  if (count === 0) return noMeters;
  for (const one of [ofWorkspace, ofProvider, ofCaller, ofPolicies]) if (one.length === count) return one;
  return [...ofWorkspace, ...ofProvider, ...ofCaller, ...ofPolicies];
}

function policyMeters(
  target: TargetContext,
  policies: LimitPoliciesEntry,
  workspace: WorkspaceEntry | undefined,
): readonly Meter[] {
  const workspaceId = target.request.principal.access?.workspaceId ?? '';
  const ready = policiesIn(policies, workspaceId);
  if (ready.length === 0) return noMeters;
  const { organisationId } = policies;
  const subject = { target, organisationId, workspaceId, workspaceSlug: workspace?.slug ?? workspaceId };
  const meters: Meter[] = [];
  for (const policy of ready) {
    const meter = policy.meterOf(subject);
    if (meter !== undefined) meters.push(meter);
  }
  return meters;
}
