/**
 * What the first segment below `/v1` names in a control plane. A gateway without one has no such routes, and yet its clients may send
 * it what is meant for one, credentials included: nothing of that goes to a provider.
 */
const controlWords: ReadonlySet<string> = new Set([
  ...['admin', 'analytics', 'api-keys', 'audit-logs', 'auth', 'collections', 'configs', 'deployments', 'feedback'],
  ...['gateway', 'guardrails', 'integrations', 'invites', 'labels', 'logs', 'model-configs', 'model-prices'],
  ...['organisation', 'organisations', 'pipeline', 'plugins', 'policies', 'prompts', 'providers', 'proxy'],
  ...['secret-references', 'users', 'virtual-keys', 'workspaces'],
]);

/** Whether a path below `/v1` is the gateway's own, in whatever way it is written. */
export function isControlPath(path: string): boolean {
  const [, first = ''] = decoded(path)
    .toLowerCase()
    .split(/[/\\]/)
    .filter((segment) => segment !== '' && segment !== '.');
  return controlWords.has(first.trim());
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
