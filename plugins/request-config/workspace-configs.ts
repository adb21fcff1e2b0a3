import {
  type Access,
  type ConfigEntry,
  GatewayError,
  type Host,
  type JsonObject,
  type MaybePromise,
  type RequestContext,
  type Resolution,
} from 'portcullis/sdk';
import { inlineConfig, namesProvider, overridesKey, overridesOf, slugOf } from './headers.ts';
import { Remembered } from './remembered.ts';
import { unsaved } from './unsaved.ts';

/** Anything else is no name of a record, and need not be looked for. */
const idOrSlug = /^[\w-]{1,255}$/;

type Resolve = (request: RequestContext, access: Access) => MaybePromise<Resolution>;

/**
 * Finds the configs of callers who belong to an organisation: the request's, the key's, the workspace's default, the
 * organisation's. All of them are saved in the caller's workspace. No promise when the records are known.
 */
export function workspaceConfigs(host: Host): Resolve {
  const inlineOnes = new Remembered(2000);
  /** By the config's content, which is the same object until it changes. */
  const savedOnes = new WeakMap<JsonObject, Remembered>();

  const withoutSaved = (request: RequestContext, header: string | undefined): Resolution => {
    const slug = slugOf(request);
    const key = `${slug ?? ''}\n${header ?? ''}${overridesKey(request)}`;
    return inlineOnes.get(key) ?? inlineOnes.keep(key, unsaved(request, inlineConfig(header), slug));
  };

  const withSaved = (request: RequestContext, name: string, entry: ConfigEntry | undefined): Resolution => {
    if (entry === undefined) throw unknownConfig(name);
    let remembered = savedOnes.get(entry.config);
    if (remembered === undefined) {
      remembered = new Remembered(100);
      savedOnes.set(entry.config, remembered);
    }
    const key = overridesKey(request);
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const { id, slug, versionId, config } = entry;
    const overrides = overridesOf(request, config, undefined);
    const changed = Object.keys(overrides).length > 0;
    return remembered.keep(key, { config, saved: { id, slug, versionId }, ...(changed ? { overrides } : {}) });
  };

  const named = (request: RequestContext, access: Access, name: string): MaybePromise<Resolution> => {
    if (!idOrSlug.test(name)) throw unknownConfig(name);
    const entry = host.directory('config', access.organisationId, access.workspaceId ?? '', name);
    if (entry instanceof Promise) return entry.then((loaded) => withSaved(request, name, loaded));
    return withSaved(request, name, entry);
  };

  const standing: Resolve = (request, access) => {
    const name = defaultOf(host, access);
    if (name instanceof Promise) return name.then((loaded) => ofDefault(request, access, loaded));
    return ofDefault(request, access, name);
  };
  const ofDefault = (request: RequestContext, access: Access, name: string | undefined) =>
    name === undefined ? withoutSaved(request, undefined) : named(request, access, name);

  return (request, access) => {
    const { config: pinned, allowConfigOverride } = request.principal;
    const header = request.control('config')?.trim();
    if (pinned !== undefined && allowConfigOverride === false) {
      refuseOverride(request, header, pinned);
      return named(request, access, pinned);
    }
    if (header?.startsWith('{') === true) return withoutSaved(request, header);
    if (header !== undefined) return named(request, access, header);
    if (namesProvider(request)) return withoutSaved(request, undefined);
    if (pinned !== undefined) return named(request, access, pinned);
    // A prompt names its provider, as a model of the form @slug/model does.
    const leads = request.endpoint === 'promptComplete' || slugOf(request) !== undefined;
    return leads ? withoutSaved(request, undefined) : standing(request, access);
  };
}

/** The config that serves where neither the request nor its key names one: the workspace's, else the organisation's. */
function defaultOf(host: Host, { organisationId, workspaceId = '' }: Access): MaybePromise<string | undefined> {
  const workspace = host.directory('workspace', organisationId, workspaceId);
  const organisation = host.directory('organisation', organisationId);
  if (workspace instanceof Promise || organisation instanceof Promise) {
    return Promise.all([workspace, organisation]).then(
      ([ofWorkspace, ofOrganisation]) => ofWorkspace?.defaults.config ?? ofOrganisation?.defaults.config,
    );
  }
  return workspace?.defaults.config ?? organisation?.defaults.config;
}

/** The key's own config always serves: nothing of the request may take its place, nor lead it elsewhere. */
function refuseOverride(request: RequestContext, header: string | undefined, pinned: string): void {
  const field =
    header !== undefined ? 'config' : request.control('custom-host') === undefined ? undefined : 'custom-host';
  if (field === undefined) return;
  const text = `This key always uses the config "${pinned.slice(0, 100)}": send the request without x-gw-${field}.`;
  throw new GatewayError('config_override_blocked', text, { param: `x-gw-${field}` });
}

function unknownConfig(name: string): GatewayError {
  const text = `No saved config of this workspace has the id or slug "${name.slice(0, 100)}".`;
  return new GatewayError('invalid_config', text, { param: 'x-gw-config' });
}
