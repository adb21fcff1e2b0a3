import {
  GatewayError,
  type IntegratedModel,
  type JsonObject,
  type MaybePromise,
  type ProviderEntry,
  providerNamedIn,
  type Settings,
} from 'portcullis/sdk';
import type { SavedProvider } from '../config/gateway-config.ts';
import type { Leaf } from '../routing/plan.ts';
import { headerSettings, type ResolvedSettings, resolveSettings, type SavedSettings } from '../upstream/settings.ts';
import type { Exchange } from './exchange.ts';
import type { ResolvedPlan } from './plans.ts';
import {
  type FindUnit,
  fileProviders,
  providerInModel,
  type SavedProviders,
  type TargetProvider,
} from './target-provider.ts';
import { WorkspaceProviders, type WorkspaceProvidersOptions } from './workspace-providers.ts';

export interface TargetSettingsOptions extends Partial<Omit<WorkspaceProvidersOptions, 'findUnit'>> {
  readonly providers: Readonly<Record<string, SavedProvider>>;
  readonly findProvider: FindUnit;
  readonly env: (name: string) => string | undefined;
  /** Whose providers may use the identity of the machine. Default: nobody's. */
  readonly machineIdentity?: 'off' | 'operator' | 'all';
}

type SavedCode = 'unknown_virtual_key' | 'unknown_provider';

const nothing = (): undefined => undefined;

/** Finds the provider of a target and the settings that it is called with. */
export class TargetSettings {
  readonly #env: TargetSettingsOptions['env'];
  readonly #machineIdentity: 'off' | 'operator' | 'all';
  readonly #ofFile: ReturnType<typeof fileProviders>;
  readonly #ofWorkspaces: WorkspaceProviders;
  /** Settings that owe nothing to the request, by target, then by the saved model or the provider. */
  readonly #remembered = new WeakMap<Leaf, WeakMap<TargetProvider | IntegratedModel, Remembered>>();

