import {
  type IntegratedModel,
  type JsonObject,
  type MaybePromise,
  type ProviderEntry,
  providerNamedIn,
} from 'portcullis/sdk';
import type { SavedProvider } from '../config/gateway-config.ts';
import type { Leaf } from '../routing/plan.ts';
import type { ProviderUnit } from '../upstream/provider-unit.ts';
import type { SavedSettings } from '../upstream/settings.ts';

/** Which models a saved provider serves. */
export interface ServedModels {
  /** Whether it is those alone, or all but those. */
  readonly alone: boolean;
  readonly slugs: ReadonlySet<string>;
}

/** Whom a target calls. One object for as long as nothing has changed, so that what follows from it can be kept. */
export interface TargetProvider {
  readonly unit: ProviderUnit;
  /** Undefined: the unit itself, with credentials of the config, the caller or the environment. */
  readonly saved: SavedSettings | undefined;
  /** Of the saved one. */
  readonly slug?: string;
  /** A saved provider of a workspace. */
  readonly entry?: ProviderEntry;
  /** Absent: it serves every model. */
  readonly models?: ServedModels;
  /** The models that have a host or headers of their own. */
  readonly special?: ReadonlyMap<string, IntegratedModel>;
  /** The caller belongs to an organisation: the gateway's own environment holds nothing for it. */
  readonly foreign?: boolean;
}

export type FindUnit = (name: string) => ProviderUnit;

/** The provider that the model of a target names, with its `@`. */
export function providerInModel(leaf: Leaf, body: JsonObject): string | undefined {
  return providerNamedIn(leaf.overrideParams?.model ?? body.model ?? leaf.defaultParams?.model);
}

/** Where saved providers of one kind of caller are found. */
export interface SavedProviders {
  /** Undefined: nothing is saved under the slug. @throws GatewayError when what is saved cannot be used */
  find(slug: string): MaybePromise<TargetProvider | undefined>;
  /** The unit without anything saved. @throws GatewayError `unknown_provider` */
  unit(name: string): TargetProvider;
}

/** The saved providers of the operator's file. */
export function fileProviders(
  providers: Readonly<Record<string, SavedProvider>>,
  findUnit: FindUnit,
): SavedProviders & { find(slug: string): TargetProvider | undefined } {
  const known = new Map<string, TargetProvider>();
  return {
    find: (slug) => {
      const made = known.get(slug);
      if (made !== undefined) return made;
      const saved = Object.hasOwn(providers, slug) ? providers[slug] : undefined;
      if (saved === undefined) return undefined;
      const limited = saved.models.length === 0 ? {} : { models: { alone: true, slugs: new Set(saved.models) } };
      const provider = { unit: findUnit(saved.provider), saved, slug, ...limited };
      known.set(slug, provider);
      return provider;
    },
    unit: bareUnits(findUnit, {}),
  };
}

/** Gives the same object for the same unit. */
export function bareUnits(findUnit: FindUnit, more: { readonly foreign?: boolean }): (name: string) => TargetProvider {
  const known = new WeakMap<ProviderUnit, TargetProvider>();
  return (name) => {
    const unit = findUnit(name);
    const made = known.get(unit) ?? { unit, saved: undefined, ...more };
    known.set(unit, made);
    return made;
  };
}
