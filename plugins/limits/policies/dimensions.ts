import { asString, type TargetContext } from 'portcullis/sdk';

/** Keys of conditions and groups beside `metadata.<name>` (control-plane.md §2.4). */
export const dimensionKeys = [
  'api_key',
  'virtual_key',
  'provider',
  'config',
  'prompt',
  'model',
  'workspace_id',
  'organisation_id',
  'endpoint_type',
] as const;
export type DimensionKey = (typeof dimensionKeys)[number];

/** A request on its way to one target, as conditions look at it. */
export interface Subject {
  readonly target: TargetContext;
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly workspaceSlug: string;
}

/** What a request is in one respect; undefined: it has nothing there. */
export interface Dimension {
  read(subject: Subject): string | undefined;
  /** Another name of the same, which conditions may use. */
  alias?(subject: Subject): string | undefined;
  /** As people know it, where `read` gives an id. */
  called?(subject: Subject): string | undefined;
  /** Whose id that is, and which of its fields people know it by. */
  readonly idOf?: { readonly resource: string; readonly knownBy: string };
}

const dimensions: Readonly<Record<DimensionKey, Dimension>> = {
  api_key: {
    read: ({ target }) => target.request.principal.access?.keyId,
    // Whoever has no key is in one group with all the others.
    called: ({ target: { request } }) => (request.principal.kind === 'key' ? request.principal.name : undefined),
    idOf: { resource: 'api_keys', knownBy: 'name' },
  },
  virtual_key: { read: ({ target }) => target.providerSlug },
  provider: { read: ({ target }) => target.provider, alias: ({ target }) => target.providerSlug },
  config: {
    read: ({ target }) => target.request.savedConfig?.slug,
    alias: ({ target }) => target.request.savedConfig?.id,
  },
  prompt: {
    read: ({ target }) => target.request.prompt?.slug,
    alias: ({ target }) => target.request.prompt?.id,
  },
  model: { read: ({ target }) => modelOf(target) },
  workspace_id: {
    read: ({ workspaceId }) => workspaceId,
    alias: ({ workspaceSlug }) => workspaceSlug,
    called: ({ workspaceSlug }) => workspaceSlug,
    idOf: { resource: 'workspaces', knownBy: 'slug' },
  },
  organisation_id: { read: ({ organisationId }) => organisationId },
  endpoint_type: { read: ({ target }) => target.request.endpoint },
};

const metadataPrefix = 'metadata.';

export function isMetadataKey(key: string): boolean {
  return key.startsWith(metadataPrefix) && key.length > metadataPrefix.length;
}

/** Undefined: there is no such key. */
export function dimensionOf(key: string): Dimension | undefined {
  if (!isMetadataKey(key)) return Object.hasOwn(dimensions, key) ? dimensions[key as DimensionKey] : undefined;
  const name = key.slice(metadataPrefix.length);
  return {
    read: ({ target: { request } }) => (Object.hasOwn(request.metadata, name) ? request.metadata[name] : undefined),
  };
}

/** The model that is asked of the provider, whatever the reply calls it: `@provider-slug/model`. */
function modelOf({ body, providerSlug, provider }: TargetContext): string | undefined {
  const model = asString(body.model);
  if (model === undefined) return undefined;
  const slash = model.startsWith('@') ? model.indexOf('/') : -1;
  return `@${providerSlug ?? provider}/${slash === -1 ? model : model.slice(slash + 1)}`;
}