  constructor({ providers, findProvider, env, machineIdentity, directory, secrets, now }: TargetSettingsOptions) {
    this.#env = env;
    this.#machineIdentity = machineIdentity ?? 'off';
    this.#ofFile = fileProviders(providers, findProvider);
    this.#ofWorkspaces = new WorkspaceProviders({
      directory,
      findUnit: findProvider,
      secrets: secrets ?? nothing,
      now: now ?? Date.now,
    });
  }

  /**
   * The provider of the target: that of the virtual key, then its own, then the one that the model names. Saved ones are
   * those of the operator's file, or those of the caller's workspace. No promise unless something has to be loaded.
   */
  providerOf(leaf: Leaf, exchange: Exchange, body: JsonObject): MaybePromise<TargetProvider> {
    if (leaf.virtualKey !== undefined) return this.#saved(leaf.virtualKey, 'unknown_virtual_key', exchange);
    // A saved prompt has a provider of its own, which whoever runs it must have saved, whatever model a config puts in.
    const ofPrompt = exchange.prompt === undefined ? undefined : providerNamedIn(body.model);
    const name = leaf.provider ?? providerInModel(leaf, body) ?? ofPrompt;
    if (name === undefined) throw nowhere(leaf);
    if (!name.startsWith('@')) return this.#unit(name, exchange);
    return this.#saved(name.slice(1), name === ofPrompt ? 'unknown_virtual_key' : 'unknown_provider', exchange);
  }

  /** A saved provider that is given rather than found. @throws GatewayError as for requests that name it */
  providerOfEntry(entry: ProviderEntry): MaybePromise<TargetProvider> {
    return this.#ofWorkspaces.ofEntry(entry);
  }

  /** Whether something is saved under the slug for this caller, usable or not. */
  isSaved(slug: string, { principal }: Exchange): MaybePromise<boolean> {
    return principal.access === undefined
      ? this.#ofFile.find(slug) !== undefined
      : this.#ofWorkspaces.has(principal.access, slug);
  }

  /** @param model as the provider will see it; a saved one may have a host of its own */
  settingsOf(
    leaf: Leaf,
    provider: TargetProvider,
    plan: ResolvedPlan,
    exchange: Exchange,
    model?: string,
  ): ResolvedSettings {
    // The caller's credential belongs to one provider: it is never shown to the several targets of a strategy.
    const own =
      plan.plan.root === leaf && provider.saved === undefined && leaf.apiKey === undefined && !exchange.savedOnly;
    const fromHeaders = headerSettings(provider.unit, exchange, own);
    const special = model === undefined ? undefined : provider.special?.get(model);
    if (fromHeaders !== undefined) return this.#resolve(leaf, provider, special, plan, fromHeaders);
    const byProvider = this.#remembered.get(leaf);
    const known = byProvider?.get(special ?? provider);
    if (known?.provider === provider) return known.settings;
    const settings = this.#resolve(leaf, provider, special, plan, undefined);
    const kept = byProvider ?? new WeakMap<TargetProvider | IntegratedModel, Remembered>();
    this.#remembered.set(leaf, kept.set(special ?? provider, { provider, settings }));
    return settings;
  }

  #resolve(
    leaf: Leaf,
    provider: TargetProvider,
    model: IntegratedModel | undefined,
    plan: ResolvedPlan,
    fromHeaders: Settings | undefined,
  ): ResolvedSettings {
    return resolveSettings({
      unit: provider.unit,
      leaf,
      saved: withModel(provider.saved, model),
      savedApart: provider.entry !== undefined,
      leafIsCallers: plan.inline,
      // A target below the root may have a host of its own, which the caller's does not replace.
      hostIsCallers: leaf.customHost !== undefined && (plan.inline || leaf.customHost === plan.callersHost),
      operatorHost: plan.operatorHost,
      fromHeaders,
      env: provider.foreign === true ? nothing : this.#env,
      machine: this.#mayBeMachine(provider),
    });
  }

  /** Callers of organisations use it by what these have saved, if at all. */
  #mayBeMachine({ entry, foreign }: TargetProvider): boolean {
    if (foreign === true) return false;
    return entry === undefined ? this.#machineIdentity !== 'off' : this.#machineIdentity === 'all';
  }

  #find(slug: string, { principal }: Exchange): MaybePromise<TargetProvider | undefined> {
    return principal.access === undefined ? this.#ofFile.find(slug) : this.#ofWorkspaces.find(principal.access, slug);
  }

  #unit(name: string, { principal }: Exchange): TargetProvider {
    const units: Pick<SavedProviders, 'unit'> = principal.access === undefined ? this.#ofFile : this.#ofWorkspaces;
    return units.unit(name);
  }

  #saved(slug: string, code: SavedCode, exchange: Exchange): MaybePromise<TargetProvider> {
    const found = this.#find(slug, exchange);
    if (found instanceof Promise) return found.then((provider) => provider ?? this.#unsaved(slug, code, exchange));
    return found ?? this.#unsaved(slug, code, exchange);
  }

  /** What follows an @ may also be the name of a unit; a virtual key is always a saved provider. */
  #unsaved(slug: string, code: SavedCode, exchange: Exchange): TargetProvider {
    if (code === 'unknown_provider') return this.#unit(slug, exchange);
    const where = exchange.principal.access === undefined ? '' : ' in this workspace';
    throw new GatewayError(code, `The virtual key "${slug.slice(0, 100)}" is not known${where}.`, {
      param: 'virtual_key',
    });
  }
}

interface Remembered {
  readonly provider: TargetProvider;
  readonly settings: ResolvedSettings;
}

function nowhere(leaf: Leaf): GatewayError {
  const text = leaf.passthrough
    ? 'A passthrough target takes its provider from the request: send x-gw-provider, or a model of the form @provider/model.'
    : 'The config names no provider: give `provider` or `virtual_key`, send x-gw-provider, or use a model of the form @provider/model.';
  return new GatewayError('bad_request', text, { param: 'provider' });
}

function withModel(saved: SavedSettings | undefined, model: IntegratedModel | undefined): SavedSettings | undefined {
  if (saved === undefined || model === undefined) return saved;
  return {
    ...saved,
    ...(model.customHost === undefined ? {} : { customHost: model.customHost }),
    ...(model.customHeaders === undefined ? {} : { headers: { ...saved.headers, ...model.customHeaders } }),
  };
}
