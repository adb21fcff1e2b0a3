import type { FallbackBranch } from '../plan.ts';
import type { Visit } from './visit.ts';

/**
 * Tries one target after the other until one gives an outcome that no fallback is wanted for; the last outcome stands.
 * Targets behind an open breaker are passed over, unless all are.
 */
export async function fallback<R extends { readonly status: number }>(
  branch: FallbackBranch,
  visit: Visit<R>,
): Promise<R> {
  const bypass = branch.children.every((child) => visit.isOpen(child));
  let outcome: R | undefined;
  for (const child of branch.children) {
    // Asked again for each target: another request may have opened its breaker, or may be probing it, by now.
    if (!bypass && visit.isOpen(child)) continue;
    if (outcome !== undefined) visit.discard(outcome);
    outcome = await visit.run(child);
    if (stops(branch, outcome.status) || visit.facts.cancelled?.() === true) return outcome;
  }
  return outcome ?? visit.run(branch.children[0]);
}

function stops({ onStatusCodes }: FallbackBranch, status: number): boolean {
  return onStatusCodes === undefined ? status >= 200 && status < 300 : !onStatusCodes.includes(status);
}
