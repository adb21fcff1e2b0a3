import { type ControlHost, field, GatewayError, type Operation, type Static, schema } from 'portcullis/sdk';
import type { AuthSettings } from './table.ts';

const url = () => schema.Optional(schema.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 2048 }));
const names = () => schema.Optional(field.list(field.text({ min: 1 }), { maxItems: 1000 }));

/** `auth_settings` of a body. The members that start with `remove_` take away from what is stored. */
export const authSettingsSchema = schema.Object({
  gateway_base_url: url(),
  mcp_gateway_base_url: url(),
  is_dataservice_hosted: schema.Optional(field.boolean()),
  is_playground_proxy_allowed: schema.Optional(field.boolean()),
  allow_all_workspaces: schema.Optional(field.boolean()),
  workspaces_allowed: names(),
  jwt_subs_allowed: names(),
  jwt_sub_workspace_mapping: schema.Optional(field.strings(255)),
  remove_workspaces_allowed: names(),
  remove_subs_allowed: names(),
});

type Given = Static<typeof authSettingsSchema>;

export const noSettings: AuthSettings = {
  allow_all_workspaces: true,
  workspaces_allowed: [],
  jwt_subs_allowed: [],
  jwt_sub_workspace_mapping: {},
};

/**
 * What is stored after the body: lists are added to, or stand in place of the stored ones when `replace` is set.
 * @throws GatewayError `bad_request` or `url_blocked`, `param` the member at fault
 */
export async function mergedSettings(
  host: Pick<ControlHost, 'checkUrl'>,
  operation: Operation,
  given: Given,
  { before, replace }: { readonly before: AuthSettings; readonly replace: boolean },
): Promise<AuthSettings> {
  for (const name of ['gateway_base_url', 'mcp_gateway_base_url'] as const) {
    const value = given[name];
    if (value != null && value !== '') await host.checkUrl(value, `auth_settings.${name}`);
  }
  const base = replace ? noSettings : before;
  const workspaces = await idsOf(operation, given.workspaces_allowed, 'workspaces_allowed');
  if (given.allow_all_workspaces === true && workspaces.length > 0) {
    refuse('workspaces_allowed', 'must be left out when allow_all_workspaces is true');
  }
  const removed = new Set(await idsOf(operation, given.remove_workspaces_allowed, 'remove_workspaces_allowed', true));
  const all = given.allow_all_workspaces ?? (workspaces.length > 0 ? false : base.allow_all_workspaces);
  const allowed = all ? [] : union(base.workspaces_allowed, workspaces).filter((id) => !removed.has(id));
  const removedSubjects = new Set(given.remove_subs_allowed);
  const subjects = union(base.jwt_subs_allowed, given.jwt_subs_allowed ?? []).filter(
    (sub) => !removedSubjects.has(sub),
  );
  const mapping = { ...base.jwt_sub_workspace_mapping, ...(await mappingOf(operation, given)) };
  const kept = Object.entries(mapping).filter(([sub, id]) => !removedSubjects.has(sub) && !removed.has(id));
  for (const [sub, id] of kept) {
    const param = `jwt_sub_workspace_mapping.${sub.slice(0, 100)}`;
    if (!all && !allowed.includes(id)) refuse(param, 'names a workspace that is not in workspaces_allowed');
    if (subjects.length > 0 && !subjects.includes(sub))
      refuse(param, 'is for a subject that is not in jwt_subs_allowed');
  }
  return {
    ...base,
    ...flags(given),
    allow_all_workspaces: all,
    workspaces_allowed: allowed,
    jwt_subs_allowed: subjects,
    jwt_sub_workspace_mapping: Object.fromEntries(kept),
  };
}

const plain = ['gateway_base_url', 'mcp_gateway_base_url', 'is_dataservice_hosted', 'is_playground_proxy_allowed'];

function flags(given: Given): Partial<AuthSettings> {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => plain.includes(name) && value !== undefined),
  );
}

async function mappingOf(operation: Operation, { jwt_sub_workspace_mapping: mapping = {} }: Given) {
  const ids: [string, string][] = [];
  for (const [sub, name] of Object.entries(mapping)) {
    const [id] = await idsOf(operation, [name], `jwt_sub_workspace_mapping.${sub.slice(0, 100)}`);
    ids.push([sub, id ?? '']);
  }
  return Object.fromEntries(ids);
}

/** @param gone whether names of workspaces that are no more are fine: they can only be taken away */
async function idsOf(operation: Operation, given: readonly string[] | undefined, param: string, gone = false) {
  const ids = new Set<string>();
  for (const name of given ?? []) {
    const scope = { organisationId: operation.scope.organisationId };
    const workspace = await operation.records('workspaces').find(scope, name);
    if (workspace === undefined && !gone) refuse(param, `names "${name.slice(0, 100)}", which is no workspace here`);
    ids.add(workspace?.id ?? name);
  }
  return [...ids];
}

function union(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set([...some, ...others])];
}

function refuse(member: string, why: string): never {
  const param = `auth_settings.${member}`;
  throw new GatewayError('bad_request', `${param} ${why}.`, { param });
}
