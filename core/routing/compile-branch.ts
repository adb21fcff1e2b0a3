import type { NodeConfig, StrategyConfig } from './config-schema.ts';
import { clip, configFault, paramOf } from './fault.ts';
import { defined } from './inherit.ts';
import type { Branch, Condition, Node, NonEmpty, StickyRule } from './plan.ts';
import type { CompileBudget } from './query/budget.ts';
import { compileFieldPath } from './query/field-path.ts';
import { compileQuery } from './query/query.ts';

export interface BranchParts {
  readonly node: NodeConfig;
  readonly strategy: StrategyConfig;
  /** The configs of the targets, in the order of the children. */
  readonly nodes: readonly NodeConfig[];
  readonly children: NonEmpty<Node>;
  readonly path: string;
  readonly budget: CompileBudget;
}

const defaultStickySeconds = 3600;

export function compileBranch(parts: BranchParts): Branch {
  const { node, strategy, nodes, children, path } = parts;
  const shared = { path, children, ...defined({ name: node.name, index: node.index }) };
  switch (strategy.mode) {
    case 'single':
      return { kind: 'single', ...shared };
    case 'fallback':
      return { kind: 'fallback', ...shared, ...defined({ onStatusCodes: strategy.on_status_codes }) };
    case 'loadbalance':
      return {
        kind: 'loadbalance',
        ...shared,
        weights: weightsOf(nodes, path),
        ...defined({ sticky: stickyRule(strategy, path) }),
      };
    case 'conditional': {
      const indexes = targetIndexes(nodes, path);
      return {
        kind: 'conditional',
        ...shared,
        conditions: conditionsOf(parts, indexes),
        ...(strategy.default === undefined
          ? {}
          : { otherwise: indexOf(strategy.default, indexes, paramOf(path, 'strategy.default')) }),
      };
    }
  }
}

function weightsOf(nodes: readonly NodeConfig[], path: string): readonly number[] {
  const weights = nodes.map((node) => node.weight ?? 1);
  if (weights.some((weight) => weight > 0)) return weights;
  throw configFault(
    paramOf(path, 'targets'),
    'The weights of the targets add up to 0: give at least one target a weight above 0.',
  );
}

function stickyRule(strategy: StrategyConfig, path: string): StickyRule | undefined {
  const key = strategy.sticky === undefined ? 'sticky_session' : 'sticky';
  const sticky = strategy[key];
  if (sticky === undefined) return undefined;
  const fields = sticky.hash_fields.map((text, index) =>
    compileFieldPath(text, paramOf(path, `strategy.${key}.hash_fields[${index}]`)),
  );
  return sticky.enabled === false ? undefined : { fields, ttlSeconds: sticky.ttl ?? defaultStickySeconds };
}

function conditionsOf(
  { strategy, path, budget }: BranchParts,
  indexes: ReadonlyMap<string, number>,
): readonly Condition[] {
  return (strategy.conditions ?? []).map(({ query, then }, index) => {
    const param = paramOf(path, `strategy.conditions[${index}]`);
    return {
      matches: compileQuery(query, `${param}.query`, budget),
      query,
      child: indexOf(then, indexes, `${param}.then`),
    };
  });
}

function targetIndexes(nodes: readonly NodeConfig[], path: string): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, { name }] of nodes.entries()) {
    if (name === undefined) continue;
    if (indexes.has(name)) {
      throw configFault(
        paramOf(path, `targets[${index}].name`),
        `Two targets have the name "${clip(name)}": a condition could not tell them apart.`,
      );
    }
    indexes.set(name, index);
  }
  return indexes;
}

function indexOf(name: string, indexes: ReadonlyMap<string, number>, param: string): number {
  const index = indexes.get(name);
  if (index !== undefined) return index;
  const known = [...indexes.keys()].slice(0, 20).map((known) => clip(known));
  const hint = known.length === 0 ? 'No target has a name.' : `The targets are named: ${known.join(', ')}.`;
  throw configFault(param, `Invalid target name found in the query router: ${clip(name)}. ${hint}`);
}
