import {
  asString,
  GatewayError,
  type Hooks,
  type JsonObject,
  type Resolution,
  type SavedConfigName,
} from 'portcullis/sdk';
import { type CompileOptions, compilePlan } from '../routing/compile.ts';
import type { Leaf, Node, Plan } from '../routing/plan.ts';

/** A compiled plan, and what it took from the caller. */
export interface ResolvedPlan {
  readonly plan: Plan;
  /** The config came with the request. */
  readonly inline: boolean;
  /** The custom host that came with the request. */
  readonly callersHost: string | undefined;
  /** The custom host of the operator's config, where the caller's took its place. */
  readonly operatorHost: string | undefined;
  /** Some target switches strict compliance off. */
  readonly relaxed: boolean;
  /** Some target asks for the gateway's own list of models. */
  readonly listsModels: boolean;
  /** Some target runs a saved prompt. */
  readonly runsPrompts: boolean;
  /** Every target does. */
  readonly promptsOnly: boolean;
  /** Every target names a model of its own, so that the request may leave it out. */
  readonly suppliesModel: boolean;
}

interface SavedConfig {
  readonly config: JsonObject;
  readonly name: SavedConfigName;
}

export interface PlanOptions extends CompileOptions {
  readonly acceptHooks: NonNullable<Hooks['acceptHooks']>;
}

/** Stands for a resolution without overrides. */
const noOverrides: JsonObject = Object.freeze({});

/** Compiles routing configs once: saved ones at start, inline ones at their first use. */
export class Plans {
  readonly #saved = new Map<string, SavedConfig>();
  readonly #options: PlanOptions;
  /** By the config and the overrides, which a resolve plugin hands out again, as the same objects, for an equal request. */
  readonly #known = new WeakMap<JsonObject, WeakMap<JsonObject, ResolvedPlan>>();

  /** @throws GatewayError for the first saved config that is at fault, its name in `param` */
  constructor(configs: Readonly<Record<string, JsonObject>>, options: PlanOptions) {
    this.#options = options;
    for (const [name, config] of Object.entries(configs)) {
      try {
        this.check(config);
        refusePrompts(compilePlan(config, options));
      } catch (error) {
        if (!GatewayError.is(error)) throw error;
        const param = `configs.${name}${error.param === undefined ? '' : `.${error.param}`}`;
        throw new GatewayError(error.code, `${param}: ${error.message}`, { param, cause: error });
      }
      this.#saved.set(name, { config, name: { id: name, slug: name } });
    }
  }

  /** What the saved config of a resolution goes by; undefined: it is none. */
  nameOf({ config, saved }: Resolution): SavedConfigName | undefined {
    return saved ?? (typeof config === 'string' ? this.#saved.get(config)?.name : undefined);
  }

  /** @throws GatewayError when a routing config could not be saved: `param` is inside it */
  check(config: JsonObject): void {
    const plan = compilePlan(config, this.#options);
    refuseStrayKeys(plan);
    this.#acceptHooks(plan, false);
  }

  planOf(resolution: Resolution): ResolvedPlan {
    const config = this.#configOf(resolution);
    const overrides = resolution.overrides ?? noOverrides;
    const known = this.#known.get(config)?.get(overrides);
    if (known !== undefined && known.inline === (resolution.inline === true)) return known;
    const plan = this.#resolved(config, resolution);
    const byOverrides = this.#known.get(config) ?? new WeakMap<JsonObject, ResolvedPlan>();
    this.#known.set(config, byOverrides.set(overrides, plan));
    return plan;
  }

  #resolved(config: JsonObject, { overrides, saved, inline = false }: Resolution): ResolvedPlan {
    // Those of the file were looked at when they were loaded.
    if (!inline && saved !== undefined) refuseStrayKeys(compilePlan(config, this.#options));
    const plan = compilePlan({ ...config, ...overrides }, this.#options);
    this.#acceptHooks(plan, inline);
    const leaves = leavesOf(plan.root);
    return {
      plan,
      inline,
      callersHost: asString(overrides?.custom_host),
      operatorHost: inline ? undefined : asString(config.custom_host),
      listsModels: leaves.some((leaf) => leaf.fetchIntegratedModels === true),
      relaxed: leaves.some((leaf) => leaf.strict === false),
      runsPrompts: leaves.some((leaf) => leaf.promptId !== undefined),
      promptsOnly: leaves.every((leaf) => leaf.promptId !== undefined),
      suppliesModel: leaves.every(
        (leaf) => typeof (leaf.overrideParams?.model ?? leaf.defaultParams?.model) === 'string',
      ),
    };
  }

  #acceptHooks({ root }: Plan, inline: boolean): void {
    const hooks = new Set(leavesOf(root).flatMap((leaf) => [...leaf.hooks.before, ...leaf.hooks.after]));
    if (hooks.size > 0) this.#options.acceptHooks([...hooks], { inline });
  }

  #configOf(resolution: Resolution): JsonObject {
    if (typeof resolution.config === 'object') return resolution.config;
    const name = resolution.config;
    if (name === undefined) return resolution.overrides === undefined ? noProvider() : noConfig;
    const saved = this.#saved.get(name);
    if (saved !== undefined) return saved.config;
    const names = [...this.#saved.keys()].slice(0, 20).join(', ') || 'none';
    throw new GatewayError('invalid_config', `No saved config has the name "${name.slice(0, 100)}". Saved: ${names}.`, {
      param: 'x-gw-config',
    });
  }
}

/** Stands for the config of a request that brings overrides alone. */
const noConfig: JsonObject = Object.freeze({});

/** Prompts belong to workspaces, whose callers have no use for the configs of the operator's file. */
function refusePrompts({ root }: Plan): void {
  const target = leavesOf(root).find(({ promptId }) => promptId !== undefined);
  if (target === undefined) return;
  const text = `${target.path} names a saved prompt, which only configs that are saved in a workspace can run.`;
  throw new GatewayError('invalid_config', text, { param: 'prompt_id' });
}

/** A saved key without a provider would go to whichever provider a caller names. */
function refuseStrayKeys({ root }: Plan): void {
  const stray = leavesOf(root).find((leaf) => leaf.apiKey !== undefined && leaf.provider === undefined);
  if (stray === undefined) return;
  throw new GatewayError('invalid_config', `${stray.path} has an api_key but no provider that it belongs to.`, {
    param: 'api_key',
  });
}

function noProvider(): never {
  const text = 'Either x-gw-config or x-gw-provider header is required, or a model of the form @provider/model.';
  throw new GatewayError('bad_request', text, { param: 'x-gw-provider' });
}

function leavesOf(node: Node): readonly Leaf[] {
  return node.kind === 'leaf' ? [node] : node.children.flatMap(leavesOf);
}
