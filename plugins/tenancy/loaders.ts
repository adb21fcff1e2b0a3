import {
  asObject,
  asObjects,
  type Control,
  type DirectoryReader,
  effectiveSettings,
  enforcedBudget,
  guardrailsOf,
  type JsonObject,
  type MemberEntry,
  type OrganisationEntry,
  type OrganisationRole,
  type StoredRecord,
  type UsageLimits,
  type WorkspaceEntry,
  type WorkspaceRole,
} from 'portcullis/sdk';

/** What the data plane knows of organisations, workspaces and people. */
export const loaders: NonNullable<Control['loaders']> = {
  organisation: async (reader, [organisationId = '']) => {
    const record = await reader.records('organisations').find({ organisationId }, organisationId);
    return record === undefined ? undefined : organisationEntry(record);
  },
  workspace: async (reader, [organisationId = '', idOrSlug = '']) => {
    const organisation = await reader.records('organisations').find({ organisationId }, organisationId);
    const record = await reader.records('workspaces').find({ organisationId }, idOrSlug);
    if (organisation === undefined || record === undefined) return undefined;
    return workspaceEntry(organisation, record, await defaultConfig(reader, record));
  },
  member: async (reader, [organisationId = '', userId = '']) => {
    const organisation = await reader.records('organisations').find({ organisationId }, organisationId);
    const user = await reader.records('users').find({ organisationId }, userId);
    if (organisation === undefined || user === undefined || user.status !== 'active') return undefined;
    return memberEntry(reader, organisation, user);
  },
};

function organisationEntry(record: StoredRecord): OrganisationEntry {
  const { blockInlineConfig, maxCacheAge, maxSessionTtl, requestLogging, security } = effectiveSettings(record);
  const auth = asObject(record.auth_settings) ?? {};
  const jwks = asObject(auth.jwks);
  const schema = asObject(asObject(record.metadata_schemas)?.api_key);
  return {
    organisationId: record.id,
    id: record.id,
    slug: record.slug ?? record.id,
    name: String(record.name),
    security,
    blockInlineConfig,
    ...(maxSessionTtl === undefined ? {} : { maxSessionTtl }),
    defaults: defaultsOf(record),
    ...guardrailsOf(record.defaults),
    ...(typeof auth.jwks_url === 'string' ? { jwksUrl: auth.jwks_url } : {}),
    ...(jwks === undefined ? {} : { jwks }),
    ...(typeof record.default_workspace_id === 'string' ? { defaultWorkspaceId: record.default_workspace_id } : {}),
    ...(schema === undefined ? {} : { metadataSchema: schema }),
    ...(requestLogging === 'full' ? {} : { requestLogging }),
    ...(maxCacheAge === undefined ? {} : { maxCacheAgeSeconds: maxCacheAge }),
  };
}

/** The config that is marked as the default of its workspace. */
async function defaultConfig(reader: DirectoryReader, workspace: StoredRecord): Promise<string | undefined> {
  if (!reader.knows('configs')) return undefined;
  const scope = { organisationId: workspace.organisation_id, workspaceId: workspace.id };
  const { records } = await reader
    .records('configs')
    .list(scope, { where: { is_default: 1, status: 'active' }, pageSize: 1 });
  return records[0]?.id;
}

function workspaceEntry(organisation: StoredRecord, record: StoredRecord, marked: string | undefined): WorkspaceEntry {
  const { blockInlineConfig, requestLogging, security } = effectiveSettings(organisation, record);
  const [usageLimits] = asObjects(record.usage_limits);
  const rateLimits = asObjects(record.rate_limits);
  return {
    organisationId: organisation.id,
    id: record.id,
    slug: record.slug ?? record.id,
    name: String(record.name),
    status: record.status === 'archived' ? 'archived' : 'active',
    security,
    blockInlineConfig,
    defaults: { ...(marked === undefined ? {} : { config: marked }), ...defaultsOf(record) },
    ...guardrailsOf(record.defaults),
    ...(usageLimits === undefined ? {} : { usageLimits: enforcedBudget(usageLimits as UsageLimits, record) }),
    ...(rateLimits.length === 0 ? {} : { rateLimits }),
    ...(requestLogging === effectiveSettings(organisation).requestLogging ? {} : { requestLogging }),
  };
}

async function memberEntry(
  reader: DirectoryReader,
  organisation: StoredRecord,
  user: StoredRecord,
): Promise<MemberEntry> {
  const scope = { organisationId: organisation.id };
  const memberships = (await reader.records('workspace_members').list(scope, { where: { user_id: user.id } })).records;
  const ids = memberships.map(({ workspace_id }) => workspace_id);
  const { records } = await reader.records('workspaces').list(scope, { where: { id: ids }, archived: false });
  const byId = new Map(records.map((workspace) => [workspace.id, workspace]));
  return {
    organisationId: organisation.id,
    userId: user.id,
    email: String(user.email),
    role: user.role as OrganisationRole,
    security: effectiveSettings(organisation).security,
    workspaces: memberships.flatMap(({ workspace_id, role }) => {
      const workspace = byId.get(workspace_id ?? '');
      if (workspace === undefined) return [];
      const { security } = effectiveSettings(organisation, workspace);
      return [{ id: workspace.id, slug: workspace.slug ?? workspace.id, role: role as WorkspaceRole, security }];
    }),
  };
}

function defaultsOf(record: StoredRecord): OrganisationEntry['defaults'] {
  const { config_id, metadata }: JsonObject = asObject(record.defaults) ?? {};
  const given = asObject(metadata) as Readonly<Record<string, string>> | undefined;
  return {
    ...(typeof config_id === 'string' ? { config: config_id } : {}),
    ...(given === undefined || Object.keys(given).length === 0 ? {} : { metadata: given }),
  };
}
