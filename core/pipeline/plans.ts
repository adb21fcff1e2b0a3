import { asString, GatewayError, type JsonObject, type Resolution } from 'portcullis/sdk';
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
  /** Every target names a model of its own, so that the request may leave it out. */
  readonly suppliesModel: boolean;
}

/** Compiles routing configs once: saved ones at start, inline ones at their first use. */
export class Plans {
  readonly #saved = new Map<string, JsonObject>();
  readonly #options: CompileOptions;
  /** By the resolution object, which a resolve plugin hands out again for an equal request. */
  readonly #known = new WeakMap<Resolution, ResolvedPlan>();

  /** @throws GatewayError for the first saved config that is at fault, its name in `param` */
  constructor(configs: Readonly<Record<string, JsonObject>>, options: CompileOptions) {
    this.#options = options;
    for (const [name, config] of Object.entries(configs)) {
      try {
        compilePlan(config, options);
      } catch (error) {
        if (!GatewayError.is(error)) throw error;
        const param = `configs.${name}${error.param === undefined ? '' : `.${error.param}`}`;
        throw new GatewayError(error.code, `${param}: ${error.message}`, { param, cause: error });
      }
      this.#saved.set(name, config);
    }
  }

  planOf(resolution: Resolution): ResolvedPlan {
    const known = this.#known.get(resolution);
    if (known !== undefined) return known;
    const config = this.#configOf(resolution);
    const plan = compilePlan({ ...config, ...resolution.overrides }, this.#options);
    const leaves = leavesOf(plan.root);
    const inline = resolution.inline === true;
    const resolved: ResolvedPlan = {
      plan,
      inline,
      callersHost: asString(resolution.overrides?.custom_host),
      operatorHost: inline ? undefined : asString(config.custom_host),
      relaxed: leaves.some((leaf) => leaf.strict === false),
      suppliesModel: leaves.every(
        (leaf) => typeof (leaf.overrideParams?.model ?? leaf.defaultParams?.model) === 'string',
      ),
    };
    this.#known.set(resolution, resolved);
    return resolved;
  }

  #configOf(resolution: Resolution): JsonObject {
    if (typeof resolution.config === 'object') return resolution.config;
    const name = resolution.config;
    if (name === undefined) return resolution.overrides === undefined ? noProvider() : {};
    const saved = this.#saved.get(name);
    if (saved !== undefined) return saved;
    const names = [...this.#saved.keys()].slice(0, 20).join(', ') || 'none';
    throw new GatewayError('invalid_config', `No saved config has the name "${name.slice(0, 100)}". Saved: ${names}.`, {
      param: 'x-gw-config',
    });
  }
}

function noProvider(): never {
  const text = 'Either x-gw-config or x-gw-provider header is required, or a model of the form @provider/model.';
  throw new GatewayError('bad_request', text, { param: 'x-gw-provider' });
}

function leavesOf(node: Node): readonly Leaf[] {
  return node.kind === 'leaf' ? [node] : node.children.flatMap(leavesOf);
}
