import type {
  ConfigEntry,
  Directory,
  DirectoryKind,
  DirectoryKinds,
  JsonObject,
  MaybePromise,
  OrganisationEntry,
  ProviderEntry,
  WorkspaceEntry,
  WorkspaceModels,
} from 'portcullis/sdk';

/** Records by kind, then by their path with slashes. */
export type Records = { readonly [K in DirectoryKind]?: Readonly<Record<string, DirectoryKinds[K]>> };

export interface FakeDirectory extends Directory {
  /** Every question, as `kind path/of/it`. */
  readonly asked: string[];
  /** How often it had to answer later. */
  readonly promises: () => number;
}

/** A directory of fixed records. `cold`: each is given by a promise the first time, at once afterwards. */
export function fakeDirectory(records: Records, { cold = false }: { readonly cold?: boolean } = {}): FakeDirectory {
  const asked: string[] = [];
  const warm = new Set<string>();
  let promises = 0;
  return {
    asked,
    promises: () => promises,
    get<K extends DirectoryKind>(kind: K, ...path: readonly string[]): MaybePromise<DirectoryKinds[K] | undefined> {
      const name = path.join('/');
      const question = `${kind} ${name}`;
      asked.push(question);
      const known: Readonly<Record<string, DirectoryKinds[K]>> | undefined = records[kind];
      const found = known !== undefined && Object.hasOwn(known, name) ? known[name] : undefined;
      if (!cold || warm.has(question)) return found;
      warm.add(question);
      promises += 1;
      return new Promise((resolve) => setImmediate(() => resolve(found)));
    },
  };
}

const organisationId = 'org-1';

export function organisationOf(fields: Partial<OrganisationEntry> = {}): OrganisationEntry {
  const id = fields.id ?? organisationId;
  return {
    organisationId: id,
    id,
    slug: id,
    name: id,
    security: {},
    blockInlineConfig: false,
    defaults: {},
    ...fields,
  };
}

export function workspaceOf(id: string, fields: Partial<WorkspaceEntry> = {}): WorkspaceEntry {
  return {
    organisationId,
    id,
    slug: `ws-${id}`,
    name: id,
    status: 'active',
    security: {},
    blockInlineConfig: false,
    defaults: {},
    ...fields,
  };
}

export function configOf(workspaceId: string, slug: string, config: JsonObject): ConfigEntry {
  return { organisationId, id: `id-${slug}`, slug, name: slug, workspaceId, versionId: 'v1', config };
}

export function providerOf(workspaceId: string, slug: string, fields: Partial<ProviderEntry> = {}): ProviderEntry {
  return {
    organisationId,
    id: `id-${slug}`,
    slug,
    name: slug,
    workspaceId,
    integrationId: `int-${slug}`,
    integrationSlug: slug,
    status: 'active',
    provider: 'openai',
    settings: { api_key: `key-of-${slug}` },
    allowAllModels: true,
    models: [],
    ...fields,
  };
}

export interface Workspaces {
  readonly organisation?: Partial<OrganisationEntry>;
  readonly workspaces: readonly WorkspaceEntry[];
  readonly configs?: readonly ConfigEntry[];
  readonly providers?: readonly ProviderEntry[];
  readonly models?: Readonly<Record<string, WorkspaceModels['models']>>;
}

/** The records of one organisation, each found by id and by slug as in the real directory. */
export function recordsOf({
  organisation,
  workspaces,
  configs = [],
  providers = [],
  models = {},
}: Workspaces): Records {
  const both = <E extends { readonly id: string; readonly slug: string; readonly workspaceId: string }>(
    entries: readonly E[],
  ) =>
    Object.fromEntries(
      entries.flatMap((entry) =>
        [entry.id, entry.slug].map((name) => [`${organisationId}/${entry.workspaceId}/${name}`, entry]),
      ),
    );
  return {
    organisation: { [organisationId]: organisationOf(organisation) },
    workspace: Object.fromEntries(
      workspaces.flatMap((entry) => [entry.id, entry.slug].map((name) => [`${organisationId}/${name}`, entry])),
    ),
    config: both(configs),
    provider: both(providers),
    models: Object.fromEntries(
      Object.entries(models).map(([id, listed]) => [`${organisationId}/${id}`, { organisationId, models: listed }]),
    ),
  };
}
