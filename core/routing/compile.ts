import { hash } from 'node:crypto';
import { asObject, type HookEntry, type Json, type JsonObject } from 'portcullis/sdk';
import { checkFields } from './check-fields.ts';
import { compileBranch } from './compile-branch.ts';
import { compileLeaf } from './compile-leaf.ts';
import type { NodeConfig } from './config-schema.ts';
import { checkFanOut, type TargetCaps } from './fan-out.ts';
import { configFault } from './fault.ts';
import { hooksOf, type Inherited, inherit } from './inherit.ts';
import type { Node, NonEmpty, Plan } from './plan.ts';
import { type CompileBudget, compileBudget } from './query/budget.ts';
import { checkFeatures, checkRules } from './rules.ts';
import { deepFreeze, snapshot } from './snapshot.ts';

export interface CompileOptions {
  /** Names of all settings of all providers, snake_case. */
  readonly settingNames: ReadonlySet<string>;
  /** Features that enabled plugins act on: `retry`, `params`, `cache`, `guardrails`, `mutators`, `prompts`. */
  readonly serves: ReadonlySet<string>;
  readonly caps: TargetCaps;
}

/** What all nodes of one compilation share. */
interface Compilation {
  readonly options: CompileOptions;
  readonly budget: CompileBudget;
  readonly defaultBefore: readonly HookEntry[];
  readonly defaultAfter: readonly HookEntry[];
}

/**
 * Checks a routing config and works out everything that does not depend on a request: inheritance, weights, conditions.
 * The config is neither kept nor changed. Targets may nest 10 levels deep, JSON inside 100.
 * @throws GatewayError `invalid_config` naming the field and what is accepted; `not_available` for a feature that nobody serves
 */
export function compilePlan(config: unknown, options: CompileOptions): Plan {
  const copy = asObject(snapshot(config));
  if (copy === undefined) throw configFault('config', 'The config must be a JSON object.');
  checkFanOut(copy, options.caps);
  const root = checkNode(copy, 'config', options);
  const compilation: Compilation = {
    options,
    budget: compileBudget(),
    defaultBefore: hooksOf(root, 'config', ['default_input_guardrails']),
    defaultAfter: hooksOf(root, 'config', ['default_output_guardrails']),
  };
  return deepFreeze({
    id: hash('sha256', JSON.stringify(copy)),
    root: compileNode(root, copy, 'config', {}, compilation),
  });
}

function checkNode(raw: Json, path: string, options: CompileOptions): NodeConfig {
  const object = asObject(raw);
  if (object === undefined) throw configFault(path.slice('config.'.length), `${path} must be an object.`);
  const node = checkFields(object, path, options.settingNames);
  checkRules(node, object, path, options.settingNames);
  checkFeatures(node, path, options.serves);
  return node;
}

function compileNode(
  node: NodeConfig,
  raw: JsonObject,
  path: string,
  parent: Inherited,
  compilation: Compilation,
): Node {
  const inherited = inherit(parent, node, path);
  const { strategy, targets } = node;
  if (strategy === undefined || targets === undefined) {
    return compileLeaf(node, raw, path, inherited, compilation.options.settingNames, compilation);
  }
  const nodes = (targets as readonly Json[]).map((target, index) =>
    checkNode(target, `${path}.targets[${index}]`, compilation.options),
  );
  // A conditional strategy does not look at breakers, but hands its rule on to the strategies below it.
  const children = nodes.map((child, index) => {
    const direct = strategy.mode === 'conditional' && child.strategy === undefined;
    const { breaker: _, ...others } = inherited;
    const handed = direct ? others : inherited;
    return compileNode(child, targets[index] as JsonObject, `${path}.targets[${index}]`, handed, compilation);
  });
  return compileBranch({
    node,
    strategy,
    nodes,
    children: children as readonly Node[] as NonEmpty<Node>,
    path,
    budget: compilation.budget,
  });
}
