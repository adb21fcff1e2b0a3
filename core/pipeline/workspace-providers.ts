import {
  type Access,
  type Directory,
  GatewayError,
  type JsonObject,
  type MaybePromise,
  type ProviderEntry,
} from 'portcullis/sdk';
import { bareUnits, type FindUnit, type TargetProvider } from './target-provider.ts';

export interface WorkspaceProvidersOptions {
  readonly directory: Directory | undefined;
  readonly findUnit: FindUnit;
  /** Settings that a secret manager holds; undefined: no plugin serves them. */
  readonly secrets: (entry: ProviderEntry) => MaybePromise<JsonObject | undefined>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The saved providers of workspaces, each found only by callers of its own. */
export class WorkspaceProviders {
  readonly unit: (name: string) => TargetProvider;
  readonly #options: WorkspaceProvidersOptions;
  /** By the entry, or by the settings that its secrets resolved to: both are the same object until they change. */
  readonly #known = new WeakMap<ProviderEntry | JsonObject, TargetProvider>();

  constructor(options: WorkspaceProvidersOptions) {
    this.#options = options;
    this.unit = bareUnits(options.findUnit, { foreign: true });
  }

  /**
   * No promise when everything needed is known.
   * @throws GatewayError `budget_exhausted`, `provider_expired`, `secret_unavailable`
   */
  find({ organisationId, workspaceId }: Access, idOrSlug: string): MaybePromise<TargetProvider | undefined> {
    const { directory } = this.#options;
    if (directory === undefined || workspaceId === undefined || !idOrSlugPattern.test(idOrSlug)) return undefined;
    const found = directory.get('provider', organisationId, workspaceId, idOrSlug);
    const usable = (entry: ProviderEntry | undefined) => (entry === undefined ? undefined : this.ofEntry(entry));
    return found instanceof Promise ? found.then(usable) : usable(found);
  }

  /** Whether there is such an entry, usable or not. */
  has({ organisationId, workspaceId }: Access, idOrSlug: string): MaybePromise<boolean> {
    const { directory } = this.#options;
    if (directory === undefined || workspaceId === undefined || !idOrSlugPattern.test(idOrSlug)) return false;
    const found = directory.get('provider', organisationId, workspaceId, idOrSlug);
    return found instanceof Promise ? found.then((entry) => entry !== undefined) : found !== undefined;
  }

  /** As `find`, of an entry that is at hand. */
  ofEntry(entry: ProviderEntry): MaybePromise<TargetProvider> {
    refuseUnusable(entry, this.#options.now());
    if (entry.secrets === undefined || entry.secrets.length === 0) return this.#provider(entry, undefined);
    const secrets = this.#options.secrets(entry);
    if (secrets instanceof Promise) return secrets.then((settings) => this.#withSecrets(entry, settings));
    return this.#withSecrets(entry, secrets);
  }

  #withSecrets(entry: ProviderEntry, settings: JsonObject | undefined): TargetProvider {
    const missing = entry.secrets?.find(({ setting }) => settings?.[setting] === undefined);
    if (missing === undefined) return this.#provider(entry, settings);
    const why = settings === undefined ? 'no plugin of this gateway serves secret references' : 'it gave no value';
    const text = `The secret reference "${missing.referenceSlug}" of the provider "${entry.slug}" could not be resolved: ${why}.`;
    throw new GatewayError('secret_unavailable', text, { param: missing.setting });
  }

  #provider(entry: ProviderEntry, secrets: JsonObject | undefined): TargetProvider {
    const known = this.#known.get(secrets ?? entry);
    if (known?.entry === entry) return known;
    const provider: TargetProvider = {
      unit: this.#options.findUnit(entry.provider),
      saved: {
        settings: secrets === undefined ? entry.settings : { ...entry.settings, ...secrets },
        ...(entry.customHost === undefined ? {} : { customHost: entry.customHost }),
        ...(entry.customHeaders === undefined ? {} : { headers: entry.customHeaders }),
      },
      slug: entry.slug,
      entry,
      foreign: true,
      ...modelsOf(entry),
    };
    this.#known.set(secrets ?? entry, provider);
    return provider;
  }
}

/** Anything else is no name of a record, and need not be looked for. */
const idOrSlugPattern = /^[\w-]{1,255}$/;

function modelsOf({ models, allowAllModels }: ProviderEntry): Pick<TargetProvider, 'models' | 'special'> {
  // Where all are allowed, what was disabled by its name still is not.
  const slugs = new Set(models.filter(({ enabled }) => enabled !== allowAllModels).map(({ slug }) => slug));
  const special = models.filter(
    ({ customHost, customHeaders }) => customHost !== undefined || customHeaders !== undefined,
  );
  return {
    ...(allowAllModels && slugs.size === 0 ? {} : { models: { alone: !allowAllModels, slugs } }),
    ...(special.length === 0 ? {} : { special: new Map(special.map((model) => [model.slug, model])) }),
  };
}

function refuseUnusable({ slug, status, expiresAt }: ProviderEntry, now: number): void {
  if (status === 'exhausted') {
    throw new GatewayError('budget_exhausted', `The usage limit of the provider "${slug}" is used up.`, {
      param: 'provider',
    });
  }
  if (status === 'expired' || (expiresAt !== undefined && expiresAt <= now)) {
    throw new GatewayError('provider_expired', `The provider "${slug}" has expired. Renew it, or name another.`, {
      param: 'provider',
    });
  }
}
