import type { HookEntry } from 'portcullis/sdk';
import type { ActiveHooks } from './active.ts';
import { places } from './form.ts';
import { refuseCode } from './hooks.ts';
import { fault } from './values.ts';

/** Checks that a config that came with a request may bring for one target, in all of its lists. */
const maxInlineChecks = 20;

/**
 * Looks at what a config names or brings, before anything runs.
 * @param inline it came with a request: then it brings no code, and only so many checks
 * @throws GatewayError `invalid_config`
 */
export function acceptEntries(active: ActiveHooks, entries: readonly HookEntry[], inline: boolean): void {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const hook = active.inline(entry);
    const param = entry.path.replace(/^config\./, '');
    if (hook === undefined) active.acceptName(String(entry.value), places[entry.source], param);
    else if (inline) {
      refuseCode(hook, param);
      const node = nodeOf(entry);
      counts.set(node, (counts.get(node) ?? 0) + hook.checks.length);
    }
  }
  if (inline) refuseMany(counts);
}

/** Where the list of an entry stands: `config`, or `config.targets[0]`. */
function nodeOf({ path }: HookEntry): string {
  return path.slice(0, path.lastIndexOf('.'));
}

/** What stands above a target may run on it too. */
function refuseMany(counts: ReadonlyMap<string, number>): void {
  for (const node of counts.keys()) {
    let count = 0;
    for (const [above, own] of counts) if (node === above || node.startsWith(`${above}.`)) count += own;
    if (count > maxInlineChecks)
      throw fault(
        node,
        `has ${count} checks in its guardrails and mutators; a config that comes with a request may bring at most ${maxInlineChecks} for one target, a saved guardrail more`,
      );
  }
}
