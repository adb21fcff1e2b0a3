import { asString, GatewayError, type JsonObject, type Settings } from 'portcullis/sdk';
import type { SavedProvider } from '../config/gateway-config.ts';
import type { Leaf } from '../routing/plan.ts';
import type { ProviderUnit } from '../upstream/provider-unit.ts';
import { headerSettings, type ResolvedSettings, resolveSettings } from '../upstream/settings.ts';
import type { Exchange } from './exchange.ts';
import type { ResolvedPlan } from './plans.ts';

export interface TargetProvider {
  readonly unit: ProviderUnit;
  readonly saved: SavedProvider | undefined;
}

interface Remembered extends TargetProvider {
  readonly settings: ResolvedSettings;
}

export interface TargetSettingsOptions {
  readonly providers: Readonly<Record<string, SavedProvider>>;
  readonly findProvider: (name: string) => ProviderUnit;
  readonly env: (name: string) => string | undefined;
}

/** Finds the provider of a target and the settings that it is called with. */
export class TargetSettings {
  readonly #options: TargetSettingsOptions;
  /** Settings that owe nothing to the request, by target. */
  readonly #remembered = new WeakMap<Leaf, Remembered>();

  constructor(options: TargetSettingsOptions) {
    this.#options = options;
  }

  /** The provider of the target: its own, then that of the virtual key, then the one that the model names. */
  providerOf(leaf: Leaf, body: JsonObject): TargetProvider {
    if (leaf.virtualKey !== undefined) return this.#saved(leaf.virtualKey, 'unknown_virtual_key');
    const name = leaf.provider ?? providerInModel(leaf, body);
    if (name === undefined) {
      const text = leaf.passthrough
        ? 'A passthrough target takes its provider from the request: send x-gw-provider, or a model of the form @provider/model.'
        : 'The config names no provider: give `provider` or `virtual_key`, send x-gw-provider, or use a model of the form @provider/model.';
      throw new GatewayError('bad_request', text, { param: 'provider' });
    }
    if (!name.startsWith('@')) return { unit: this.#options.findProvider(name), saved: undefined };
    const slug = name.slice(1);
    return this.#options.providers[slug] === undefined
      ? { unit: this.#options.findProvider(slug), saved: undefined }
      : this.#saved(slug, 'unknown_provider');
  }

  settingsOf(leaf: Leaf, provider: TargetProvider, plan: ResolvedPlan, exchange: Exchange): ResolvedSettings {
    // The caller's credential belongs to one provider: it is never shown to the several targets of a strategy.
    const own = plan.plan.root === leaf && provider.saved === undefined && leaf.apiKey === undefined;
    const fromHeaders: Settings | undefined = headerSettings(provider.unit, exchange, own);
    if (fromHeaders !== undefined) return this.#resolve(leaf, provider, plan, fromHeaders);
    const known = this.#remembered.get(leaf);
    if (known?.unit === provider.unit && known.saved === provider.saved) return known.settings;
    const settings = this.#resolve(leaf, provider, plan, undefined);
    this.#remembered.set(leaf, { ...provider, settings });
    return settings;
  }

  #resolve(
    leaf: Leaf,
    { unit, saved }: TargetProvider,
    plan: ResolvedPlan,
    fromHeaders: Settings | undefined,
  ): ResolvedSettings {
    return resolveSettings({
      unit,
      leaf,
      saved,
      leafIsCallers: plan.inline,
      // A target below the root may have a host of its own, which the caller's does not replace.
      hostIsCallers: leaf.customHost !== undefined && (plan.inline || leaf.customHost === plan.callersHost),
      operatorHost: plan.operatorHost,
      fromHeaders,
      env: this.#options.env,
    });
  }

  #saved(slug: string, code: 'unknown_virtual_key' | 'unknown_provider'): TargetProvider {
    const saved = Object.hasOwn(this.#options.providers, slug) ? this.#options.providers[slug] : undefined;
    if (saved === undefined) {
      throw new GatewayError(code, `The virtual key "${slug.slice(0, 100)}" is not known.`, { param: 'virtual_key' });
    }
    return { unit: this.#options.findProvider(saved.provider), saved };
  }
}

function providerInModel(leaf: Leaf, body: JsonObject): string | undefined {
  const model = asString(leaf.overrideParams?.model ?? body.model ?? leaf.defaultParams?.model);
  const slash = model?.startsWith('@') === true ? model.indexOf('/') : -1;
  return model === undefined || slash === -1 ? undefined : model.slice(0, slash);
}

/** @throws GatewayError when a saved provider is limited to some models and this is none of them */
export function checkModel(saved: SavedProvider | undefined, model: string): void {
  if (saved === undefined || saved.models.length === 0 || model === '' || saved.models.includes(model)) return;
  throw new GatewayError(
    'bad_request',
    `This provider does not serve the model "${model.slice(0, 100)}". It serves: ${saved.models.join(', ')}.`,
    {
      param: 'model',
    },
  );
}
